package dev.dibs.contract.locks.acquire;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.dibs.Acquirable;
import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.contract.support.Fixture;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullTest;
import dev.dibs.database.Trait;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Promises 5 and 10: an error is an error, and the outcome after a lost answer is found out. If an acquire of several statements fails
 * after some of them are committed, its caller is not kept out by its own row, and nothing stays held.
 */
@Tag("fault")
class FaultContract extends Fixture {
    /** How often an acquire without an answer is looked up. */
    static final int LOOK_UPS = 5;

    private FaultyDataSource faulty;

    @FullTest(except = "postgresql")
    void anAcquireWhoseAnswerWasLostIsFoundAgain() throws Exception {
        String name = fresh("answer");
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Dibs dibs = closing(oftenRenewed(faulty).build());
        Dibs there = dibs();
        used(name);
        faulty.on(ANY).time(database().lastStepOfAcquire()).loseAnswer();
        try (Lease lease = dibs.lock(name).tryAcquire().orElseThrow()) {
            assertThat(faulty.struck()).hasSize(1);
            assertThat(there.lock(name).tryAcquire()).isEmpty();
            awaitRenewal(there, name);
            lease.check();
        }
        // A renewal that is running keeps it from being released at once.
        assertThat(there.lock(name).acquire(SOON).takeover()).isEmpty();
    }

    /** Its row was not found after the lost answer, and the background has not released it yet. */
    @Test
    void anAcquireIsNotBusyBecauseOfAnEarlierTryOfItsOwn() throws Exception {
        String name = fresh("own");
        FaultyDataSource faulty = new FaultyDataSource(pool());
        CountDownLatch background = new CountDownLatch(1);
        Dibs dibs = dibs(faulty);
        used(name);
        faulty.on(sql -> Thread.currentThread().getName().startsWith("dibs-maintenance"))
                .always()
                .holdBefore(background);
        int lost = database().lastStepOfAcquire();
        faulty.on(ANY).here().time(lost).loseAnswer();
        for (int lookUp = 1; lookUp <= LOOK_UPS; lookUp++) {
            faulty.on(ANY).here().time(lost + lookUp).fail("08006", 0);
        }
        closing(() -> background.countDown());
        assertThat(dibs.lock(name).tryAcquire(SOON)).isPresent();
        assertThat(faulty.struck()).hasSizeGreaterThan(LOOK_UPS);
    }

    /** Its caller gets the error, and never the lease; the background releases it long before its time is over. */
    @Test
    void anErrorInTheThreadOfAnAcquireLeavesNoLock() throws Exception {
        String name = fresh("error");
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Dibs dibs = dibs(faulty);
        used(name);
        faulty.on(ANY).here().time(database().lastStepOfAcquire()).actAfter(() -> {
            throw new OutOfMemoryError("planted");
        });
        assertThatThrownBy(() -> dibs.lock(name).tryAcquire()).isInstanceOf(OutOfMemoryError.class);
        assertThat(faulty.struck()).hasSize(1);
        there().lock(name).acquire(LONG.dividedBy(2)).close();
    }

    @Test
    void aNodeOfAClusterThatIsCutOffFromTheOthersIsAnErrorThatSaysSo() {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Dibs dibs = dibs(faulty);
        assumeTrue(database().has(Trait.HAS_QUORUM), "there is no such cluster");
        faulty.on(sql -> true).always().fail("08S01", 1047);
        assertThatThrownBy(() -> dibs.lock(fresh("quorum")).tryAcquire())
                .isInstanceOf(DatabaseFailureException.class)
                .hasMessageContaining("cut off from most of the others");
    }

    @Test
    void anAcquireThatNeverArrivedIsAnErrorAndNotBusy() {
        String name = fresh("statement");
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Dibs dibs = dibs(faulty);
        used(name);
        faulty.on(ANY).time(1).loseStatement();
        assertThatThrownBy(() -> dibs.lock(name).tryAcquire())
                .isInstanceOf(DatabaseFailureException.class)
                .hasMessageContaining("acquire_lock");
        // A statement that never arrived is released in the background, which may lock the row for a moment.
        assertThat(dibs.lock(name).tryAcquire(SOON)).isPresent();
    }

