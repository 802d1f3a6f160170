package dev.dibs.contract.locks.lease;

import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.LeaseLostException;
import dev.dibs.Leases;
import dev.dibs.ReadWriteLock;
import dev.dibs.claims.Claim;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.database.FullTest;
import dev.dibs.once.OnceOutcome;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/**
 * A clock tolerance: an expired lease is free for others that much later than its holder relies on it, and a released one is free at once.
 * The times are moved in the tables, so that no test has to wait.
 */
class ToleranceContract extends ContractFixture {

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

    private void passesAfterTheTolerance(Lease late, String table, Asking asking) throws Exception {
        assertThat(late.remaining()).as("the holder's own deadline").isLessThan(HOUR);
        assertThat(held(table, late.name())).as(table).isGreaterThanOrEqualTo(HOUR.plus(TOLERANCE));
        assertThat(asking.ask(there())).as("held in " + table).isEmpty();
        age(table, late.name(), HOUR);
        assertThat(asking.ask(there())).as("the lease in %s has expired", table).isEmpty();
        age(table, late.name(), TOLERANCE);
        try (Lease next = asking.ask(there()).orElseThrow()) {
            next.check();
        }
        late.close();
    }

    @Test
    void withAToleranceALeaseOfEachKindIsTakenOverLater() throws Exception {
        String name = fresh("tolerant");
        Dibs here = closing(tolerant());
        Duration moment = Duration.ofMillis(100);
        ReadWriteLock ours = here.readWriteLock(name);
        passesAfterTheTolerance(
                here.lock(name).tryAcquire().orElseThrow(),
                "dibs_lock",
                there -> there.lock(name).tryAcquire());
        passesAfterTheTolerance(
                here.semaphore(name, 1).tryAcquire().orElseThrow(),
                "dibs_permit",
                there -> there.semaphore(name, 1).tryAcquire());
        passesAfterTheTolerance(
                ours.write().tryAcquire().orElseThrow(),
                "dibs_gate",
                there -> there.readWriteLock(name).read().tryAcquire(moment));
        passesAfterTheTolerance(
                ours.read().tryAcquire().orElseThrow(),
                "dibs_reader",
                there -> there.readWriteLock(name).write().tryAcquire(moment));
    }

    @Test
    void withAToleranceAReleaseIsSeenAtOnce() {
        String name = fresh("given-back");
        Dibs here = closing(tolerant());
        Dibs there = closing(tolerant());
        here.lock(name).tryAcquire().orElseThrow().close();
        try (Lease next = there.lock(name).tryAcquire().orElseThrow()) {
            assertThat(next.takeover()).isEmpty();
        }
        here.semaphore(name, 1).tryAcquire().orElseThrow().close();
        there.semaphore(name, 1).tryAcquire().orElseThrow().close();
        here.readWriteLock(name).write().tryAcquire().orElseThrow().close();
        there.readWriteLock(name).read().tryAcquire().orElseThrow().close();
        here.readWriteLock(name).write().tryAcquire().orElseThrow().close();
        try (Leases both = here.lockAll(List.of(name, name + "-2")).tryAcquire().orElseThrow()) {
            both.check();
        }
        there.lock(name).tryAcquire().orElseThrow().close();
    }

    @FullTest(except = {"postgresql", "h2", "mariadb"})
    void withAToleranceARenewalKeepsIt() throws Exception {
        String name = fresh("renewed");
        Dibs here = closing(oftenRenewed(pool()).clockTolerance(TOLERANCE).build());
        Lease lease = here.lock(name).tryAcquire().orElseThrow();
        Duration first = held("dibs_lock", name);
        assertThat(first).isGreaterThanOrEqualTo(LONG.plus(TOLERANCE));
        await().untilAsserted(() -> assertThat(held("dibs_lock", name)).isNotEqualTo(first));
        assertThat(held("dibs_lock", name)).isGreaterThan(first);
        lease.check();
    }

