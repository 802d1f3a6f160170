package dev.dibs.fault;

import dev.dibs.fault.history.Effects;
import dev.dibs.fault.history.History;
import dev.dibs.fault.history.OperationKind;
import dev.dibs.fault.history.OperationState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The figures of a run. */
final class FaultReport {
    private final List<String> lines = new ArrayList<>();
    private final long start = System.nanoTime();

    FaultReport(DatabaseUnderTest database, long seed) {
        lines.add(database + ", seed " + seed);
    }

    Duration age() {
        return Duration.ofNanos(System.nanoTime() - start);
    }

    void tell(FaultSetup setup, FaultRun run) {
        lines.add(run.faults() + " faults in " + age().toSeconds() + " s");
        run.struck().forEach((fault, times) -> lines.add("  " + times + " x " + fault));
        List<Duration> recoveries = run.recoveries().stream().sorted().toList();
        if (!recoveries.isEmpty()) {
            lines.add("all worked again after ms: median "
                    + recoveries.get(recoveries.size() / 2).toMillis() + ", longest "
                    + recoveries.get(recoveries.size() - 1).toMillis() + ", " + recoveries.size() + " times");
        }
        lines.add("before " + run.before());
        lines.add("after  " + run.after());
        Map<String, Integer> kinds = new TreeMap<>();
        for (WorkerProcess worker : setup.workers()) {
            lines.add(worker + " printed " + worker.log().count() + " lines");
            worker.log().kinds().forEach((kind, count) -> kinds.merge(kind, count, Integer::sum));
        }
        kinds.forEach((kind, count) -> lines.add("  " + count + " x " + kind));
    }

    void tell(History history, Effects effects) {
        for (OperationKind kind : OperationKind.values()) {
            StringBuilder line = new StringBuilder(kind.toString());
            for (OperationState state : List.of(OperationState.OK, OperationState.FAIL, OperationState.UNKNOWN)) {
                line.append(", ").append(state).append(' ').append(history.count(kind, state));
            }
            lines.add(line.toString());
        }
        lines.add("ledger " + effects.ledger().size() + ", completed "
                + effects.jobs().stream().filter(job -> job.completions() > 0).count() + ", effects "
                + effects.effects().size() + ", counted by runs " + effects.counts());
    }

    void write(Path file) throws IOException {
        Files.write(file, lines);
        lines.forEach(System.out::println);
    }
}
