package dev.dibs.contract.locks.lease;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.LeaseInfo;
import dev.dibs.NamedLock;
import dev.dibs.NotAcquiredException;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullTest;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A lock that is held back stays busy until then, whatever its holder does. A fence is the database's clock. */
class HoldContract extends ContractFixture {

    static final Duration HOLD = Duration.ofMillis(1500);

    /** By the database's clock, from one acquisition to the next. */
    static void assertHeldBack(Lease first, Lease second, Duration hold) {
        assertThat(second.fencingToken() - first.fencingToken()).isGreaterThanOrEqualTo(hold.toMillis() * 1000);
    }

    @FullTest(except = "postgresql")
    void anEarlyReleaseKeepsTheLockBusyWithoutHolder() {
        String name = fresh("early");
        String busy = fresh("busy");
        Duration longer = Duration.ofMinutes(1);
        here().lock(busy).holdAtLeast(longer).tryAcquire().orElseThrow().close();
        assertThat(there().lock(busy).tryAcquire()).isEmpty();
        assertThat(here().lock(busy).holdAtLeast(longer).tryAcquire()).isEmpty();
        assertThatThrownBy(() -> there().lock(busy).acquire(Duration.ZERO))
                .isInstanceOfSatisfying(
                        NotAcquiredException.class,
                        refused -> assertThat(refused.holder()).isEmpty())
                .hasMessageContaining("kept busy by holdAtLeast");
        assertThat(there().admin().locks()).noneMatch(lock -> lock.name().equals(busy));
        Lease first = here().lock(name).holdAtLeast(HOLD).tryAcquire().orElseThrow();
        first.close();
        try (Lease second = there().lock(name).acquire(SOON)) {
            assertHeldBack(first, second, HOLD);
            assertThat(second.takeover()).isEmpty();
        }
        assertThat(here().lock(name).tryAcquire())
                .as("one who does not hold it back")
                .isPresent();
    }

    @Test
    void aLateReleaseFreesTheLockAtOnce() throws Exception {
        String name = fresh("late");
        Lease first = here().lock(name)
                .holdAtLeast(Duration.ofMillis(200))
                .tryAcquire()
                .orElseThrow();
        Thread.sleep(300);
        first.close();
        assertThat(there().lock(name).tryAcquire()).isPresent();
    }

    @FullTest(except = "postgresql")
    void aRenewalNeverMakesItShorter() {
        String name = fresh("renewed");
        Duration hold = LONG.multipliedBy(2);
        Dibs dibs = closing(oftenRenewed(pool()).build());
        NamedLock lock = dibs.lock(name).holdAtLeast(hold);
        try (Lease lease = lock.tryAcquire().orElseThrow()) {
            assertThat(LossContract.isRenewed(lease)).isTrue();
            LeaseInfo info = holder(dibs, name).orElseThrow();
            // Some databases read the clock once for each column.
            assertThat(Duration.between(info.since(), info.until())).isCloseTo(hold, Duration.ofSeconds(1));
        }
        dibs.admin().breakLock(name);
    }

    @FullTest(except = "postgresql")
    void aShortHoldDoesNotShortenTheLease() {
        String name = fresh("outlived");
        Dibs here = closing(oftenRenewed(pool()).build());
        Dibs there = dibs();
        NamedLock lock = here.lock(name).holdAtLeast(Duration.ofMillis(300));
        try (Lease lease = lock.tryAcquire().orElseThrow()) {
            awaitRenewal(there, name);
            lease.check();
            assertThat(there.lock(name).tryAcquire()).isEmpty();
        }
        // A release that meets a renewal is done in the background.
        Lease next = there.lock(name).acquire(SOON);
        assertThat(next.takeover()).as("released, not expired").isEmpty();
    }