    @Test
    void withAToleranceALockThatIsHeldBackIsSoForItsOwnTime() throws Exception {
        String name = fresh("held-back");
        Dibs here = closing(tolerant());
        here.lock(name)
                .holdAtLeast(HOUR.multipliedBy(2))
                .tryAcquire()
                .orElseThrow()
                .close();
        assertThat(held("dibs_lock", name)).isEqualTo(HOUR.multipliedBy(2));
        age("dibs_lock", name, HOUR.multipliedBy(2));
        there().lock(name).tryAcquire().orElseThrow().close();
    }

    @Test
    void withAToleranceAllLocksOfAListAreTakenOverLater() throws Exception {
        List<String> names = List.of(fresh("list-a"), fresh("list-b"));
        Dibs here = closing(tolerant());
        Leases late = here.lockAll(names).tryAcquire().orElseThrow();
        for (String name : names) {
            passesAfterTheTolerance(
                    late.get(name), "dibs_lock", other -> other.lock(name).tryAcquire());
        }
        there().lockAll(names).tryAcquire().orElseThrow().close();
    }

    @Test
    void withATolerancePlacesInALinePassLater() throws Exception {
        String name = fresh("place");
        Dibs here = closing(tolerant());
        Lease lease = there().lock(name).tryAcquire().orElseThrow();
        CompletableFuture<Lease> waiter =
                CompletableFuture.supplyAsync(() -> here.lock(name).fair().acquire(Duration.ofSeconds(60)));
        await().untilAsserted(() -> assertThat(held("dibs_ticket", name)).isPositive());
        assertThat(held("dibs_ticket", name)).isGreaterThan(TOLERANCE);
        lease.close();
        waiter.get().close();
    }

    @Test
    void withAToleranceOnceTasksAreTakenOverLater() throws Exception {
        String name = fresh("once");
        Dibs here = closing(tolerant());
        assertThatThrownBy(() -> here.once(name).every(HOUR).tryRun(lease -> {
                    age("dibs_once", name, HOUR);
                    assertThat(once(name)).isEqualTo(OnceOutcome.BUSY);
                    age("dibs_once", name, TOLERANCE);
                    assertThat(once(name)).isEqualTo(OnceOutcome.RAN);
                }))
                .isInstanceOf(LeaseLostException.class);
    }

    /** Each time by another instance, which remembers nothing. */
    private OnceOutcome once(String name) {
        try (Dibs there = dibs()) {
            return there.once(name).every(HOUR).tryRun(lease -> {});
        }
    }

    @Test
    void withAToleranceClaimsOfEachKindAreTakenOverLater() throws Exception {
        Jobs jobs = jobs(1);
        Map<String, Function<Dibs, ClaimsBuilder>> kinds = Map.of(
                "UPDATE " + jobs.table() + " SET claimed_until = claimed_until - ",
                jobs::claims,
                "UPDATE dibs_claim SET held_until = held_until - ",
                dibs -> dibs.claims(jobs.table()).key("id").sideTable(),
                "UPDATE dibs_range SET held_until = held_until - ",
                jobs::ranges);
        Dibs here = closing(tolerant());
        for (Map.Entry<String, Function<Dibs, ClaimsBuilder>> kind : kinds.entrySet()) {
            claimsPassAfterTheTolerance(
                    jobs, kind.getValue().apply(here), kind.getValue().apply(there()), kind.getKey());
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
        assertThat(others.claim(1).isEmpty())
                .as("the claim has expired: %s", update)
                .isTrue();
        jobs.run(update + TOLERANCE.toMillis() + ours);
        Claim<RowKey> next = others.claim(1);
        assertThat(next.keys()).as("the tolerance too").hasSize(1);
        assertThat(late.complete().done()).isEmpty();
        next.close();
    }

    @Test
    void withATolerancePostponedRowsBecomeFreeInTime() throws Exception {
        Jobs jobs = jobs(1);
        Dibs here = closing(tolerant());
        RowClaims<RowKey> claims = jobs.claims(here).build();
        try (Claim<RowKey> claim = claims.claim(1)) {
            claim.postpone(claim.keys(), Duration.ofMillis(1));
        }
        await().atMost(TOLERANCE.dividedBy(2)).until(() -> !claims.claim(1).isEmpty());
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
