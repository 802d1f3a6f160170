package dev.dibs.contract.locks.acquire;

import static org.awaitility.Awaitility.await;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Lease;
import dev.dibs.NotAcquiredException;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Crowd;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullRun;
import dev.dibs.database.FullTest;
import dev.dibs.database.Traits;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Problem of the caller that sends a batch is not trouble of the others. */
class BatchLeaderContract extends ContractFixture {

    /** Also if it retakes locks that this instance released last. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @FullRun(except = {"postgresql", "h2"})
    void anInterruptedLeaderFailsAlone(boolean retakes) throws Exception {
        Crowd crowd = closing(new Crowd(this));
        List<String> names = fresh("led", 6);
        if (retakes) {
            crowd.open(names).forEach(Lease::close);
            crowd.occupy();
        }
        List<Future<Optional<Lease>>> all = crowd.acquire(names);
        crowd.exhaust();
        crowd.letOneGo();
        crowd.interruptWhileItConnects(all.get(0));
        crowd.letGo();
        assertThatThrownBy(all.get(0)::get)
                .cause()
                .isInstanceOf(NotAcquiredException.class)
                .hasMessageContaining("interrupted");
        assertThat(Crowd.acquired(all.subList(1, 6))).allMatch(Lease::isValid);
    }

    /** The others' locks are free when their releases return; the leader's is released in the background. */
    @FullTest(except = "postgresql")
    void anInterruptedLeaderOfReleasesHoldsUpItsOwnLockAlone() throws Exception {
        Crowd crowd = closing(new Crowd(this));
        List<Lease> leases = crowd.open(fresh("led", 6));
        crowd.occupy();
        List<Future<Boolean>> all = crowd.close(leases);
        CountDownLatch background = new CountDownLatch(1);
        crowd.faulty()
                .on(sql -> Thread.currentThread().getName().startsWith("dibs-maintenance"))
                .always()
                .holdBefore(background);
        crowd.exhaust();
        crowd.letOneGo();
        crowd.interruptWhileItConnects(all.get(0));
        for (Future<Boolean> one : all) {
            assertThat(one.get()).isTrue();
        }
        assertThat(crowd.heldByNobody(leases.subList(1, 6))).isTrue();
        assertThat(crowd.heldByNobody(leases)).isFalse();
        background.countDown();
        await().atMost(Crowd.LONG).until(() -> crowd.heldByNobody(leases));
        crowd.letGo();
    }

    /** As on a virtual thread, whose interrupt closes the socket: what the statement did is not known. */
    @FullTest(except = "postgresql")
    void anInterruptedSenderDoesNotFailTheOthers() throws Exception {
        for (boolean arrives : new boolean[] {true, false}) {
            try (Crowd crowd = new Crowd(this)) {
                List<Future<Optional<Lease>>> all = crowd.acquire(fresh("led", 6));
                FaultyDataSource.Fault closed = crowd.faulty().on(Traits.MANY);
                if (arrives) {
                    closed.actAfter(BatchLeaderContract::closedByInterrupt);
                } else {
                    closed.actBefore(BatchLeaderContract::closedByInterrupt);
                }
                crowd.letGo();
                assertThat(Crowd.acquired(all.subList(1, 6))).allMatch(Lease::isValid);
            }
        }
    }

    /** Their rows are there, were not found after the lost answer, and the background has not released them yet. */
    @Test
    void aCallerThatAsksAgainIsNotBusyBecauseOfTheBatch() throws Exception {
        Crowd crowd = closing(new Crowd(this));
        CountDownLatch background = new CountDownLatch(1);
        crowd.faulty()
                .on(sql -> Thread.currentThread().getName().startsWith("dibs-maintenance"))
                .always()
                .holdBefore(background);
        List<Future<Optional<Lease>>> all = crowd.acquire(fresh("led", 6));
        Map<Thread, Integer> sent = new ConcurrentHashMap<>();
        AtomicBoolean lost = new AtomicBoolean();
        crowd.faulty()
                .on(sql -> lost.get()
                        && Thread.currentThread().getName().startsWith("Thread-")
                        && sent.merge(Thread.currentThread(), 1, Integer::sum) <= FaultContract.LOOK_UPS)
                .always()
                .fail("08006", 0);
        crowd.faulty().on(database().lastStepForMany()).actAfter(() -> {
            lost.set(true);
            return closedByInterrupt();
        });
        closing(() -> background.countDown());
        crowd.letGo();
        assertThat(Crowd.acquired(all.subList(1, 6))).allMatch(Lease::isValid);
        assertThat(sent).hasSizeGreaterThanOrEqualTo(5);
    }

    private static Object closedByInterrupt() throws SQLException {
        Thread.currentThread().interrupt();
        throw new SQLException("closed by interrupt", "08006");
    }

    @FullTest(except = "postgresql")
    void aDeadDatabaseIsTriedTwice() throws Exception {
        Crowd crowd = closing(new Crowd(this));
        List<Future<Optional<Lease>>> all = crowd.acquire(fresh("led", 20));
        crowd.faulty().exhaust(Duration.ZERO);
        crowd.letGo();
        for (Future<Optional<Lease>> one : all) {
            assertThatThrownBy(one::get)
                    .cause()
                    .isInstanceOf(DatabaseFailureException.class)
                    .hasMessageContaining("connection");
        }
        // The purge and the like have threads of their own.
        assertThat(crowd.faulty().refused().stream().filter(thread -> !thread.startsWith("dibs-")))
                .hasSize(2);
    }
}