    @FullTest(except = "postgresql")
    void aLostHolderHoldsTheLockBack() {
        String name = fresh("cut");
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Dibs dibs = dibs(faulty);
        used(name);
        faulty.on(sql -> Thread.currentThread().getName().matches("dibs-(heartbeat|maintenance)"))
                .always()
                .fail("08006", 0);
        Lease first = dibs.lock(name)
                .leaseLength(Duration.ofSeconds(1))
                .holdAtLeast(HOLD)
                .acquire(SOON);
        faulty.on(sql -> true).always().fail("08006", 0);
        try (Lease second = there().lock(name).acquire(SOON)) {
            assertHeldBack(first, second, HOLD);
            assertThat(second.takeover()).isPresent();
            assertThat(first.isValid()).isFalse();
        }
        faulty.heal();
    }

    @FullTest(except = "postgresql")
    void aReleaseInTheBackgroundHoldsTheLockBack() {
        String name = fresh("background");
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Dibs dibs = dibs(faulty);
        used(name);
        Lease first = dibs.lock(name).holdAtLeast(HOLD).tryAcquire().orElseThrow();
        faulty.on(ANY).time(1).fail("08006", 0);
        first.close();
        Lease second = there().lock(name).acquire(SOON);
        assertHeldBack(first, second, HOLD);
        assertThat(second.takeover()).as("released, not expired").isEmpty();
    }

    @FullTest(except = "postgresql")
    void theEndOfADibsHoldsTheLockBack() {
        String name = fresh("end");
        Lease first;
        try (Dibs dibs = dibs()) {
            first = dibs.lock(name).holdAtLeast(HOLD).tryAcquire().orElseThrow();
        }
        Lease second = there().lock(name).acquire(SOON);
        assertHeldBack(first, second, HOLD);
    }

    /** Nobody had it, so nothing was done. */
    @FullTest(except = "postgresql")
    void anAbandonedAcquireHoldsNothingBack() {
        String name = fresh("nothing");
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Dibs dibs = dibs(faulty);
        used(name);
        NamedLock lock = dibs.lock(name).leaseLength(Duration.ofMillis(100)).holdAtLeast(Duration.ofHours(1));
        faulty.on(ANY).always().delayAfter(Duration.ofMillis(150));
        assertThatThrownBy(lock::tryAcquire).isInstanceOf(DatabaseFailureException.class);
        faulty.heal();
        assertThat(there().lock(name).tryAcquire(SOON)).isPresent();
    }

    /** Nobody knows that it is held, so nobody would release it, and it would be busy for an hour. */
    @FullTest(except = "postgresql")
    void unansweredAcquireHoldsNothingBackAfterALongOutage() throws Exception {
        String name = fresh("unanswered");
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Dibs dibs = dibs(faulty);
        used(name);
        NamedLock lock = dibs.lock(name).leaseLength(LEASE).holdAtLeast(Duration.ofHours(1));
        // From the second execution on: this fault is asked before the one that strikes first.
        faulty.on(sql -> !faulty.struck().isEmpty()).always().fail("08006", 0);
        faulty.on(ANY).time(database().lastStepOfAcquire()).loseAnswer();
        assertThatThrownBy(lock::tryAcquire).isInstanceOf(DatabaseFailureException.class);
        Thread.sleep(LEASE.plusMillis(200).toMillis());
        assertThat(there().lock(name).tryAcquire()).isEmpty();
        faulty.heal();
        assertThat(there().lock(name).tryAcquire(SOON)).isPresent();
    }

    @Test
    void holdAtLeastIsADayAtMost() {
        NamedLock lock = here().lock(fresh("bounds"));
        for (Duration wrong :
                new Duration[] {Duration.ofMillis(-1), Duration.ofDays(1).plusMillis(1)}) {
            assertThatThrownBy(() -> lock.holdAtLeast(wrong)).isInstanceOf(IllegalArgumentException.class);
        }
        lock.holdAtLeast(HOLD)
                .holdAtLeast(Duration.ZERO)
                .tryAcquire()
                .orElseThrow()
                .close();
        assertThat(lock.tryAcquire()).isPresent();
    }
}
