package dev.dibs.contract.support;

import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.database.CountingDataSource;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.Sql;
import dev.dibs.database.Trait;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.junit.jupiter.api.Assumptions;

/**
 * Callers of one instance that acquire and release locks at once. As many statements as may run at once are held up until
 * {@link #letGo()}, so further callers certainly form batches.
 */
public final class Crowd implements AutoCloseable {

    /** The fence of a row that was left behind: greater than the clock. */
    public static final long FENCE = 9_007_199_254_740_000L;

    /** Outlasts the preparation on a slow machine. */
    public static final Duration LONG = Fixture.LONG;

    /** The number of callers that do not queue. */
    private static final int DIRECT = 8;

    private static final String BLOCKER = "blocker";

    private final Fixture fixture;
    private final FaultyDataSource faulty;
    private final CountingDataSource counting;
    private final Dibs dibs;
    private final List<FutureTask<?>> blockers = new ArrayList<>();
    private final List<FutureTask<?>> queued = new ArrayList<>();
    /** The threads of queued callers, and what each was parked on when it had queued. */
    private final Map<Thread, Object> places = new ConcurrentHashMap<>();

    private CountDownLatch first = new CountDownLatch(0);
    private CountDownLatch gate = new CountDownLatch(0);

    /** Occupied. */
    public Crowd(Fixture fixture) throws Exception {
        this(fixture, LONG);
    }

    public Crowd(Fixture fixture, Duration lease) throws Exception {
        Assumptions.assumeTrue(fixture.database().has(Trait.BATCHES), "here each call goes alone");
        this.fixture = fixture;
        counting = new CountingDataSource(fixture.pool());
        faulty = new FaultyDataSource(counting);
        dibs = fixture.builder(faulty).leaseLength(lease).build();
        occupy();
    }

    public Dibs dibs() {
        return dibs;
    }

    public FaultyDataSource faulty() {
        return faulty;
    }

