package dev.dibs.contract.locks.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.LeaseLostException;
import dev.dibs.Leases;
import dev.dibs.claims.Claim;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.database.FullRun;
import dev.dibs.once.OnceOutcome;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A clock tolerance: an expired lease is free for others that much later than its holder relies on it, and a released one is free at once.
 * The times are moved in the tables, so that no test has to wait.
 */
@Tag("contract")
class ToleranceContract extends Fixture {

    static final Duration HOUR = Duration.ofHours(1);
    static final Duration TOLERANCE = Duration.ofMinutes(1);

    private Dibs tolerant() {
        return builder(pool()).leaseLength(HOUR).clockTolerance(TOLERANCE).build();
    }

    /** As if some time had passed. */
    private void age(String table, String name, Duration by) throws SQLException {
        assertThat(sql().change(
                                "UPDATE " + table + " SET held_until = held_until - ? WHERE name = ?",
                                by.toMillis(),
                                name))
                .isEqualTo(1);
    }

    /** How long a row is not free, counted from its acquisition. */
    private Duration held(String table, String name) throws SQLException {
        return sql().numbers("SELECT held_until - acquired_at FROM " + table + " WHERE name = ?", name).stream()
                .findFirst()
                .map(Duration::ofMillis)
                .orElse(Duration.ZERO);
    }

    /** A caller that does not know the tolerance. */
    interface Asking {
        Optional<? extends Lease> ask(Dibs there) throws Exception;
    }

    private void passesAfterTheTolerance(String table, String name, Asking asking) throws Exception {
        try (Dibs there = dibs()) {
            assertThat(asking.ask(there)).as("held").isEmpty();
            age(table, name, HOUR);
            assertThat(asking.ask(there)).as("the lease has passed").isEmpty();
            age(table, name, TOLERANCE);
            try (Lease next = asking.ask(there).orElseThrow()) {
                next.check();
            }
        }
    }

    @Test
    void withAToleranceALockIsTakenOverLater() throws Exception {
        String name = fresh("tolerant");
        try (Dibs here = tolerant()) {
            Lease lease = here.lock(name).tryAcquire().orElseThrow();
            assertThat(lease.remaining()).as("the holder's own deadline").isLessThan(HOUR);
            assertThat(held("dibs_lock", name)).isGreaterThanOrEqualTo(HOUR.plus(TOLERANCE));
            passesAfterTheTolerance("dibs_lock", name, there -> there.lock(name).tryAcquire());
        }
    }

    @Test
    void withAToleranceAReleaseIsSeenAtOnce() {
        String name = fresh("given-back");
        try (Dibs here = tolerant();
                Dibs there = tolerant()) {
            here.lock(name).tryAcquire().orElseThrow().close();
            try (Lease next = there.lock(name).tryAcquire().orElseThrow()) {
                assertThat(next.takeover()).isEmpty();
            }
            here.semaphore(name, 1).tryAcquire().orElseThrow().close();
            there.semaphore(name, 1).tryAcquire().orElseThrow().close();
            here.readWriteLock(name).write().tryAcquire().orElseThrow().close();
            there.readWriteLock(name).read().tryAcquire().orElseThrow().close();
            here.readWriteLock(name).write().tryAcquire().orElseThrow().close();
            try (Leases both =
                    here.lockAll(List.of(name, name + "-2")).tryAcquire().orElseThrow()) {
                both.check();
            }
            there.lock(name).tryAcquire().orElseThrow().close();
        }
    }

    @Test
    @FullRun(except = {"postgresql", "h2", "mariadb"})
    void withAToleranceARenewalKeepsIt() throws Exception {
        String name = fresh("renewed");
        try (Dibs here = oftenRenewed(pool()).clockTolerance(TOLERANCE).build();
                Lease lease = here.lock(name).tryAcquire().orElseThrow()) {
            Duration first = held("dibs_lock", name);
            assertThat(first).isGreaterThanOrEqualTo(LONG.plus(TOLERANCE));
            await().untilAsserted(() -> assertThat(held("dibs_lock", name)).isNotEqualTo(first));
            assertThat(held("dibs_lock", name)).isGreaterThan(first);
            lease.check();
        }
    }

    @Test
    void withAToleranceALockThatIsHeldBackIsSoForItsOwnTime() throws Exception {
        String name = fresh("held-back");
        try (Dibs here = tolerant();
                Dibs there = dibs()) {
            here.lock(name)
                    .holdAtLeast(HOUR.multipliedBy(2))
                    .tryAcquire()
                    .orElseThrow()
                    .close();
            assertThat(held("dibs_lock", name)).isEqualTo(HOUR.multipliedBy(2));
            age("dibs_lock", name, HOUR.multipliedBy(2));
            there.lock(name).tryAcquire().orElseThrow().close();
        }
    }

    @Test
    void withAToleranceAllLocksOfAListAreTakenOverLater() throws Exception {
        List<String> names = List.of(fresh("list-a"), fresh("list-b"));
        try (Dibs here = tolerant();
                Dibs there = dibs()) {
            Leases late = here.lockAll(names).tryAcquire().orElseThrow();
            for (String name : names) {
                passesAfterTheTolerance(
                        "dibs_lock", name, other -> other.lock(name).tryAcquire());
            }
            there.lockAll(names).tryAcquire().orElseThrow().close();
            late.close();
        }
    }

    @Test
    void withATolerancePlacesInALinePassLater() throws Exception {
        String name = fresh("place");
        try (Dibs here = tolerant();
                Dibs there = dibs()) {
            Lease lease = there.lock(name).tryAcquire().orElseThrow();
            CompletableFuture<Lease> waiter =
                    CompletableFuture.supplyAsync(() -> here.lock(name).fair().acquire(Duration.ofSeconds(60)));
            await().untilAsserted(() -> assertThat(held("dibs_ticket", name)).isPositive());
            assertThat(held("dibs_ticket", name)).isGreaterThan(TOLERANCE);
            lease.close();
            waiter.get().close();
        }
    }