    @Test
    void aWaitContinuesAfterAFailedConnection() {
        String name = fresh("patient");
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Dibs dibs = dibs(faulty);
        faulty.on(ANY).time(1).fail("08006", 0);
        assertThat(dibs.lock(name).tryAcquire(SOON)).isPresent();
    }

    @Test
    void aRolledBackAcquireIsSentAgain() {
        String name = fresh("transient");
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Dibs dibs = dibs(faulty);
        faulty.on(ANY).time(1).fail("40001", 0);
        assertThat(dibs.lock(name, 1).tryAcquire()).isPresent();
        SQLException timeout = database().lockTimeout();
        faulty.on(ANY).time(1).fail(timeout.getSQLState(), timeout.getErrorCode());
        assertThat(dibs.lock(name, 2).tryAcquire()).isPresent();
        faulty.on(ANY).time(1).fail("23505", 0);
        assertThat(dibs.lock(name, 3).tryAcquire()).isPresent();
    }

    @FullTest(except = "postgresql")
    void aGrantThatIsAnsweredTooLateIsAskedForAgain() {
        String name = fresh("late");
        Duration lease = Duration.ofSeconds(3);
        Duration shortest = Duration.ofMillis(100);
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Dibs dibs = dibs(faulty);
        used(name);
        faulty.on(ANY).time(database().lastStepOfAcquire()).delayAfter(lease.plusMillis(50));
        Lease late = dibs.lock(name).leaseLength(lease).tryAcquire().orElseThrow();
        assertThat(faulty.struck()).hasSize(1);
        late.check();
        assertThat(late.takeover()).isEmpty();
        late.close();
        faulty.on(ANY).always().delayAfter(shortest.plusMillis(50));
        // If the answer itself takes longer than the lease, the connection is given up.
        assertThatThrownBy(() -> dibs.lock(name).leaseLength(shortest).tryAcquire())
                .isInstanceOf(DatabaseFailureException.class)
                .message()
                .containsAnyOf("answered too late", "It is unknown whether it took effect");
        faulty.heal();
        assertThat(there().lock(name).tryAcquire(SOON)).isPresent();
    }

    @FullTest(except = {"postgresql", "h2"})
    void aDatabaseThatRollsBackForEverIsAnError() {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Dibs dibs = dibs(faulty);
        faulty.on(ANY).always().fail("40001", 0);
        assertThatThrownBy(() -> dibs.lock(fresh("endless")).tryAcquire())
                .isInstanceOf(DatabaseFailureException.class)
                .hasMessageContaining("40001");
        faulty.heal();
    }

    @Test
    void aPoolThatHasRunDryIsAnError() {
        String name = fresh("dry");
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Dibs dibs = dibs(faulty);
        faulty.exhaust(Duration.ofMillis(50));
        assertThatThrownBy(() -> dibs.lock(name).tryAcquire())
                .isInstanceOf(DatabaseFailureException.class)
                .hasMessageContaining("pool");
        assertThatThrownBy(dibs.admin()::locks).isInstanceOf(DatabaseFailureException.class);
        faulty.heal();
        assertThat(dibs.lock(name).tryAcquire()).isPresent();
    }

    @Test
    void aReleaseThatFailedIsDoneInTheBackground() {
        String name = fresh("release");
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Dibs dibs = dibs(faulty);
        used(name);
        Lease lease = dibs.lock(name).tryAcquire().orElseThrow();
        faulty.on(ANY).time(1).fail("08006", 0);
        lease.close();
        there().lock(name).acquire(SOON).close();
    }

    @FullTest(except = {"postgresql", "h2"})
    void aSlowAnswerMakesTheLeaseShorter() {
        String name = fresh("slow");
        Duration slow = Duration.ofMillis(700);
        // So long that no renewal, which would hide the loss, is due yet.
        Duration length = Duration.ofMinutes(1);
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Dibs dibs = dibs(faulty);
        used(name);
        faulty.on(ANY).time(database().lastStepOfAcquire()).delayAfter(slow);
        Lease lease = dibs.lock(name).leaseLength(length).tryAcquire().orElseThrow();
        assertThat(lease.remaining()).isLessThan(length.minus(slow));
    }