    /** From now on, as many statements run as may. */
    public void occupy() throws Exception {
        places.clear();
        gate = new CountDownLatch(1);
        first = new CountDownLatch(1);
        for (int i = 0; i < DIRECT; i++) {
            String name = fixture.fresh(BLOCKER);
            int before = faulty.struck().size();
            FutureTask<?> blocker =
                    new FutureTask<>(() -> dibs.lock(name).leaseLength(LONG).tryAcquire());
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

    /** Whether this thread is one of those that are held up. */
    public static boolean isBlocker() {
        return Thread.currentThread().getName().startsWith(BLOCKER);
    }

    /** Callers, all queued when this returns, in their order. */
    private <T> List<Future<T>> queue(List<Callable<T>> calls) {
        List<FutureTask<T>> tasks = calls.stream().map(FutureTask::new).toList();
        for (FutureTask<T> task : tasks) {
            Thread thread = new Thread(task);
            queued.add(task);
            thread.start();
            await().pollInterval(Duration.ofMillis(1)).until(() -> isParked(thread) || task.isDone());
        }
        return List.copyOf(tasks);
    }

    /** Remembers what it was parked on. */
    private boolean isParked(Thread thread) {
        Object place = LockSupport.getBlocker(thread);
        boolean parked = place != null && thread.getState() == Thread.State.TIMED_WAITING;
        if (parked) {
            places.put(thread, place);
        }
        return parked;
    }

    /** Waits until all callers but one have their first answers and have queued a second time. That one is to be held up. */
    public void awaitQueuedAgain() {
        await().atMost(LONG)
                .pollInterval(Duration.ofMillis(1))
                .until(() -> places.entrySet().stream()
                                .filter(one -> isParkedElsewhere(one.getKey(), one.getValue()))
                                .count()
                        == places.size() - 1);
    }

    private static boolean isParkedElsewhere(Thread thread, Object place) {
        Object now = LockSupport.getBlocker(thread);
        return now != null && now != place && thread.getState() == Thread.State.TIMED_WAITING;
    }

    /** One of the running statements ends. The queued callers then send, one statement after the other. */
    public void letOneGo() {
        first.countDown();
    }

    /** One running statement ends; when the queued callers have their answers, the others end, too. */
    public void letGo() throws Exception {
        letOneGo();
        for (FutureTask<?> task : queued) {
            await().atMost(LONG).until(task::isDone);
        }
        gate.countDown();
        for (FutureTask<?> blocker : blockers) {
            blocker.get();
        }
    }

    /** The statements since {@link #occupy}, with those of the blockers. */
    public List<String> sent() {
        return counting.statements();
    }

    public List<Future<Optional<Lease>>> acquire(List<String> names) {
        return queue(names.stream()
                .map(name -> (Callable<Optional<Lease>>) () -> dibs.lock(name).tryAcquire())
                .toList());
    }

    /** All of these names in a batch. */
    public List<Future<Optional<Lease>>> acquireTogether(List<String> names) throws Exception {
        occupy();
        List<Future<Optional<Lease>>> all = acquire(names);
        letGo();
        return all;
    }

    /** The leases of callers of which each has got one. */
    public static List<Lease> acquired(List<Future<Optional<Lease>>> all) throws Exception {
        List<Lease> leases = new ArrayList<>();
        for (Future<Optional<Lease>> one : all) {
            leases.add(one.get().orElseThrow());
        }
        return leases;
    }

    public List<Future<Boolean>> close(List<Lease> leases) {
        return queue(leases.stream()
                .map(lease -> (Callable<Boolean>) () -> {
                    lease.close();
                    return true;
                })
                .toList());
    }

    /** All of these leases in a batch. */
    public void closeTogether(List<Lease> leases) throws Exception {
        occupy();
        List<Future<Boolean>> closed = close(leases);
        letGo();
        for (Future<Boolean> one : closed) {
            one.get();
        }
    }

    /** Acquired one by one, while nothing is delayed. */
    public List<Lease> open(List<String> names) throws Exception {
        letGo();
        return names.stream()
                .map(name -> dibs.lock(name).tryAcquire().orElseThrow())
                .toList();
    }

    public boolean heldByNobody(List<Lease> leases) {
        List<String> held =
                dibs.admin().locks().stream().map(lock -> lock.name()).toList();
        return leases.stream().noneMatch(lease -> held.contains(lease.name()));
    }

    /** The row of a holder whose lease has expired. */
    public void leaveBehind(String name) throws SQLException {
        fixture.used(name);
        Sql.on(fixture.pool())
                .change(
                        "UPDATE dibs_lock SET owner = 'nobody', holder = 'a dead one', fence = ? WHERE name = ?",
                        FENCE,
                        name);
    }

    /** Its row is locked until the transaction ends. Returns the number of rows. */
    public static int lockRow(Connection connection, String name) throws SQLException {
        connection.setAutoCommit(false);
        return Sql.on(connection).change("UPDATE dibs_lock SET holder = holder WHERE name = ?", name);
    }

    /** The row of a holder whose transaction is not committed yet. */
    public static void make(Connection connection, String name) throws SQLException {
        connection.setAutoCommit(false);
        Sql.on(connection)
                .change(
                        LeaseTable.insertion(
                                connection,
                                "dibs_lock",
                                "owner, holder, fence, acquired_at, held_until",
                                "'somebody', 'somebody', 1, 1, " + FENCE),
                        name);
    }

    /** Its fence cannot grow any more: an acquire gets an error. */
    public static void spoil(DataSource pool, String name) throws SQLException {
        Sql.on(pool).change("UPDATE dibs_lock SET fence = ? WHERE name = ?", Long.MAX_VALUE, name);
    }

    @Override
    public void close() {
        first.countDown();
        gate.countDown();
        faulty.heal();
        dibs.close();
    }
}