    @Test
    void withATolerancePermitsAreTakenOverLater() throws Exception {
        String name = fresh("permit");
        try (Dibs here = tolerant()) {
            Lease late = here.semaphore(name, 1).tryAcquire().orElseThrow();
            passesAfterTheTolerance(
                    "dibs_permit", name, there -> there.semaphore(name, 1).tryAcquire());
            late.close();
        }
    }

    @Test
    void withAToleranceReadersFollowALateWriterLater() throws Exception {
        String name = fresh("writer");
        try (Dibs here = tolerant()) {
            Lease late = here.readWriteLock(name).write().tryAcquire().orElseThrow();
            passesAfterTheTolerance(
                    "dibs_gate", name, there -> there.readWriteLock(name).read().tryAcquire(Duration.ofMillis(100)));
            late.close();
        }
    }

    @Test
    void withAToleranceAWriterFollowsLateReadersLater() throws Exception {
        String name = fresh("reader");
        try (Dibs here = tolerant()) {
            Lease late = here.readWriteLock(name).read().tryAcquire().orElseThrow();
            passesAfterTheTolerance(
                    "dibs_reader",
                    name,
                    there -> there.readWriteLock(name).write().tryAcquire(Duration.ofMillis(100)));
            late.close();
        }
    }

    @Test
    void withAToleranceOnceTasksAreTakenOverLater() throws Exception {
        String name = fresh("once");
        try (Dibs here = tolerant()) {
            assertThatThrownBy(() -> here.once(name).every(HOUR).tryRun(lease -> {
                        age("dibs_once", name, HOUR);
                        assertThat(once(name)).isEqualTo(OnceOutcome.BUSY);
                        age("dibs_once", name, TOLERANCE);
                        assertThat(once(name)).isEqualTo(OnceOutcome.RAN);
                    }))
                    .isInstanceOf(LeaseLostException.class);
        }
    }

    /** Each time by another instance, which remembers nothing. */
    private OnceOutcome once(String name) {
        try (Dibs there = dibs()) {
            return there.once(name).every(HOUR).tryRun(lease -> {});
        }
    }

    @Test
    void withAToleranceClaimsAreTakenOverLater() throws Exception {
        try (Jobs jobs = new Jobs(pool(), 1);
                Dibs here = tolerant();
                Dibs there = dibs()) {
            claimsPassAfterTheTolerance(
                    jobs,
                    jobs.claims(here),
                    jobs.claims(there),
                    "UPDATE " + jobs.table() + " SET claimed_until = claimed_until - ");
        }
    }

    @Test
    void withAToleranceClaimsBesidesTheTableAreTakenOverLater() throws Exception {
        try (Jobs jobs = new Jobs(pool(), 1);
                Dibs here = tolerant();
                Dibs there = dibs()) {
            claimsPassAfterTheTolerance(
                    jobs,
                    here.claims(jobs.table()).key("id").sideTable(),
                    there.claims(jobs.table()).key("id").sideTable(),
                    "UPDATE dibs_claim SET held_until = held_until - ");
        }
    }

    @Test
    @FullRun(except = "postgresql")
    void withAToleranceRangesAreTakenOverLater() throws Exception {
        try (Jobs jobs = new Jobs(pool(), 1);
                Dibs here = tolerant();
                Dibs there = dibs()) {
            claimsPassAfterTheTolerance(
                    jobs, jobs.ranges(here), jobs.ranges(there), "UPDATE dibs_range SET held_until = held_until - ");
        }
    }

    /** The update moves the end of the claim by the number of milliseconds at the end of its text. */
    private void claimsPassAfterTheTolerance(Jobs jobs, ClaimsBuilder here, ClaimsBuilder there, String update)
            throws SQLException {
        RowClaims<RowKey> tolerant = here.build();
        RowClaims<RowKey> others = there.build();
        tolerant.claim(1).close();
        Claim<RowKey> again = others.claim(1);
        assertThat(again.keys()).as("released").hasSize(1);
        again.close();
        Claim<RowKey> late = tolerant.claim(1);
        String ours = update.contains("claimed_until")
                ? " WHERE request_token = '" + late.token() + "'"
                : " WHERE token = '" + late.token() + "'";
        jobs.run(update + HOUR.toMillis() + ours);
        assertThat(others.claim(1).isEmpty()).as("the claim has passed").isTrue();
        jobs.run(update + TOLERANCE.toMillis() + ours);
        Claim<RowKey> next = others.claim(1);
        assertThat(next.keys()).as("the tolerance too").hasSize(1);
        assertThat(late.complete().done()).isEmpty();
        next.close();
    }

    @Test
    void withATolerancePostponedRowsBecomeFreeInTime() throws Exception {
        try (Jobs jobs = new Jobs(pool(), 1);
                Dibs here = tolerant()) {
            RowClaims<RowKey> claims = jobs.claims(here).build();
            try (Claim<RowKey> claim = claims.claim(1)) {
                claim.postpone(claim.keys(), Duration.ofMillis(1));
            }
            await().atMost(TOLERANCE.dividedBy(2)).until(() -> !claims.claim(1).isEmpty());
        }
    }

    @Test
    void aToleranceIsZeroToOneMinute() {
        for (Duration wrong :
                List.of(Duration.ofNanos(-1), TOLERANCE.plusNanos(1), Duration.ofSeconds(Long.MAX_VALUE))) {
            assertThatThrownBy(() -> Dibs.builder(pool()).clockTolerance(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("clock tolerance")
                    .hasMessageContaining("1 min");
        }
    }
}
