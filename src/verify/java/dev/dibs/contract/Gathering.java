package dev.dibs.contract;

import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.database.CountingDataSource;
import dev.dibs.database.FaultyDataSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Assumptions;

/**
 * Callers of one instance that queue behind as many as may go at once, which are held up until {@link #letGo()}: so what comes in between
 * goes together for certain.
 */
abstract class Gathering implements AutoCloseable {

    /** Outlasts the making of a crowd on a slow machine. */
    static final Duration LONG = Duration.ofMinutes(1);

    /** As many as go directly. */
    private static final int DIRECT = 8;

    private final Fixture fixture;
    private final FaultyDataSource faulty;
    private final CountingDataSource counting;
    private final Dibs dibs;
    private final List<FutureTask<?>> blockers = new ArrayList<>();
    private final List<FutureTask<?>> queued = new ArrayList<>();
    private CountDownLatch first = new CountDownLatch(0);
    private CountDownLatch gate = new CountDownLatch(0);

    Gathering(Fixture fixture, Duration lease) {
        Assumptions.assumeTrue(fixture.database().coalesces(), "here each call goes alone");
        this.fixture = fixture;
        counting = new CountingDataSource(fixture.pool());
        faulty = new FaultyDataSource(counting);
        dibs = fixture.database().together(fixture.builder(faulty)).lease(lease).build();
    }

    /** Whose statement may be under way for as long as it likes. */
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

    /** From now on as much is under way as may. */
    void occupy() throws Exception {
        gate = new CountDownLatch(1);
        first = new CountDownLatch(1);
        for (int i = 0; i < DIRECT; i++) {
            String name = fixture.fresh("blocker");
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

    /** Callers, all of them queued when this returns, in their order. */
    <T> List<Future<T>> queue(List<Callable<T>> calls) {
        List<Future<T>> futures = new ArrayList<>();
        for (Callable<T> call : calls) {
            futures.addAll(queueAtOnce(List.of(call)));
        }
        return futures;
    }

    /** Callers, all of them queued when this returns. */
    <T> List<Future<T>> queueAtOnce(List<Callable<T>> calls) {
        List<FutureTask<T>> tasks = calls.stream().map(FutureTask::new).toList();
        List<Thread> threads = tasks.stream().map(Thread::new).toList();
        queued.addAll(tasks);
        threads.forEach(Thread::start);
        threads.forEach(thread -> await().pollInterval(Duration.ofMillis(1))
                .until(() -> thread.getState() == Thread.State.TIMED_WAITING));
        return List.copyOf(tasks);
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

    /** What was sent until now. */
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
