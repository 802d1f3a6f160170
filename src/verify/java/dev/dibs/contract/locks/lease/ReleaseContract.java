package dev.dibs.contract.locks.lease;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.DibsListener;
import dev.dibs.Lease;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.Trait;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A release has one answer, which every caller gets. */
class ReleaseContract extends ContractFixture {

    /** A holder asks for the lock first, so that a release in the background does not change the answer. */
    private static void assertFree(Dibs there, String name) {
        there.lock(name).acquire(SOON).close();
    }

    @Test
    void releaseTellsWhetherTheLockWasStillOurs() {
        String name = fresh("answered");
        Lease ours = here().lock(name).acquire(Duration.ZERO);
        assertThat(ours.release()).isTrue();
        assertFree(there(), name);
        assertThat(ours.release()).as("the same answer").isTrue();

        Lease broken = here().lock(name).acquire(SOON);
        there().admin().breakLock(name);
        Lease successor = there().lock(name).acquire(SOON);
        assertThat(broken.release()).isFalse();
        assertThat(broken.release()).as("the same answer").isFalse();
        broken.close();
        successor.check();
    }

    @Test
    void aLeaseThatWasCutOrLostBeforeIsNotOursAtItsRelease() {
        String name = fresh("over");
        Lease cut;
        try (Dibs here = dibs()) {
            Lease lost = here.lock(name).acquire(Duration.ZERO);
            here.admin().breakLock(name);
            assertThat(lost.release()).isFalse();
            cut = here.lock(fresh("cut")).acquire(Duration.ZERO);
        }
        assertThat(cut.release()).isFalse();
    }

    @Test
    void inAnOpenGuardedTransactionItIsOursAndFreeLater() throws Exception {
        assumeTrue(
                database().has(Trait.LOCKS_ROWS), "here, a release waits for the transaction: see OneWriterContract");
        String name = fresh("guarded");
        Connection connection = transaction();
        Lease lease = here().lock(name).acquire(Duration.ZERO);
        lease.guard(connection);
        assertThat(lease.release()).isTrue();
        assertThat(there().lock(name).tryAcquire()).isEmpty();
        connection.commit();
        assertFree(there(), name);
    }

    @Test
    void aSecondCloseWaitsForTheFirst() throws Exception {
        String name = fresh("second");
        FaultyDataSource faulty = new FaultyDataSource(pool());
        CountDownLatch sent = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        closing(() -> gate.countDown());
        Dibs here = dibs(faulty);
        Dibs there = dibs();
        Lease lease = here.lock(name).acquire(Duration.ZERO);
        faulty.on(ANY).actBefore(() -> {
            sent.countDown();
            return gate.await(20, SECONDS);
        });
        CompletableFuture<Boolean> first = CompletableFuture.supplyAsync(lease::release);
        assertThat(sent.await(20, SECONDS)).isTrue();
        CompletableFuture<Boolean> free = CompletableFuture.supplyAsync(() -> {
            lease.close();
            return there.lock(name).tryAcquire().isPresent();
        });
        CompletableFuture<Boolean> second = CompletableFuture.supplyAsync(lease::release);
        Thread.sleep(100);
        assertThat(free).isNotDone();
        assertThat(second).isNotDone();
        gate.countDown();
        assertThat(first.get(20, SECONDS)).isTrue();
        assertThat(second.get(20, SECONDS)).isTrue();
        assertThat(free.get(20, SECONDS))
                .as("free when the second call returns")
                .isTrue();
    }

    @Test
    void aReleaseWithoutAnAnswerIsAnErrorEachTimeItIsAskedFor() {
        String name = fresh("unanswered");
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Dibs here = dibs(faulty);
        Lease lease = here.lock(name).acquire(Duration.ZERO);
        faulty.on(ANY).here().loseAnswer();
        for (int call = 0; call < 2; call++) {
            assertThatThrownBy(lease::release)
                    .isInstanceOf(DatabaseFailureException.class)
                    .hasMessageContaining("unknown whether '" + name + "'");
        }
        lease.close();
        assertThat(faulty.struck()).hasSize(1);
        assertThat(lease.isValid()).isFalse();
        assertFree(there(), name);
    }

    @Test
    void aListenerMayCloseTheLeaseAgain() throws Exception {
        AtomicInteger released = new AtomicInteger();
        DibsListener closes = new DibsListener() {
            @Override
            public void released(Lease lease, Duration held) {
                lease.close();
                if (lease.release()) {
                    released.incrementAndGet();
                }
            }
        };
        Dibs here = closing(builder(pool()).listener(closes).build());
        Lease lease = here.lock(fresh("listener")).acquire(Duration.ZERO);
        assertThat(CompletableFuture.supplyAsync(lease::release).get(20, SECONDS))
                .isTrue();
        assertThat(released).hasValue(1);
    }
}
