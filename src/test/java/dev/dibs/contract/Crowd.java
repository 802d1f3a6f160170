package dev.dibs.contract;

import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.database.CountingDataSource;
import dev.dibs.database.FaultyDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Assumptions;

/**
 * Callers of one instance that queue behind as many as may go at once, which are held up until {@link #letGo()}: so what comes in between
 * goes together for certain.
 */
final class Crowd implements AutoCloseable {

    /** Of the row that is left behind: beyond the clock. */
    static final long FENCE = 9_007_199_254_740_000L;

    /** Outlasts the making of a crowd on a slow machine. */
    private static final Duration LONG = Duration.ofMinutes(1);

    /** As many as go directly. */
    private static final int DIRECT = 8;

    private final CoalesceContract fixture;
    private final FaultyDataSource faulty;
    private final CountingDataSource counting;
    private final Dibs dibs;
    private final List<FutureTask<?>> blockers = new ArrayList<>();
    private final List<FutureTask<?>> queued = new ArrayList<>();
    private CountDownLatch first = new CountDownLatch(0);
    private CountDownLatch gate = new CountDownLatch(0);

    /** Occupied. */
    Crowd(CoalesceContract fixture) throws Exception {
        this(fixture, LONG);
    }

    Crowd(CoalesceContract fixture, Duration lease) throws Exception {
        Assumptions.assumeTrue(fixture.coalesces(), "here each acquire and each release goes alone");
        this.fixture = fixture;
        counting = new CountingDataSource(fixture.pool());
        faulty = new FaultyDataSource(counting);
        dibs = fixture.builder(faulty).lease(lease).build();
        occupy();
    }

    FaultyDataSource faulty() {
        return faulty;
    }

    /** From now on as much is under way as may. */
    void occupy() throws Exception {
        gate = new CountDownLatch(1);
        first = new CountDownLatch(1);
        for (int i = 0; i < DIRECT; i++) {
            String name = fixture.fresh("blocker");
            int before = faulty.struck().size();
            FutureTask<Optional<Lease>> blocker =
                    new FutureTask<>(() -> dibs.lock(name).leaseFor(LONG).tryAcquire());
            blockers.add(blocker);
            // Not a renewal that comes in between.
            faulty.on(sql -> Thread.currentThread().getName().equals(name))
                    .time(1)
                    .holdBefore(i == 0 ? first : gate);
            new Thread(blocker, name).start();
            await().pollInterval(Duration.ofMillis(1))
                    .until(() -> faulty.struck().size() > before);
        }
        counting.reset();
    }

    /** Callers, all of them queued when this returns. */
    private <T> List<Future<T>> queue(List<Callable<T>> calls) {
        List<Future<T>> futures = new ArrayList<>();
        for (Callable<T> call : calls) {
            FutureTask<T> task = new FutureTask<>(call);
            Thread thread = new Thread(task);
            thread.start();
            await().pollInterval(Duration.ofMillis(1)).until(() -> thread.getState() == Thread.State.TIMED_WAITING);
            futures.add(task);
            queued.add(task);
        }
        return futures;
    }

    List<Future<Optional<Lease>>> acquire(List<String> names) {
        return queue(names.stream()
                .map(name -> (Callable<Optional<Lease>>) () -> dibs.lock(name).tryAcquire())
                .toList());
    }

    List<Future<Boolean>> close(List<Lease> leases) {
        return queue(leases.stream()
                .map(lease -> (Callable<Boolean>) () -> {
                    lease.close();
                    return true;
                })
                .toList());
    }

    /** Acquired one by one, while nothing is held up. */
    List<Lease> open(List<String> names) throws Exception {
        letGo();
        return names.stream()
                .map(name -> dibs.lock(name).tryAcquire().orElseThrow())
                .toList();
    }

    /** One of those statements ends, which lets those go that queue, one statement after the other. */
    void letOneGo() {
        first.countDown();
    }

    /** One statement ends, and when those that queued have their answers the others do, too. */
    void letGo() throws Exception {
        letOneGo();
        for (FutureTask<?> task : queued) {
            await().atMost(LONG).until(task::isDone);
        }
        gate.countDown();
        for (FutureTask<?> blocker : blockers) {
            blocker.get();
        }
    }

    /** What has been sent since all was occupied, that of the blockers too. */
    List<String> sent() {
        return counting.statements();
    }

    boolean heldByNobody(List<Lease> leases) {
        List<String> held = dibs.locks().stream().map(lock -> lock.name()).toList();
        return leases.stream().noneMatch(lease -> held.contains(lease.name()));
    }

    /** The row of somebody whose lease has passed. */
    void leaveBehind(String name) throws SQLException {
        try (Dibs there = fixture.dibs()) {
            there.lock(name).tryAcquire().orElseThrow().close();
        }
        try (Connection connection = fixture.pool().getConnection();
                PreparedStatement statement = connection.prepareStatement(
                        "UPDATE dibs_lock SET owner = 'nobody', holder = 'a dead one', fence = ? WHERE name = ?")) {
            statement.setLong(1, FENCE);
            statement.setString(2, name);
            statement.executeUpdate();
        }
    }

    /** Its row is locked until the transaction ends. */
    static void lockRow(Connection connection, String name) throws SQLException {
        connection.setAutoCommit(false);
        try (PreparedStatement statement =
                connection.prepareStatement("UPDATE dibs_lock SET holder = holder WHERE name = ?")) {
            statement.setString(1, name);
            statement.executeUpdate();
        }
    }

    /** The row of a holder whose transaction is not committed yet. */
    static void make(Connection connection, String name) throws SQLException {
        connection.setAutoCommit(false);
        try (PreparedStatement statement = connection.prepareStatement(
                "INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)"
                        + " VALUES (?, 'somebody', 'somebody', 1, 1, " + FENCE + ")")) {
            statement.setString(1, name);
            statement.executeUpdate();
        }
    }

    @Override
    public void close() {
        first.countDown();
        gate.countDown();
        faulty.heal();
        dibs.close();
    }
}
