package dev.dibs.internal.sql.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.dibs.internal.sql.errors.SqlFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class BatcherTest extends BatcherCallers {

    @Test
    void aSingleCallerGoesAtOnce() throws Exception {
        for (int i = 0; i < 3 * Batcher.DIRECT; i++) {
            assertThat(batcher.ask(doubling, i, LONG)).isEqualTo(2 * i);
        }
        assertThat(doubling.sent).hasSize(3 * Batcher.DIRECT);
    }

    @Test
    void callersWaitWhileBatchesRunAndFormTheNextInOrder() throws Exception {
        occupy();
        for (int number : List.of(5, 3, 4)) {
            asks(doubling, number);
        }
        assertThat(doubling.sent).isEmpty();
        letGo();
        assertThat(doubling.sent).containsExactly(List.of(5, 3, 4));
        assertThat(callers.get(0).answer.get()).isEqualTo(10);
        assertThat(callers.get(2).answer.get()).isEqualTo(8);
    }

    /** These are sent in one statement that does not end; no other statement runs. */
    private void occupyWith(Integer... numbers) {
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch before = new CountDownLatch(1);
        for (int i = 0; i < Batcher.DIRECT; i++) {
            asks(new Doubling(i == 0 ? first : before), 0);
        }
        doubling.gate = gate;
        List.of(numbers).forEach(number -> asks(doubling, number));
        // One at a time: with two free places, the second number could be sent alone, before the first batch.
        first.countDown();
        await().until(() -> doubling.sent.contains(List.of(numbers)));
        before.countDown();
        callers.subList(0, Batcher.DIRECT).forEach(caller -> await().until(caller.answer::isDone));
        doubling.gate = before;
        doubling.sent.clear();
        callers.clear();
    }

    @Test
    void callersDuringALargeBatchFormTheNextOne() throws Exception {
        batcher = new Batcher(LONG, Duration.ZERO);
        occupyWith(1, 2);
        asks(doubling, 3);
        asks(doubling, 4);
        assertThat(doubling.sent).isEmpty();
        gate.countDown();
        letGo();
        assertThat(doubling.sent).containsExactly(List.of(3, 4));
    }

    @Test
    void enoughCallersForAnotherBatchDoNotWaitForTheOneUnderWay() throws Exception {
        batcher = new Batcher(LONG, Duration.ZERO);
        occupyWith(1, 2);
        IntStream.range(0, Batcher.LARGEST).forEach(i -> asks(doubling, i));
        letGo();
        assertThat(doubling.sent)
                .singleElement()
                .satisfies(numbers -> assertThat(numbers).hasSize(Batcher.LARGEST));
    }

    @Test
    void manyThatHangHoldUpNobodyElse() throws Exception {
        occupyWith(1, 2);
        for (int number : List.of(3, 4)) {
            assertThat(asks(doubling, number).answer.get()).isEqualTo(2 * number);
        }
    }

    @Test
    void anotherStatementDoesNotWaitForManyOfTheFirst() throws Exception {
        batcher = new Batcher(LONG, Duration.ZERO);
        occupyWith(1, 2);
        asks(doubling, 3);
        Doubling other = new Doubling(firstGate);
        Caller caller = asks(other, 4);
        firstGate.countDown();
        assertThat(caller.answer.get()).isEqualTo(8);
        assertThat(doubling.sent).isEmpty();
    }

    @Test
    void aLeaderOfFarFewerWaitsForOthers() throws Exception {
        batcher = new Batcher(LONG, LONG);
        occupyWith(1, 2, 3, 4, 5, 6, 7, 8, 9);
        Caller leader = asks(doubling, 10);
        gate.countDown();
        // Who waits in the queue has a blocker, who lets others come has none.
        await().until(() ->
                LockSupport.getBlocker(leader.thread) == null && leader.thread.getState() != Thread.State.RUNNABLE);
        asks(doubling, 11);
        LockSupport.unpark(leader.thread);
        letGo();
        assertThat(doubling.sent).containsExactly(List.of(10, 11));
    }

    @Test
    void theSameQuestionGoesInAnotherStatement() throws Exception {
        occupy();
        for (int number : List.of(5, 5, 6, 5)) {
            asks(doubling, number);
        }
        letGo();
        assertThat(doubling.sent)
                .allMatch(numbers -> numbers.stream().distinct().count() == numbers.size());
        assertThat(doubling.sent.stream().flatMap(List::stream).filter(n -> n == 5))
                .hasSize(3);
    }

    @Test
    void onlyOneStatementsQuestionsGoTogether() throws Exception {
        Doubling other = new Doubling(new CountDownLatch(0));
        occupy();
        asks(doubling, 1);
        asks(other, 2);
        asks(doubling, 3);
        asks(other, 4);
        letGo();
        assertThat(doubling.sent).containsExactly(List.of(1, 3));
        assertThat(other.sent).containsExactly(List.of(2, 4));
    }

    @Test
    void noStatementIsTooLarge() throws Exception {
        occupy();
        IntStream.range(0, 3 * Batcher.LARGEST).forEach(i -> asks(doubling, i));
        letGo();
        for (int i = 0; i < 3 * Batcher.LARGEST; i++) {
            assertThat(callers.get(i).answer.get()).isEqualTo(2 * i);
        }
        assertThat(doubling.sent).allMatch(numbers -> numbers.size() <= Batcher.LARGEST);
        assertThat(doubling.sent).anyMatch(numbers -> numbers.size() == Batcher.LARGEST);
    }

    @Test
    void anInterruptIsKeptForLater() throws Exception {
        occupy();
        Caller caller = asks(doubling, 1);
        caller.thread.interrupt();
        letGo();
        assertThat(caller.answer.get()).isEqualTo(2);
        assertThat(caller.interruptedAfterwards).isTrue();
    }

    @Test
    void callersDoNotQueueBehindAHangingStatement() throws Exception {
        occupy();
        Caller caller = asks(doubling, 1, Duration.ofMillis(100));
        assertThatThrownBy(caller.answer::get)
                .cause()
                .isInstanceOfSatisfying(
                        SqlFailure.class,
                        failure -> assertThat(failure.outcome()).isEqualTo(SqlFailure.Outcome.NOT_SENT))
                .hasMessageContaining("waiting for their answers");
        Caller next = asks(doubling, 2);
        firstGate.countDown();
        assertThat(next.answer.get()).isEqualTo(4);
        assertThat(doubling.sent).containsExactly(List.of(2));
    }

    @Test
    void everyoneOfACrowdGetsTheirOwnAnswerAndNoMoreGoAtOnceThanMay() throws Exception {
        int threads = 40;
        int times = 2_000;
        List<FutureTask<Boolean>> crowd = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int first = i * times;
            FutureTask<Boolean> task = new FutureTask<>(() -> {
                boolean right = true;
                for (int number = first; number < first + times; number++) {
                    right &= batcher.ask(doubling, number, LONG) == 2 * number;
                }
                return right;
            });
            crowd.add(task);
            new Thread(task).start();
        }
        for (FutureTask<Boolean> task : crowd) {
            assertThat(task.get()).isTrue();
        }
        assertThat(doubling.sent.stream().mapToInt(List::size).sum()).isEqualTo(threads * times);
        assertThat(doubling.most.get()).isLessThanOrEqualTo(Batcher.DIRECT);
        assertThat(doubling.underWay).hasValue(0);
    }
}
