package dev.dibs.console;

import dev.dibs.LeaseInfo;
import dev.dibs.once.OnceInfo;
import dev.dibs.runs.RunStatus;
import dev.dibs.runs.RunWorkerInfo;
import dev.dibs.text.Words;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The console's data in the format of Prometheus. Only this class of the console needs Micrometer. */
final class Metrics {

    private static final String TYPE = "text/plain;version=0.0.4;charset=utf-8";
    private static final double MILLI = 1000;

    private final Snapshot snapshot;
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final ReentrantLock scraping = new ReentrantLock();
    private final MultiGauge held = gauge("dibs.held", "Leases that are held in the database, by kind");
    private final MultiGauge onceAge = gauge("dibs.once.age.seconds", "How long ago the work was last done");
    private final MultiGauge onceFailures = gauge("dibs.once.failures", "How often in a row the work has failed");
    private final MultiGauge onceRunning = gauge("dibs.once.running", "Whether the work is running");
    private final MultiGauge runDone = gauge("dibs.run.rows.done", "Rows that are completed");
    private final MultiGauge runTotal = gauge("dibs.run.rows.total", "Rows at the start");
    private final MultiGauge runDead = gauge("dibs.run.rows.dead", "Rows that were given up");
    private final MultiGauge runFailed = gauge("dibs.run.attempts.failed", "Attempts that have failed");
    private final MultiGauge runRate = gauge("dibs.run.rows.per.second", "Speed of all workers together");
    private final MultiGauge runWorkers = gauge("dibs.run.workers.alive", "Workers that are alive");
    private final MultiGauge runState = gauge("dibs.run.state", "1 for the current state");

    Metrics(Snapshot snapshot) {
        this.snapshot = snapshot;
        new DibsMetrics(snapshot.dibs()).bindTo(registry);
    }

    private MultiGauge gauge(String name, String description) {
        return MultiGauge.builder(name).description(description).register(registry);
    }

    /** The metrics from the cached answers. Data that cannot be read are left out. */
    Answer scrape() {
        scraping.lock();
        try {
            Wait wait = snapshot.begin();
            holders(known(snapshot.holders().get(wait)));
            onces(known(snapshot.onces().get(wait)));
            runs(known(snapshot.runs().get(wait)));
            return new Answer(200, TYPE, registry.scrape(), Map.of());
        } finally {
            scraping.unlock();
        }
    }

    private static <T> @Nullable T known(CachedQuery.Seen<T> seen) {
        return seen.problem().isEmpty() ? seen.value() : null;
    }

    private void holders(@Nullable List<LeaseInfo> holders) {
        List<MultiGauge.Row<?>> rows = new ArrayList<>();
        if (holders != null) {
            for (LeaseInfo.Kind kind : Words.listedKinds()) {
                double count = holders.stream()
                        .filter(holder -> holder.kind() == kind && !holder.isMaintenance())
                        .count();
                rows.add(row(Tags.of("kind", kind.name().toLowerCase(java.util.Locale.ROOT)), count));
            }
        }
        held.register(rows, true);
    }

    private void onces(@Nullable List<OnceInfo> onces) {
        List<OnceInfo> all = onces == null ? List.of() : onces;
        Instant now = Instant.now();
        onceAge.register(
                rows(
                        all.stream()
                                .filter(once -> once.lastSuccess().isPresent())
                                .toList(),
                        once -> Duration.between(once.lastSuccess().orElse(now), now)
                                        .toMillis()
                                / MILLI),
                true);
        onceFailures.register(rows(all, OnceInfo::failures), true);
        onceRunning.register(rows(all, once -> once.running().isPresent() ? 1 : 0), true);
    }

    private static List<MultiGauge.Row<?>> rows(List<OnceInfo> onces, ToDoubleFunction<OnceInfo> value) {
        List<MultiGauge.Row<?>> rows = new ArrayList<>();
        onces.forEach(once -> rows.add(row(Tags.of("once", once.name()), value.applyAsDouble(once))));
        return rows;
    }

    private void runs(@Nullable List<RunStatus> runs) {
        List<RunStatus> all = runs == null ? List.of() : runs;
        runDone.register(runRows(all, RunStatus::done), true);
        runTotal.register(
                runRows(
                        all.stream().filter(run -> run.total().isPresent()).toList(),
                        run -> run.total().orElse(0)),
                true);
        runDead.register(runRows(all, RunStatus::dead), true);
        runFailed.register(runRows(all, RunStatus::failed), true);
        runRate.register(runRows(all, RunStatus::rowsPerSecond), true);
        runWorkers.register(
                runRows(
                        all,
                        run -> run.workers().stream()
                                .filter(RunWorkerInfo::alive)
                                .count()),
                true);
        List<MultiGauge.Row<?>> states = new ArrayList<>();
        all.forEach(
                run -> states.add(row(Tags.of("run", run.name(), "state", dev.dibs.text.RunNumbers.state(run)), 1)));
        runState.register(states, true);
    }

    private static List<MultiGauge.Row<?>> runRows(List<RunStatus> runs, ToDoubleFunction<RunStatus> value) {
        List<MultiGauge.Row<?>> rows = new ArrayList<>();
        runs.forEach(run -> rows.add(row(Tags.of("run", run.name()), value.applyAsDouble(run))));
        return rows;
    }

    private static MultiGauge.Row<?> row(Tags tags, double value) {
        return MultiGauge.Row.of(tags, value);
    }
}
