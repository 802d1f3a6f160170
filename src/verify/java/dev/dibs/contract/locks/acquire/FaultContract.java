package dev.dibs.contract.locks.acquire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.contract.support.Fixture;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullRun;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Promises 5 and 10: an error is an error, and the outcome after a lost answer is found out. */
@Tag("fault")
class FaultContract extends Fixture {

    /** How often an acquire without an answer is looked up. */
    static final int LOOK_UPS = 5;

    @Test
    @FullRun(except = "postgresql")
    void anAcquireWhoseAnswerWasLostIsFoundAgain() throws Exception {
        String name = fresh("answer");
        FaultyDataSource faulty = new FaultyDataSource(pool());
        try (Dibs dibs = oftenRenewed(faulty).build();
                Dibs there = dibs()) {
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
    }

    /** Its row was not found after the lost answer, and the background has not released it yet. */
    @Test
    void anAcquireIsNotBusyBecauseOfAnEarlierTryOfItsOwn() throws Exception {
        String name = fresh("own");
        FaultyDataSource faulty = new FaultyDataSource(pool());
        CountDownLatch background = new CountDownLatch(1);
        try (Dibs dibs = dibs(faulty)) {
            used(name);
            faulty.on(sql -> Thread.currentThread().getName().startsWith("dibs-maintenance"))
                    .always()
                    .holdBefore(background);
            int lost = database().lastStepOfAcquire();
            faulty.on(ANY).here().time(lost).loseAnswer();
            for (int lookUp = 1; lookUp <= LOOK_UPS; lookUp++) {
                faulty.on(ANY).here().time(lost + lookUp).fail("08006", 0);
            }
            try {
                assertThat(dibs.lock(name).tryAcquire(SOON)).isPresent();
                assertThat(faulty.struck()).hasSizeGreaterThan(LOOK_UPS);
            } finally {
                background.countDown();
            }
        }
    }

    /** Its caller gets the error, and never the lease; the background releases it long before its time is over. */
    @Test
    void anErrorInTheThreadOfAnAcquireLeavesNoLock() throws Exception {
        String name = fresh("error");
        FaultyDataSource faulty = new FaultyDataSource(pool());
        try (Dibs dibs = dibs(faulty);
                Dibs there = dibs()) {
            used(name);
            faulty.on(ANY).here().time(database().lastStepOfAcquire()).actAfter(() -> {
                throw new OutOfMemoryError("planted");
            });
            assertThatThrownBy(() -> dibs.lock(name).tryAcquire()).isInstanceOf(OutOfMemoryError.class);
            assertThat(faulty.struck()).hasSize(1);
            there.lock(name).acquire(LONG.dividedBy(2)).close();
        }
    }

    @Test
    void aNodeOfAClusterThatIsCutOffFromTheOthersIsAnErrorThatSaysSo() {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        try (Dibs dibs = dibs(faulty)) {
            assumeTrue(database().hasQuorum(), "there is no such cluster");
            faulty.on(sql -> true).always().fail("08S01", 1047);
            assertThatThrownBy(() -> dibs.lock(fresh("quorum")).tryAcquire())
                    .isInstanceOf(DatabaseFailureException.class)
                    .hasMessageContaining("cut off from most of the others");
        }
    }

    @Test
    void anAcquireThatNeverArrivedIsAnErrorAndNotBusy() {
        String name = fresh("statement");
        FaultyDataSource faulty = new FaultyDataSource(pool());
        try (Dibs dibs = dibs(faulty)) {
            used(name);
            faulty.on(ANY).time(1).loseStatement();
            assertThatThrownBy(() -> dibs.lock(name).tryAcquire())
                    .isInstanceOf(DatabaseFailureException.class)
                    .hasMessageContaining("acquire_lock");
            // A statement that never arrived is released in the background, which may lock the row for a moment.
            assertThat(dibs.lock(name).tryAcquire(SOON)).isPresent();
        }
    }

    @Test
    void aWaitContinuesAfterAFailedConnection() {
        String name = fresh("patient");
        FaultyDataSource faulty = new FaultyDataSource(pool());
        try (Dibs dibs = dibs(faulty)) {
            faulty.on(ANY).time(1).fail("08006", 0);
            assertThat(dibs.lock(name).tryAcquire(SOON)).isPresent();
        }
    }

    @Test
    void aRolledBackAcquireIsSentAgain() {
        String name = fresh("transient");
        FaultyDataSource faulty = new FaultyDataSource(pool());
        try (Dibs dibs = dibs(faulty)) {
            faulty.on(ANY).time(1).fail("40001", 0);
            assertThat(dibs.lock(name, 1).tryAcquire()).isPresent();
            SQLException timeout = database().lockTimeout();
            faulty.on(ANY).time(1).fail(timeout.getSQLState(), timeout.getErrorCode());
            assertThat(dibs.lock(name, 2).tryAcquire()).isPresent();
            faulty.on(ANY).time(1).fail("23000", 0);
            assertThat(dibs.lock(name, 3).tryAcquire()).isPresent();
        }
    }

    @Test
    @FullRun(except = "postgresql")
    void aGrantThatIsAnsweredTooLateIsAskedForAgain() {
        String name = fresh("late");
        Duration lease = Duration.ofSeconds(3);
        Duration shortest = Duration.ofMillis(100);
        FaultyDataSource faulty = new FaultyDataSource(pool());
        try (Dibs dibs = dibs(faulty);
                Dibs there = dibs()) {
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
            assertThat(there.lock(name).tryAcquire(SOON)).isPresent();
        }
    }

    @Test
    @FullRun(except = {"postgresql", "h2"})
    void aDatabaseThatRollsBackForEverIsAnError() {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        try (Dibs dibs = dibs(faulty)) {
            faulty.on(ANY).always().fail("40001", 0);
            assertThatThrownBy(() -> dibs.lock(fresh("endless")).tryAcquire())
                    .isInstanceOf(DatabaseFailureException.class)
                    .hasMessageContaining("40001");
            faulty.heal();
        }
    }

    @Test
    void aPoolThatHasRunDryIsAnError() {
        String name = fresh("dry");
        FaultyDataSource faulty = new FaultyDataSource(pool());
        try (Dibs dibs = dibs(faulty)) {
            faulty.exhaust(Duration.ofMillis(50));
            assertThatThrownBy(() -> dibs.lock(name).tryAcquire())
                    .isInstanceOf(DatabaseFailureException.class)
                    .hasMessageContaining("pool");
            assertThatThrownBy(dibs.admin()::locks).isInstanceOf(DatabaseFailureException.class);
            faulty.heal();
            assertThat(dibs.lock(name).tryAcquire()).isPresent();
        }
    }

    @Test
    void aReleaseThatFailedIsDoneInTheBackground() {
        String name = fresh("release");
        FaultyDataSource faulty = new FaultyDataSource(pool());
        try (Dibs dibs = dibs(faulty);
                Dibs there = dibs()) {
            used(name);
            Lease lease = dibs.lock(name).tryAcquire().orElseThrow();
            faulty.on(ANY).time(1).fail("08006", 0);
            lease.close();
            there.lock(name).acquire(SOON).close();
        }
    }

    @Test
    @FullRun(except = {"postgresql", "h2"})
    void aSlowAnswerMakesTheLeaseShorter() {
        String name = fresh("slow");
        Duration slow = Duration.ofMillis(700);
        // So long that no renewal, which would hide the loss, is due yet.
        Duration length = Duration.ofMinutes(1);
        FaultyDataSource faulty = new FaultyDataSource(pool());
        try (Dibs dibs = dibs(faulty)) {
            used(name);
            faulty.on(ANY).time(database().lastStepOfAcquire()).delayAfter(slow);
            try (Lease lease = dibs.lock(name).leaseLength(length).tryAcquire().orElseThrow()) {
                assertThat(lease.remaining()).isLessThan(length.minus(slow));
            }
        }
    }
}
