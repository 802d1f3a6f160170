package dev.dibs.console;

import dev.dibs.runs.RunStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How the counts of the runs have changed since this console first looked at them. In memory only: the tables have the latest counts.
 * There are samples only from times at which somebody looked. The counts are totals, so a rate over a gap is the true average.
 */
final class RunHistory {

    /** The largest number of samples of a run. When it is reached, every second one goes, and the others still cover all the time. */
    static final int SAMPLES = 240;

    /** Runs beyond this have no history until another one is gone. */
    static final int RUNS = 200;

    /** The counts of a run, by the database's clock. */
    record Sample(Instant at, long done, long failed) {}

    /** One pass of a run: if the run is started again, its counts begin from zero. */
    private record Pass(Instant startedAt, List<Sample> samples) {}

    private final Map<String, Pass> passes = new ConcurrentHashMap<>();

    /** Adds the counts of all runs, and returns the runs. Only one thread at a time may call it. */
    List<RunStatus> add(List<RunStatus> runs) {
        passes.keySet().retainAll(runs.stream().map(RunStatus::name).collect(Collectors.toSet()));
        for (RunStatus run : runs) {
            if (passes.size() < RUNS || passes.containsKey(run.name())) {
                passes.compute(run.name(), (name, before) -> after(before, run));
            }
        }
        return runs;
    }

    private static Pass after(@Nullable Pass before, RunStatus run) {
        Sample now = new Sample(run.at(), run.done(), run.failed());
        if (before == null || !before.startedAt().equals(run.startedAt())) {
            return new Pass(run.startedAt(), List.of(now));
        }
        List<Sample> samples = new ArrayList<>(before.samples());
        Sample last = samples.get(samples.size() - 1);
        boolean ended = run.finishedAt().isPresent() && last.done() == now.done() && last.failed() == now.failed();
        if (ended || !now.at().isAfter(last.at())) {
            return before;
        }
        samples.add(now);
        return new Pass(before.startedAt(), List.copyOf(samples.size() <= SAMPLES ? samples : thinned(samples)));
    }

    /** Every second one, with the first and the last. */
    private static List<Sample> thinned(List<Sample> samples) {
        List<Sample> fewer = new ArrayList<>();
        for (int i = 0; i < samples.size(); i++) {
            if (i % 2 == 0 || i == samples.size() - 1) {
                fewer.add(samples.get(i));
            }
        }
        return fewer;
    }

    /** The samples of a run, the oldest first. */
    List<Sample> of(String run) {
        Pass pass = passes.get(run);
        return pass == null ? List.of() : pass.samples();
    }
}
