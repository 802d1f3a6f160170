package dev.dibs.cli.terminal;

import java.util.ArrayList;
import java.util.List;

/** Aligned columns, one line a row; the first row is the header. A cell must fit on one line. */
public final class TextTable {

    private static final String GAP = "  ";

    private TextTable() {}

    public static List<String> lines(List<List<String>> rows) {
        List<Integer> widths = new ArrayList<>();
        for (int column = 0; column < rows.get(0).size(); column++) {
            widths.add(width(rows, column));
        }
        return rows.stream().map(row -> line(row, widths)).toList();
    }

    public static String of(List<List<String>> rows) {
        return String.join(System.lineSeparator(), lines(rows));
    }

    private static int width(List<List<String>> rows, int column) {
        return rows.stream().mapToInt(row -> length(row.get(column))).max().orElse(0);
    }

    private static String line(List<String> row, List<Integer> widths) {
        StringBuilder line = new StringBuilder();
        for (int column = 0; column < row.size(); column++) {
            String cell = row.get(column);
            line.append(cell)
                    .append(" ".repeat(widths.get(column) - length(cell)))
                    .append(GAP);
        }
        return line.toString().stripTrailing();
    }

    private static int length(String text) {
        return text.codePointCount(0, text.length());
    }
}
