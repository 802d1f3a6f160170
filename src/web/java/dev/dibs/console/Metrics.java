package dev.dibs.console;

import dev.dibs.DibsMXBean;
import dev.dibs.LeaseInfo;
import dev.dibs.once.OnceInfo;
import dev.dibs.runs.RunStatus;
import dev.dibs.runs.RunWorkerInfo;
import dev.dibs.text.RunNumbers;
import dev.dibs.text.Words;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The console's data in the format of Prometheus. The counters of the instance have the names and the descriptions that
 * {@code dibs-micrometer} gives them.
 *
 * <p>For one thread.
 */
final class Metrics {

    private static final double MILLI = 1000;

    private final PrometheusText text = new PrometheusText();

    private Metrics() {}

    /** The metrics from the cached answers. Data that cannot be read are left out. */
    static Answer scrape(Snapshot snapshot) {
        Wait wait = snapshot.begin();
        Metrics metrics = new Metrics();
        metrics.instance(snapshot.dibs().admin().statistics());
        metrics.holders(known(snapshot.holders().get(wait)));
        metrics.onces(known(snapshot.onces().get(wait)));
        metrics.runs(known(snapshot.runs().get(wait)));
        return new Answer(200, PrometheusText.TYPE, metrics.text.toString(), Map.of());
    }

    private static <T> @Nullable T known(CachedQuery.Seen<T> seen) {
        return seen.problem().isEmpty() ? seen.value() : null;
    }

    private void instance(DibsMXBean statistics) {
        text.begin("dibs_leases_held", "gauge", "Leases that this instance holds now")
                .sample("dibs_leases_held", statistics.getHeld());
        counter("dibs_leases_acquired_total", "Leases that were acquired", statistics.getAcquired());
        counter(
                "dibs_leases_busy_total",
                "How often a lock was still busy at the end of the wait",
                statistics.getBusy());
        counter(
                "dibs_leases_takeovers_total",
                "Leases taken over from a holder that let them expire",
                statistics.getTakeovers());
        counter("dibs_leases_lost_total", "Leases that were lost", statistics.getLost());
        counter(
                "dibs_leases_renewal_failures_total",
                "Renewals that failed; each is tried again",
                statistics.getRenewalFailures());
        counter(
                "dibs_leases_late_renewals_total",
                "Renewals that came when less than a third of the lease was left",
                statistics.getLateRenewals());
        counter("dibs_leases_released_total", "Leases that were released", statistics.getReleased());
        counter(
                "dibs_transactions_locked_total",
                "Transactions that got a lock without a lease",
                statistics.getLockedTransactions());
    }

    private void counter(String name, String help, long value) {
        text.begin(name, "counter", help).sample(name, (double) value);
    }

    private void holders(@Nullable List<LeaseInfo> holders) {
        if (holders != null) {
            Function<LeaseInfo.Kind, String[]> label =
                    kind -> new String[] {"kind", kind.name().toLowerCase(Locale.ROOT)};
            gauge(
                    "dibs_held",
                    "Leases that are held in the database, by kind",
                    Words.listedKinds(),
                    label,
                    kind -> count(holders, kind));
        }
    }

    private static double count(List<LeaseInfo> holders, LeaseInfo.Kind kind) {
        return holders.stream()
                .filter(holder -> holder.kind() == kind && !holder.isMaintenance())
                .count();
    }

    private void onces(@Nullable List<OnceInfo> onces) {
        List<OnceInfo> all = onces == null ? List.of() : onces;
        List<OnceInfo> done =
                all.stream().filter(once -> once.lastSuccess().isPresent()).toList();
        Instant now = Instant.now();
        Function<OnceInfo, String[]> label = once -> new String[] {"once", once.name()};
        gauge("dibs_once_age_seconds", "How long ago the work was last done", done, label, once -> age(once, now));
        gauge("dibs_once_failures", "How often in a row the work has failed", all, label, OnceInfo::failures);
        gauge(
                "dibs_once_running",
                "Whether the work is running",
                all,
                label,
                once -> once.running().isPresent() ? 1 : 0);
    }

    private static double age(OnceInfo once, Instant now) {
        return Duration.between(once.lastSuccess().orElse(now), now).toMillis() / MILLI;
    }

    private void runs(@Nullable List<RunStatus> runs) {
        List<RunStatus> all = runs == null ? List.of() : runs;
        List<RunStatus> counted =
                all.stream().filter(run -> run.total().isPresent()).toList();
        Function<RunStatus, String[]> label = run -> new String[] {"run", run.name()};
        gauge("dibs_run_rows_done", "Rows that are completed", all, label, RunStatus::done);
        gauge(
                "dibs_run_rows_total",
                "Rows at the start",
                counted,
                label,
                run -> run.total().orElse(0));
        gauge("dibs_run_rows_dead", "Rows that were given up", all, label, RunStatus::dead);
        gauge("dibs_run_attempts_failed", "Attempts that have failed", all, label, RunStatus::failed);
        gauge("dibs_run_rows_per_second", "Speed of all workers together", all, label, RunStatus::rowsPerSecond);
        gauge("dibs_run_workers_alive", "Workers that are alive", all, label, Metrics::alive);
        gauge(
                "dibs_run_state",
                "1 for the current state",
                all,
                run -> new String[] {"run", run.name(), "state", RunNumbers.state(run)},
                run -> 1);
    }

    private static double alive(RunStatus run) {
        return run.workers().stream().filter(RunWorkerInfo::alive).count();
    }

    /** A sample for each item; nothing if there are none. */
    private <T> void gauge(
            String name,
            String help,
            Collection<T> items,
            Function<T, String[]> labels,
            ToDoubleFunction<? super T> value) {
        if (!items.isEmpty()) {
            text.begin(name, "gauge", help);
            items.forEach(item -> text.sample(name, value.applyAsDouble(item), labels.apply(item)));
        }
    }
}
