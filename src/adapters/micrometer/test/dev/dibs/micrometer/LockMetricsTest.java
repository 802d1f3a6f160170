package dev.dibs.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.database.DatabaseUser;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullRun;
import dev.dibs.database.H2Database;
import dev.dibs.database.OnEachDatabase;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.TestDatabase;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What Prometheus reads after some calls. */
@OnEachDatabase({H2Database.class, PostgresDatabase.class})
@FullRun(except = "h2")
@Tag("contract")
class LockMetricsTest implements DatabaseUser {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final String kind = "kind-" + UUID.randomUUID();
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final LockMetrics metrics = new LockMetrics(registry, kind, "nightly");
    private DataSource pool;

    @Override
    public void use(TestDatabase database) {
        pool = database.shared();
    }

    private double sample(String name, String... labels) {
        return Samples.of(registry.scrape()).stream()
                .filter(sample -> sample.name().equals(name))
                .filter(sample -> List.of(labels).stream()
                        .allMatch(label -> sample.labels().contains(label)))
                .mapToDouble(Samples.Sample::value)
                .sum();
    }

    private double acquires(String lock, String outcome) {
        return sample("dibs_acquire_seconds_count", "lock=" + lock, "outcome=" + outcome);
    }

    @Test
    void callsAndLeasesAreCountedUnderTheirRegisteredNames() throws Exception {
        FaultyDataSource faulty = new FaultyDataSource(pool);
        try (Dibs here = Dibs.builder(faulty).listener(metrics).build();
                Dibs there = Dibs.on(pool)) {
            new DibsMetrics(here).bindTo(registry);
            Lease lease = here.lock(kind, 1).acquire(MINUTE);
            assertThat(sample("dibs_leases_held")).isEqualTo(1);
            lease.close();
            here.lock(kind).acquire(MINUTE).close();
            here.lock("not-" + kind, 1).acquire(MINUTE).close();
            assertThat(acquires(kind, "acquired"))
                    .as("the lock, and one of its kind")
                    .isEqualTo(2);
            assertThat(acquires("other", "acquired")).isEqualTo(1);
            assertThat(sample("dibs_hold_seconds_count", "lock=" + kind, "end=released"))
                    .isEqualTo(2);
            here.lock(kind, 4).<RuntimeException>inTransaction(pool, tx -> {});
            assertThat(sample("dibs_transactions_locked_total")).isEqualTo(1);

            try (Lease rival = there.lock(kind, 2).acquire(MINUTE)) {
                assertThat(here.lock(kind, 2).tryAcquire(Duration.ofMillis(150)))
                        .isEmpty();
                rival.check();
            }
            assertThat(acquires(kind, "busy")).isEqualTo(1);
            assertThat(sample("dibs_acquire_seconds_sum", "lock=" + kind, "outcome=busy"))
                    .isBetween(0.15, 30.0);

            faulty.on(sql -> true).here().always().fail("42501", 0);
            assertThatThrownBy(() -> here.lock(kind, 3).acquire(Duration.ZERO))
                    .isInstanceOf(DatabaseFailureException.class);
            faulty.heal();
            assertThat(acquires(kind, "failed")).isEqualTo(1);

            Lease broken = here.lock(kind, 4).acquire(MINUTE);
            assertThat(there.admin().breakLock(broken.name())).isPresent();
            broken.close();
            await().until(() -> sample("dibs_hold_seconds_count", "lock=" + kind, "end=lost") == 1);
            assertThat(sample("dibs_leases_lost_total")).isEqualTo(1);
        }
    }

    @Test
    void acquirersThatWaitNowAreShown() throws Exception {
        try (Dibs here = Dibs.builder(pool).listener(metrics).build();
                Dibs there = Dibs.on(pool)) {
            Lease rival = there.lock(kind, 5).acquire(MINUTE);
            CompletableFuture<Lease> waiter =
                    CompletableFuture.supplyAsync(() -> here.lock(kind, 5).acquire(MINUTE));
            await().until(() -> sample("dibs_acquire_active_seconds_count", "lock=" + kind) == 1);
            rival.close();
            waiter.get().close();
            assertThat(sample("dibs_acquire_active_seconds_count", "lock=" + kind))
                    .isZero();
        }
    }

    @Test
    void registeredNamesAreZeroFromTheStart() {
        assertThat(acquires("nightly", "acquired")).isZero();
        assertThat(Samples.of(registry.scrape()))
                .filteredOn(sample -> sample.labels().contains("lock=nightly"))
                .extracting(Samples.Sample::name)
                .contains("dibs_acquire_seconds_count", "dibs_acquire_active_seconds_count", "dibs_hold_seconds_count");
    }

    @Test
    void aNameThatCannotBeRegisteredIsRefused() {
        assertThatThrownBy(() -> new LockMetrics(registry, "other"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'other' stands for");
        assertThatThrownBy(() -> new LockMetrics(registry, "")).isInstanceOf(IllegalArgumentException.class);
    }
}
