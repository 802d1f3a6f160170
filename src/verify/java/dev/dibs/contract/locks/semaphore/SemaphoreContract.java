package dev.dibs.contract.locks.semaphore;

import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.NamedSemaphore;
import dev.dibs.NotAcquiredException;
import dev.dibs.Permit;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.database.Core;
import dev.dibs.database.CountingDataSource;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** At most N at a time, each with a slot and a fence of its own; N may change meanwhile. */
@Core
class SemaphoreContract extends ContractFixture {

    private static List<Permit> take(NamedSemaphore semaphore, int count) {
        List<Permit> taken = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            taken.add(semaphore.tryAcquire().orElseThrow());
        }
        return taken;
    }

    private static Stream<Integer> slots(List<Permit> leases) {
        return leases.stream().map(Permit::slot);
    }

    @Test
    void acquiresUpToThePermits() {
        String name = fresh("three");
        List<Permit> held = take(here().semaphore(name, 3), 2);
        held.addAll(take(there().semaphore(name, 3), 1));
        assertThat(slots(held)).containsExactly(0, 1, 2);
        assertThat(here().semaphore(name, 3).tryAcquire()).isEmpty();
        assertThatThrownBy(() -> there().semaphore(name, 3).acquire(Duration.ofMillis(50)))
                .isInstanceOfSatisfying(
                        NotAcquiredException.class,
                        busy -> assertThat(busy.holder()).isPresent());
        held.get(1).close();
        Permit again = there().semaphore(name, 3).tryAcquire().orElseThrow();
        assertThat(again.slot()).isEqualTo(1);
        assertThat(again.fencingToken()).isGreaterThan(held.get(1).fencingToken());
        assertThat(again.takeover()).isEmpty();
        assertThat(here().semaphore(name, 3).tryRun(lease -> {})).isFalse();
    }

    @Test
    void aSemaphoreIsIndependentOfLocksAndOtherSemaphores() {
        String name = fresh("same");
        Lease lock = here().lock(name).tryAcquire().orElseThrow();
        Permit permit = here().semaphore(name, 1).tryAcquire().orElseThrow();
        Permit blank = here().semaphore(name + " ", 1).tryAcquire().orElseThrow();
        Permit large = here().semaphore(name.toUpperCase(java.util.Locale.ROOT), 1)
                .tryAcquire()
                .orElseThrow();
        assertThat(Stream.of(lock, permit, blank, large).allMatch(Lease::isValid))
                .isTrue();
        assertThat(here().semaphore(name, 1).tryAcquire()).isEmpty();
        assertThat(here().admin().locks())
                .filteredOn(info -> info.name().equals(name))
                .hasSize(1);
    }

    @Test
    void invalidNumbersOfPermitsAreErrors() {
        Dibs dibs = dibs();
        for (int wrong : new int[] {0, -1, 10_001}) {
            assertThatThrownBy(() -> dibs.semaphore("x", wrong)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    /** To count the held slots would find room for two here, and then there would be four. */
    @Test
    void withFewerPermitsNobodyGetsOneBeforeThoseAboveAreBack() throws Exception {
        String name = fresh("shrunk");
        Dibs there = dibs();
        List<Permit> held = take(here().semaphore(name, 5), 5);
        held.subList(0, 3).forEach(Lease::close);
        CompletableFuture<Boolean> other = CompletableFuture.supplyAsync(
                () -> there.semaphore(name, 3).tryAcquire().isPresent());
        assertThat(here().semaphore(name, 3).tryAcquire()).isEmpty();
        assertThat(other.get()).isFalse();
        held.get(4).close();
        assertThat(there.semaphore(name, 3).tryAcquire()).isEmpty();
        held.get(3).close();
        List<Permit> fewer = take(there.semaphore(name, 3), 3);
        assertThat(slots(fewer)).containsExactly(0, 1, 2);
        assertThat(here().semaphore(name, 3).tryAcquire()).isEmpty();
        List<Permit> more = take(here().semaphore(name, 5), 2);
        assertThat(slots(more)).containsExactly(3, 4);
        assertThat(here().semaphore(name, 5).tryAcquire()).isEmpty();
    }

    @FullTest(except = "postgresql")
    void aFreePermitIsNeverReportedBusy() throws Exception {
        String name = fresh("crowd");
        int count = 12;
        Dibs here = dibs();
        Dibs there = dibs();
        // The slots are there before: on a slow machine, callers who add them may collide for as long as they try.
        take(here.semaphore(name, count), count).forEach(Lease::close);
        for (int round = 0; round < 8; round++) {
            List<Permit> held = Collections.synchronizedList(new ArrayList<>());
            inThreads(count, number -> {
                Dibs dibs = number % 2 == 0 ? here : there;
                dibs.semaphore(name, count).tryAcquire().ifPresent(held::add);
            });
            assertThat(slots(held)).as("round " + round).hasSize(count).doesNotHaveDuplicates();
            assertThat(there.semaphore(name, count).tryAcquire()).isEmpty();
            held.forEach(Lease::close);
        }
    }

    @FullTest(except = "postgresql")
    void permitsAreRenewed() throws Exception {
        String name = fresh("renewed");
        Dibs here = closing(oftenRenewed(pool()).build());
        List<Permit> held = take(here.semaphore(name, 2), 2);
        awaitRenewal(held);
        held.forEach(Lease::check);
        assertThat(there().semaphore(name, 2).tryAcquire()).isEmpty();
    }

    @FullTest(except = {"postgresql", "h2", "mariadb", "sqlite"})
    void anExpiredPermitIsTakenOver() throws Exception {
        String name = fresh("expired");
        Dibs here = closing(oftenRenewed(pool()).build());
        List<Permit> held = take(here.semaphore(name, 3), 3);
        letItPass(held.get(1));
        // A renewal of the other two may have the rows locked at this instant, and locked rows are skipped.
        Permit successor = there().semaphore(name, 3).acquire(SOON);
        assertThat(successor.slot()).isEqualTo(1);
        assertThat(successor.takeover().orElseThrow().from().fencingToken())
                .isEqualTo(held.get(1).fencingToken());
        await().until(() -> !held.get(1).isValid());
        assertThat(held.get(0).isValid() && held.get(2).isValid()).isTrue();
        held.get(1).close();
        successor.check();
        assertThat(there().semaphore(name, 3).tryAcquire()).isEmpty();
    }

    private void awaitRenewal(List<Permit> held) throws SQLException {
        Map<Lease, Long> before = new HashMap<>();
        for (Permit lease : held) {
            before.put(lease, heldUntil(lease));
        }
        for (Permit lease : held) {
            await().until(() -> heldUntil(lease) > before.get(lease));
        }
    }

    private long heldUntil(Permit lease) throws SQLException {
        return sql().number(
                        "SELECT held_until FROM dibs_permit WHERE name = ? AND slot = ?", lease.name(), lease.slot());
    }

    /** Lets the lease expire without its holder's knowledge. */
    private void letItPass(Permit lease) throws SQLException {
        assertThat(sql().change(
                                "UPDATE dibs_permit SET held_until = held_until - 3600000 WHERE name = ? AND slot = ?",
                                lease.name(),
                                lease.slot()))
                .isEqualTo(1);
    }

    /** A locked row cannot be acquired, and does not keep others from the next one. */
    @FullTest(except = "postgresql")
    void aLockedSlotIsSkipped() throws Exception {
        assumeRowLocks();
        String name = fresh("guarded");
        Permit guarded = here().semaphore(name, 2)
                .leaseLength(Duration.ofSeconds(3))
                .tryAcquire()
                .orElseThrow();
        Connection business = transaction();
        guarded.guard(business);
        // On databases other than PostgreSQL it cannot be renewed meanwhile.
        Thread.sleep(3300);
        try (Permit next = there().semaphore(name, 2).tryAcquire().orElseThrow()) {
            assertThat(next.slot()).isEqualTo(1);
            assertThat(there().semaphore(name, 2).tryAcquire()).isEmpty();
        }
        business.rollback();
    }

    @FullTest(except = "postgresql")
    void aPermitWhoseAnswerWasLostIsFoundAgain() throws Exception {
        String name = fresh("answer");
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Dibs dibs = closing(oftenRenewed(faulty).build());
        take(there().semaphore(name, 3), 3).forEach(Lease::close);
        List<Permit> held = take(there().semaphore(name, 3), 1);
        faulty.on(ANY).time(database().lastStepOfPermit()).loseAnswer();
        try (Permit lease = dibs.semaphore(name, 3).tryAcquire().orElseThrow()) {
            assertThat(faulty.struck()).hasSize(1);
            assertThat(lease.slot()).isEqualTo(1);
            held.addAll(take(there().semaphore(name, 3), 1));
            assertThat(there().semaphore(name, 3).tryAcquire()).isEmpty();
            awaitRenewal(List.of(lease));
            lease.check();
        }
        // A release that meets a renewal is done in the background.
        assertThat(there().semaphore(name, 3).acquire(SOON).slot()).isEqualTo(1);
    }

    @Test
    void aReleasedPermitEndsAWait() throws Exception {
        String name = fresh("wake");
        List<Permit> held = take(here().semaphore(name, 2), 2);
        CompletableFuture<Permit> waiter =
                CompletableFuture.supplyAsync(() -> here().semaphore(name, 2).acquire(SOON));
        Thread.sleep(300);
        assertThat(waiter).isNotDone();
        held.get(0).close();
        assertThat(waiter.get().slot()).isZero();
    }

    @Test
    void statementsOfASemaphore() {
        String name = fresh("cost");
        CountingDataSource counting = new CountingDataSource(pool());
        Dibs dibs = dibs(counting);
        take(there().semaphore(name, 2), 1).forEach(Lease::close);
        counting.reset();
        Permit free = dibs.semaphore(name, 2).tryAcquire().orElseThrow();
        assertThat(counting.statements()).as("free").hasSize(database().priceOfPermit()[0]);
        counting.reset();
        free.close();
        assertThat(counting.statements()).as("release").hasSize(1);
        List<Permit> held = take(there().semaphore(name, 1), 1);
        counting.reset();
        Permit made = dibs.semaphore(name, 2).tryAcquire().orElseThrow();
        assertThat(counting.statements().stream().filter(ANY))
                .hasSize(database().priceOfPermit()[1]);
        counting.reset();
        assertThat(dibs.semaphore(name, 2).tryAcquire()).isEmpty();
        assertThat(counting.statements().stream().filter(ANY))
                .hasSize(database().priceOfPermit()[2]);
        assertThat(held.get(0).isValid() && made.isValid()).isTrue();
    }

    @Test
    void slotsThatWereNotUsedForLongArePurged() throws Exception {
        String name = fresh("idle");
        Set<Long> left = new HashSet<>();
        try (Dibs dibs = builder(pool()).purgeAfter(Duration.ofHours(1)).build()) {
            List<Permit> held = take(dibs.semaphore(name, 4), 4);
            held.subList(1, 4).forEach(Lease::close);
            assertThat(sql().change(
                                    "UPDATE dibs_permit SET acquired_at = acquired_at - 7200000 WHERE name = ? AND"
                                            + " slot > 1",
                                    name))
                    .isEqualTo(2);
        }
        // The next instance that uses a name for the first time.
        Dibs dibs = closing(builder(pool()).purgeAfter(Duration.ofHours(1)).build());
        take(dibs.semaphore(fresh("new"), 1), 1);
        await().until(() -> {
            left.clear();
            left.addAll(sql().numbers("SELECT slot FROM dibs_permit WHERE name = ?", name));
            return left.equals(Set.of(0L, 1L));
        });
        assertThat(slots(take(dibs.semaphore(name, 4), 4))).containsExactly(0, 1, 2, 3);
    }
}
