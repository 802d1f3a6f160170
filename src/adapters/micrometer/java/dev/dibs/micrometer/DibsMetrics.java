package dev.dibs.micrometer;

import dev.dibs.Dibs;
import dev.dibs.DibsMXBean;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.ToDoubleFunction;

/**
 * The counters of one {@link Dibs} as meters: {@code new DibsMetrics(dibs).bindTo(registry)}. They are those of
 * {@code dibs.admin().statistics()}, over all of its locks, and ask no database. They may be bound to several registries, and keep their
 * last values after the Dibs is closed. {@link LockMetrics} has the times, and the counts of each lock.
 *
 * <p>Safe for use by any thread. Of several instances of Dibs in one registry, only the first is seen, unless the registry gives each of
 * them a tag of its own.
 */
public final class DibsMetrics implements MeterBinder {

    private final DibsMXBean statistics;

    /** The counters of this instance. */
    public DibsMetrics(Dibs dibs) {
        this.statistics = dibs.admin().statistics();
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Gauge.builder("dibs.leases.held", statistics, DibsMXBean::getHeld)
                .description("Leases that this instance holds now")
                .strongReference(true)
                .register(registry);
        counter(registry, "dibs.leases.acquired", "Leases that were acquired", DibsMXBean::getAcquired);
        counter(
                registry,
                "dibs.leases.busy",
                "How often a lock was still busy at the end of the wait",
                DibsMXBean::getBusy);
        counter(
                registry,
                "dibs.leases.takeovers",
                "Leases taken over from a holder that let them expire",
                DibsMXBean::getTakeovers);
        counter(registry, "dibs.leases.lost", "Leases that were lost", DibsMXBean::getLost);
        counter(
                registry,
                "dibs.leases.renewal.failures",
                "Renewals that failed; each is tried again",
                DibsMXBean::getRenewalFailures);
        counter(
                registry,
                "dibs.leases.late.renewals",
                "Renewals that came when less than a third of the lease was left",
                DibsMXBean::getLateRenewals);
        counter(registry, "dibs.leases.released", "Leases that were released", DibsMXBean::getReleased);
        counter(
                registry,
                "dibs.transactions.locked",
                "Transactions that got a lock without a lease",
                DibsMXBean::getLockedTransactions);
    }

    private void counter(MeterRegistry registry, String name, String description, ToDoubleFunction<DibsMXBean> value) {
        FunctionCounter.builder(name, statistics, value)
                .description(description)
                .register(registry);
    }
}
