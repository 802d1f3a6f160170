package dev.dibs.cli;

import dev.dibs.LockInfo;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Locks for people: aligned columns, a line a lock. */
final class LocksTable {

    private static final String GAP = "  ";

    private LocksTable() {}

    static String of(List<LockInfo> locks) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("NAME", "HOLDER", "FENCE", "SINCE", "UNTIL"));
        locks.forEach(lock -> rows.add(cells(lock)));
        List<Integer> widths = new ArrayList<>();
        for (int column = 0; column < rows.get(0).size(); column++) {
            widths.add(width(rows, column));
        }
        return rows.stream().map(row -> line(row, widths)).collect(Collectors.joining(System.lineSeparator()));
    }

    private static List<String> cells(LockInfo lock) {
        return List.of(
                OneLine.escape(lock.name()),
                OneLine.escape(lock.holder()),
                Long.toString(lock.fence()),
                time(lock.since()),
                time(lock.until()));
    }

    /** UTC, as the Z tells. */
    static String time(Instant instant) {
        return instant.truncatedTo(ChronoUnit.SECONDS).toString();
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
