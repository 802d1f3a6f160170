package dev.dibs.contract;

import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.database.CountingDataSource;
import dev.dibs.database.FaultyDataSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Assumptions;

/**
 * Callers of one instance. As many statements as may run at once are held up until {@link #letGo()}, so further callers certainly form
 * batches.
 */
abstract class Gathering implements AutoCloseable {

    /** Outlasts the preparation on a slow machine. */
    static final Duration LONG = Fixture.LONG;

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
    private long queuedAt;
    private Duration took = Duration.ZERO;

    Gathering(Fixture fixture, Duration lease) {
        Assumptions.assumeTrue(fixture.database().batches(), "here each call goes alone");
        this.fixture = fixture;
        counting = new CountingDataSource(fixture.pool());
        faulty = new FaultyDataSource(counting);
        dibs = fixture.database().together(fixture.builder(faulty)).lease(lease).build();
    }

    /** A caller whose statement may run for any time. */
    abstract Callable<?> blocker(String name);

    Fixture fixture() {
        return fixture;
    }

    Dibs dibs() {
        return dibs;
    }

    FaultyDataSource faulty() {
        return faulty;
    }

    /** From now on, as many statements run as may. */
    void occupy() throws Exception {
        queuedAt = 0;
        places.clear();
        gate = new CountDownLatch(1);
        first = new CountDownLatch(1);
        for (int i = 0; i < DIRECT; i++) {
            String name = fixture.fresh(BLOCKER);
            int before = faulty.struck().size();
            FutureTask<?> blocker = new FutureTask<>(blocker(name));
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
    static boolean isBlocker() {
        return Thread.currentThread().getName().startsWith(BLOCKER);
    }

    /** Callers, all queued when this returns, in their order. */
    <T> List<Future<T>> queue(List<Callable<T>> calls) {
        List<Future<T>> futures = new ArrayList<>();
        for (Callable<T> call : calls) {
            futures.addAll(queueAtOnce(List.of(call)));
        }
        return futures;
    }

    /** Callers, all queued when this returns, except those that have queued in vain by then. */
    <T> List<Future<T>> queueAtOnce(List<Callable<T>> calls) {
        List<FutureTask<T>> tasks = calls.stream().map(FutureTask::new).toList();
        List<Thread> threads = tasks.stream().map(Thread::new).toList();
        queued.addAll(tasks);
        queuedAt = queuedAt == 0 ? System.nanoTime() : queuedAt;
        threads.forEach(Thread::start);
        for (int i = 0; i < tasks.size(); i++) {
            FutureTask<T> task = tasks.get(i);
            Thread thread = threads.get(i);
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
    void awaitQueuedAgain() {
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
    void letOneGo() {
        first.countDown();
    }

    /** One running statement ends; when the queued callers have their answers, the others end, too. */
    void letGo() throws Exception {
        letOneGo();
        for (FutureTask<?> task : queued) {
            await().atMost(LONG).until(task::isDone);
        }
        took = Duration.ofNanos(System.nanoTime() - queuedAt);
        gate.countDown();
        for (FutureTask<?> blocker : blockers) {
            blocker.get();
        }
    }

    /** The time from the first queued call to the last answer. */
    Duration took() {
        return took;
    }

    /** The statements since {@link #occupy}, with those of the blockers. */
    List<String> sent() {
        return counting.statements();
    }

    /** Forgets the statements until now. */
    void forget() {
        counting.reset();
    }

    @Override
    public void close() {
        first.countDown();
        gate.countDown();
        faulty.heal();
        dibs.close();
    }
}
