package dev.dibs.bench;

import dev.dibs.bench.Rounds.Result;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A table of operations. Of those that were measured in turn, the first is the base, and the others show their ratio to it. */
final class Comparisons {

    private final List<List<String>> rows = new ArrayList<>();

    /**
     * Adds operations that were measured in turn.
     *
     * @param labels the first columns of each
     * @return the last of them, which is ours
     */
    Result add(List<String> labels, List<Result> results) {
        Result base = results.get(0);
        for (Result result : results) {
            List<String> figures = List.of(
                    result.name(),
                    String.format(Locale.ROOT, "%,.0f", result.perSecond()),
                    Report.number(result.p50()),
                    Report.number(result.p99()),
                    result.equals(base) ? "1" : ratio(result));
            rows.add(Stream.concat(labels.stream(), figures.stream()).toList());
        }
        return results.get(results.size() - 1);
    }

    /** The rates of all in one line. */
    static String rates(List<Result> results) {
        return results.stream()
                .map(result -> result.name() + " " + String.format(Locale.ROOT, "%,.0f", result.perSecond()))
                .collect(Collectors.joining(", "));
    }

    private static String ratio(Result result) {
        return "**" + Report.number(result.ratio()) + "** (" + Report.number(result.low()) + " to "
                + Report.number(result.high()) + ")";
    }

    /** Writes the table. */
    void into(Report report, List<String> labels, String operation) {
        List<String> figures = List.of(operation, "per second", "p50 ms", "p99 ms", "ratio");
        report.table(Stream.concat(labels.stream(), figures.stream()).toList(), rows);
    }
}
