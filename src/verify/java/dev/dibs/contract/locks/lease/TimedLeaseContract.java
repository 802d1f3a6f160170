package dev.dibs.contract.locks.lease;

import static org.awaitility.Awaitility.await;

import dev.dibs.Acquirable;
import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.LeaseLostException;
import dev.dibs.NamedLock;
import dev.dibs.TimedLease;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullTest;
import dev.dibs.database.Trait;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A timed lease ends by time, also while its process lives, unless its holder extends it. A fence is the database's clock. */
class TimedLeaseContract extends ContractFixture {

    private static final Duration SHORTEST = Duration.ofMillis(50);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration HOUR = Duration.ofHours(1);

    private static TimedLease timed(NamedLock lock, Duration length) {
        return lock.atMost(length).tryAcquire().orElseThrow();
    }

    @Test
    void itEndsByTimeAlsoWhileItsProcessLives() {
        String name = fresh("passes");
        Duration length = SECOND.plusMillis(500);
        // The first call of an instance looks at the table, and takes longer.
        here().lock(name).tryAcquire().orElseThrow().close();
        long began = System.nanoTime();
        TimedLease lease = here().lock(name).atMost(length).acquire(SOON);
        Duration call = Duration.ofNanos(System.nanoTime() - began);
        AtomicReference<LeaseLostException> lost = new AtomicReference<>();
        lease.onLost(lost::set);
        // A renewed lease would be valid for ever.
        await().until(() -> !lease.isValid());
        Lease next = there().lock(name).acquire(SOON);
        // Its time runs from before the statement, which the database may have done at any moment of the call.
        HoldContract.assertHeldBack(lease, next, length.minusMillis(300).minus(call));
        assertThatThrownBy(lease::check)
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining("its time is over");
        assertThat(lease.extend(LONG)).as("it does not come back").isFalse();
        assertThat(lease.release()).isFalse();
        await().until(() -> lost.get() != null);
        next.check();
    }

    @Test
    void anExtensionLastsFromNowOnAndIsNeverShorter() {
        String name = fresh("extended");
        TimedLease lease = timed(here().lock(name), LONG);
        Instant before = heldUntil(there(), name);
        assertThat(lease.extend(HOUR)).isTrue();
        assertThat(lease.remaining()).isBetween(HOUR.minus(LONG), HOUR);
        Instant until = heldUntil(there(), name);
        assertThat(Duration.between(before, until)).isBetween(HOUR.minus(LONG), HOUR);
        assertThat(lease.extend(SHORTEST)).isTrue();
        assertThat(lease.remaining()).isGreaterThan(HOUR.minus(LONG));
        assertThat(heldUntil(there(), name)).isAfterOrEqualTo(until.minusMillis(1));
        assertThat(there().lock(name).tryAcquire()).isEmpty();
    }

