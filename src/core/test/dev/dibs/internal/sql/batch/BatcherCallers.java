package dev.dibs.internal.sql.batch;

import static org.awaitility.Awaitility.await;

import dev.dibs.internal.sql.errors.SqlFailure;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/** Callers of a batcher, and statements that wait at a gate. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
abstract class BatcherCallers {

    static final Duration LONG = Duration.ofMinutes(1);

    Batcher batcher = new Batcher();
    final CountDownLatch gate = new CountDownLatch(1);
    final CountDownLatch firstGate = new CountDownLatch(1);
    final Doubling doubling = new Doubling(new CountDownLatch(0));
    final List<Caller> callers = new CopyOnWriteArrayList<>();

    /** What a statement does before it is answered. */
    interface Sending {
        void on(List<Integer> numbers) throws SqlFailure;
    }

    /** A statement that waits at a gate and doubles numbers. */
    static final class Doubling implements Batcher.OneOrMany<Integer, Integer> {
        final Queue<List<Integer>> sent = new ConcurrentLinkedQueue<>();
        final AtomicInteger underWay = new AtomicInteger();
        final AtomicInteger most = new AtomicInteger();
        volatile CountDownLatch gate;
        volatile Throwable failsForMany;
        volatile SqlFailure failsForOne;
        volatile int missing;
        private volatile Sending sending = numbers -> {};

        Doubling(CountDownLatch gate) {
            this.gate = gate;
        }

        @Override
        public Object key(Integer number) {
            return number;
        }

        @Override
        public Integer one(Integer number) throws SqlFailure {
            int answer = send(List.of(number)).get(0);
            if (failsForOne != null) {
                throw failsForOne;
            }
            return answer;
        }

        @Override
        public List<Integer> many(List<Integer> numbers) throws SqlFailure {
            List<Integer> answers = send(numbers);
            if (failsForMany instanceof Error e) {
                throw e;
            }
            if (failsForMany instanceof SqlFailure e) {
                throw e;
            }
            return answers.subList(0, answers.size() - missing);
        }

        void sends(Sending action) {
            sending = action;
        }

        private List<Integer> send(List<Integer> numbers) throws SqlFailure {
            most.accumulateAndGet(underWay.incrementAndGet(), Math::max);
            sent.add(numbers);
            try {
                gate.await();
            } catch (InterruptedException e) {
                throw new AssertionError("who waits is interrupted, not who sends", e);
            }
            underWay.decrementAndGet();
            sending.on(numbers);
            return numbers.stream().map(number -> 2 * number).toList();
        }
    }

    /** A thread with one question. */
    static final class Caller {
        final FutureTask<Integer> answer;
        final Thread thread;
        volatile boolean interruptedAfterwards;

        Caller(Callable<Integer> asks) {
            answer = new FutureTask<>(() -> {
                try {
                    return asks.call();
                } finally {
                    interruptedAfterwards = Thread.currentThread().isInterrupted();
                }
            });
            thread = new Thread(answer);
            thread.start();
        }
    }

    @AfterEach
    void openTheGates() {
        firstGate.countDown();
        gate.countDown();
    }

    /** Starts a caller and waits until it runs, is queued, or has its answer. */
    Caller asks(Doubling statement, int number) {
        return asks(statement, number, LONG);
    }

    Caller asks(Doubling statement, int number, Duration patience) {
        Caller caller = new Caller(() -> batcher.ask(statement, number, patience));
        callers.add(caller);
        await().pollInterval(Duration.ofMillis(1))
                .until(() -> caller.answer.isDone()
                        || caller.thread.getState() == Thread.State.WAITING
                        || caller.thread.getState() == Thread.State.TIMED_WAITING);
        return caller;
    }

    /** As many as may send directly, each with a statement that does not end. */
    void occupy() {
        asks(new Doubling(firstGate), 0);
        for (int i = 1; i < Batcher.DIRECT; i++) {
            asks(new Doubling(gate), 0);
        }
        callers.clear();
    }

    /** One of them ends, and the rest when all others have their answers. */
    void letGo() throws Exception {
        firstGate.countDown();
        callers.forEach(caller -> await().pollInterval(Duration.ofMillis(1)).until(caller.answer::isDone));
    }
}