    /** A kind of lease, and one that excludes it. */
    @SuppressWarnings("ImmutableEnumChecker")
    enum Kind {
        LOCK((dibs, name) -> dibs.lock(name)),
        HELD_LOCK((dibs, name) -> dibs.lock(name).holdAtLeast(Duration.ofMillis(1))),
        FAIR_LOCK((dibs, name) -> dibs.lock(name).fair()),
        PERMIT((dibs, name) -> dibs.semaphore(name, 1)),
        READER((dibs, name) -> dibs.readWriteLock(name).read()),
        WRITER((dibs, name) -> dibs.readWriteLock(name).write());

        private final BiFunction<Dibs, String, Acquirable<? extends Lease>> of;

        Kind(BiFunction<Dibs, String, Acquirable<? extends Lease>> of) {
            this.of = of;
        }

        Acquirable<? extends Lease> of(Dibs dibs, String name) {
            return of.apply(dibs, name);
        }

        /** A rival of a held lock holds nothing back: the lock is free as soon as it is released. */
        Acquirable<? extends Lease> rival(Dibs dibs, String name) {
            return switch (this) {
                case READER -> WRITER.of(dibs, name);
                case HELD_LOCK -> LOCK.of(dibs, name);
                default -> of(dibs, name);
            };
        }
    }

    /** What happens when one statement of an acquire fails. The caller heals the faults before it releases anything. */
    interface Scene {
        void play(Kind kind, String name, FaultyDataSource.Fault fault, Dibs dibs) throws Exception;
    }

    /** Plays the scene for each statement of each acquire, of a new name and of a used one. Then another process acquires the name. */
    private void eachStep(Scene scene) throws Exception {
        faulty = new FaultyDataSource(pool());
        try (Dibs dibs = dibs(faulty);
                Dibs there = dibs()) {
            for (Kind kind : Kind.values()) {
                for (boolean used : new boolean[] {false, true}) {
                    boolean isThrough = false;
                    for (int step = 1; !isThrough; step++) {
                        String name = fresh(kind + (used ? "-used-" : "-new-") + step);
                        if (used) {
                            kind.rival(there, name).tryAcquire().orElseThrow().close();
                        }
                        AtomicInteger sent = new AtomicInteger();
                        scene.play(
                                kind,
                                name,
                                faulty.on(sql -> sent.incrementAndGet() > 0)
                                        .here()
                                        .time(step),
                                dibs);
                        isThrough = sent.get() < step;
                        kind.rival(there, name).acquire(LONG.dividedBy(2)).close();
                    }
                }
            }
        }
    }

    @FullTest(except = "mysql")
    void aCallerIsNotKeptOutByItsOwnPart() throws Exception {
        eachStep((kind, name, fault, dibs) -> {
            // So that only the caller can release it.
            CountDownLatch background = new CountDownLatch(1);
            faulty.on(sql -> Thread.currentThread().getName().startsWith("dibs-maintenance"))
                    .always()
                    .holdBefore(background);
            fault.fail("40001", 0);
            try {
                Optional<? extends Lease> lease = kind.of(dibs, name).tryAcquire();
                faulty.heal();
                assertThat(lease).as(name).isPresent();
                lease.get().close();
            } finally {
                background.countDown();
            }
        });
    }

    @FullTest(except = "mysql")
    void aPartOfARefusedAcquireIsReleased() throws Exception {
        eachStep((kind, name, fault, dibs) -> {
            fault.fail("42501", 0);
            acquireAndRelease(kind, name, dibs);
        });
    }

    @FullTest
    void aPartOfAnUnansweredAcquireIsReleased() throws Exception {
        eachStep((kind, name, fault, dibs) -> {
            fault.loseAnswer();
            acquireAndRelease(kind, name, dibs);
        });
    }

    @FullTest
    void aPartOfAnAcquireThatNeverArrivedIsReleased() throws Exception {
        eachStep((kind, name, fault, dibs) -> {
            fault.loseStatement();
            acquireAndRelease(kind, name, dibs);
        });
    }

    private void acquireAndRelease(Kind kind, String name, Dibs dibs) {
        Optional<? extends Lease> lease = Optional.empty();
        try {
            lease = kind.of(dibs, name).tryAcquire();
        } catch (DatabaseFailureException e) {
            // An error is an error.
        }
        faulty.heal();
        if (lease.isPresent()) {
            assertThat(kind.rival(there(), name).tryAcquire()).as(name).isEmpty();
            lease.get().check();
            lease.get().close();
        }
    }
}