    @Test
    void aLostLeaseIsNotExtended() {
        String name = fresh("lost");
        TimedLease lease = timed(here().lock(name), LONG);
        there().admin().breakLock(name);
        try (Lease next = there().lock(name).acquire(SOON)) {
            assertThat(lease.isValid()).as("it cannot know yet").isTrue();
            assertThat(lease.extend(LONG)).isFalse();
            assertThat(lease.isValid()).isFalse();
            next.check();
        }
        lease.close();
        TimedLease closed = timed(here().lock(name), LONG);
        closed.close();
        assertThat(there().lock(name).tryAcquire(SOON)).isPresent();
        assertThatThrownBy(() -> closed.extend(LONG)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void anExtensionWhoseAnswerWasLostIsSentAgain() {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Dibs dibs = dibs(faulty);
        TimedLease lease = timed(dibs.lock(fresh("again")), LONG);
        faulty.on(ANY).here().loseAnswer();
        assertThat(lease.extend(LONG.multipliedBy(2))).isTrue();
        assertThat(faulty.struck()).hasSize(1);
        assertThat(lease.remaining()).isGreaterThan(LONG);
        faulty.on(ANY).here().always().fail("08006", 0);
        assertThatThrownBy(() -> lease.extend(LONG.multipliedBy(4)))
                .as("no answer is not a loss")
                .isInstanceOf(DatabaseFailureException.class);
        assertThat(lease.isValid()).isTrue();
        assertThat(lease.remaining()).isLessThan(LONG.multipliedBy(2));
        faulty.heal();
    }

    @Test
    void aGuardedTransactionEndsNoLeaseThatIsExtendedMeanwhile() throws Exception {
        String name = fresh("guarded");
        Connection connection = transaction();
        TimedLease lease = timed(here().lock(name), LONG);
        lease.guard(connection);
        try {
            assertThat(lease.extend(LONG)).as("where a renewal passes").isTrue();
        } catch (DatabaseFailureException e) {
            assertThat(e)
                    .hasMessageContaining(database().has(Trait.LOCKS_ROWS) ? "its row is locked" : "The file is busy");
        }
        assertThat(lease.isValid()).isTrue();
        connection.commit();
        assertThat(lease.extend(LONG)).isTrue();
        assertThat(lease.release()).isTrue();
    }

    @FullTest(except = "postgresql")
    void anExtendedLeaseIsHeldBackFromTheExtensionOn() throws Exception {
        String name = fresh("held");
        TimedLease lease = timed(here().lock(name), LONG);
        Thread.sleep(500);
        assertThat(lease.extend(LONG, SECOND)).isTrue();
        assertThat(lease.release()).isTrue();
        Lease next = there().lock(name).acquire(SOON);
        HoldContract.assertHeldBack(lease, next, SECOND.plusMillis(500));
        assertThat(next.takeover()).isEmpty();
    }

    @FullTest(except = "postgresql")
    void aHoldOutlivesTheLease() {
        String name = fresh("short");
        Dibs here = dibs();
        used(name);
        // The answer may come too late for so short a lease: then it is asked for again.
        TimedLease lease = here.lock(name).holdAtLeast(SECOND).atMost(SHORTEST).acquire(SOON);
        await().until(() -> !lease.isValid());
        Lease next = there().lock(name).acquire(SOON);
        HoldContract.assertHeldBack(lease, next, SECOND);
    }

    @Test
    void itIsALeaseLikeOthers() {
        String name = fresh("lease");
        Dibs there = dibs();
        Acquirable<TimedLease> lock = here().lock(name).fair().atMost(LONG);
        assertThat(lock.tryRun(
                        lease -> assertThat(there.lock(name).tryAcquire()).isEmpty()))
                .isTrue();
        assertThat(lock.<Long, RuntimeException>call(SOON, lease -> {
                    lease.extend(LONG);
                    return lease.fencingToken();
                }))
                .isPositive();
        assertThatThrownBy(() -> lock.run(SOON, lease -> {
                    there.admin().breakLock(name);
                    lease.extend(LONG);
                }))
                .isInstanceOf(LeaseLostException.class);
        assertThat(here().lock(name).tryAcquire(SOON)).isPresent();
    }

    @Test
    void itLastsFiftyMillisecondsToADay() {
        Duration day = Duration.ofDays(1);
        NamedLock lock = here().lock(fresh("bounds"));
        for (Duration wrong : new Duration[] {SHORTEST.minusMillis(1), day.plusMillis(1)}) {
            assertThatThrownBy(() -> lock.atMost(wrong)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> lock.atMost(day).leaseLength(wrong)).isInstanceOf(IllegalArgumentException.class);
        }
        TimedLease lease = lock.atMost(SHORTEST).leaseLength(day).tryAcquire().orElseThrow();
        assertThat(lease.remaining()).isGreaterThan(Duration.ofHours(23));
        assertThatThrownBy(() -> lease.extend(day.plusMillis(1))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> lease.extend(day, day.plusMillis(1))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> lease.extend(null)).isInstanceOf(IllegalArgumentException.class);
    }
}
