package dev.dibs.bench;

import dev.dibs.bench.Rounds.Result;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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

    /**
     * Says of each number of threads by how much ours, the last of the results, is quicker than the quickest of the peers.
     *
     * @param byThreads what was measured in turn, by the number of threads
     */
    static void ahead(Report report, String where, Map<Integer, List<Result>> byThreads, List<String> peers) {
        List<String> times = new ArrayList<>();
        boolean ahead = true;
        for (Map.Entry<Integer, List<Result>> entry : byThreads.entrySet()) {
            List<Result> results = entry.getValue();
            Result peer = results.stream()
                    .filter(result -> peers.contains(result.name()))
                    .max(Comparator.comparingDouble(Result::perSecond))
                    .orElseThrow();
            double faster = results.get(results.size() - 1).perSecond() / peer.perSecond();
            times.add(Report.number(faster) + "x (" + entry.getKey() + ")");
            if (faster < 1) {
                ahead = false;
                report.behind(peer.name() + ": " + where + ", threads: " + entry.getKey() + ": "
                        + Report.number(1 / faster) + " times");
            }
        }
        report.target(
                where + ", to the quicker of " + String.join(" and ", peers) + " (threads)",
                String.join(", ", times),
                "at least 1x",
                ahead);
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
