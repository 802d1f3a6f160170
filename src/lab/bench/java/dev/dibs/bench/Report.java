package dev.dibs.bench;

import dev.dibs.bench.Rounds.Result;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The results as a page. Each section is printed as soon as its table is complete. */
final class Report {
    private final StringBuilder sections = new StringBuilder();
    private final List<List<String>> targets = new ArrayList<>();
    private final List<List<String>> headlines = new ArrayList<>();
    private final List<String> behind = new ArrayList<>();
    private int printed;

    void section(String title, String text) {
        sections.append("\n## ").append(title).append("\n\n").append(text).append('\n');
    }

    void table(List<String> head, List<List<String>> rows) {
        sections.append(markdown(head, rows));
        System.out.println(sections.substring(printed));
        printed = sections.length();
    }

    /** A figure that the project must reach. */
    void target(String what, String measured, String target, boolean met) {
        targets.add(List.of(what, target, measured, met ? "yes" : "**no**"));
    }

    void target(String what, Result result, double limit) {
        target(
                what,
                number(result.ratio()) + "x (" + number(result.low()) + " to " + number(result.high()) + ")",
                "at most " + number(limit) + "x",
                result.ratio() <= limit);
    }

    /** A figure for a reader who has one minute. */
    void headline(String what, String figure) {
        headlines.add(List.of(what, figure));
    }

    /** The time of the last result, which is ours, as a multiple of the first one's. */
    void headline(String what, List<Result> results) {
        Result ours = results.get(results.size() - 1);
        headline(what, number(ours.ratio()) + "x the time of " + results.get(0).name());
    }

    /** Where a peer was quicker in this run. */
    void behind(String what) {
        behind.add(what);
    }

    String page(String introduction) {
        return introduction + "\n## In short\n\n" + markdown(List.of("what", "figure"), headlines)
                + "\nQuicker than Dibs in this run:"
                + (behind.isEmpty() ? " no peer.\n" : "\n\n- " + String.join("\n- ", behind) + "\n")
                + "\n## Targets\n\n" + targets() + sections;
    }

    String targets() {
        return markdown(List.of("figure", "target", "measured", "met"), targets);
    }

    /** Three significant digits, without an exponent. */
    static String number(double value) {
        double size = Math.abs(value);
        String text = String.format(Locale.ROOT, size >= 100 ? "%.0f" : size >= 10 ? "%.1f" : "%.2f", value);
        return size < 1 && size > 0 && text.equals("0.00")
                ? String.format(Locale.ROOT, "%.3f", value)
                : text.replaceFirst("\\.0+$", "");
    }

    private static String markdown(List<String> head, List<List<String>> rows) {
        StringBuilder table = new StringBuilder();
        line(table, head);
        line(table, head.stream().map(column -> "---").toList());
        rows.forEach(row -> line(table, row));
        return table.toString();
    }

    private static void line(StringBuilder table, List<String> cells) {
        table.append("| ").append(String.join(" | ", cells)).append(" |\n");
    }
}
