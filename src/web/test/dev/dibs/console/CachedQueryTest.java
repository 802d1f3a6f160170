package dev.dibs.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.dibs.DatabaseFailureException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A query that all visitors share is sent once, and not too often. */
@Tag("unit")
class CachedQueryTest {

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
    private final Pace pace = new Pace(nanos::get);
    private final AtomicInteger asked = new AtomicInteger();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    /** The wait of a visitor who has time. */
    private static Wait soon() {
        return Wait.begin(Duration.ofMinutes(1), Duration.ofMinutes(1));
    }

    private <T> CachedQuery<T> shared(int statements, Supplier<T> question) {
        return new CachedQuery<>(pace, nanos::get, threads, statements, Duration.ofSeconds(2), question);
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    @Test
    void freshAnswersAreReused() {
        CachedQuery<Integer> shared = shared(1, asked::incrementAndGet);
        for (int i = 0; i < 100; i++) {
            assertThat(shared.get(soon()).value()).isEqualTo(1);
        }
        pass(Duration.ofSeconds(2));
        assertThat(shared.get(soon()).value()).isEqualTo(2);
        assertThat(shared.get(soon()).value()).isEqualTo(2);
    }

    @Test
    void allPollersTogetherSendFourStatementsASecond() {
        List<AtomicInteger> counts = new ArrayList<>();
        List<CachedQuery<Integer>> many = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            AtomicInteger count = new AtomicInteger();
            counts.add(count);
            many.add(shared(4, count::incrementAndGet));
        }
        look(many, Duration.ofSeconds(60));
        counts.forEach(count -> count.set(0));
        look(many, Duration.ofSeconds(100));
        assertThat(counts).extracting(AtomicInteger::get).allMatch(count -> count == 10 || count == 11);
        assertThat(4 * counts.stream().mapToInt(AtomicInteger::get).sum())
                .as("in 100 seconds")
                .isLessThanOrEqualTo(404);
    }

    private void look(List<CachedQuery<Integer>> all, Duration length) {
        for (Duration t = Duration.ZERO; t.compareTo(length) < 0; t = t.plusMillis(100)) {
            pass(Duration.ofMillis(100));
            all.forEach(shared -> shared.get(soon()));
        }
    }

    @Test
    void anAwaitedQueryGoesFirst() {
        CachedQuery<Integer> old = shared(4, asked::incrementAndGet);
        old.get(soon());
        pass(Duration.ofSeconds(2));
        for (int i = 0; i < 100; i++) {
            assertThat(shared(4, () -> "new").get(soon()).value()).isEqualTo("new");
        }
        assertThat(old.get(soon()).value()).isEqualTo(1);
        pass(Duration.ofSeconds(2));
        assertThat(old.get(soon()).value()).as("older than what is owed").isEqualTo(2);
    }

    @Test
    void aPageIsAsOldAsTheOldestThingOnIt() {
        Instant now = Instant.now();
        var oldest = CachedQuery.Seen.oldest(
                new CachedQuery.Seen<>(1, now, ""),
                new CachedQuery.Seen<>("x", now.minusSeconds(9), ""),
                new CachedQuery.Seen<>(2L, now.minusSeconds(3), "no route"));
        assertThat(oldest.at()).isEqualTo(now.minusSeconds(9));
        assertThat(oldest.problem()).isEqualTo("no route");
    }

    @Test
    void changedDataIsQueriedAtOnce() {
        CachedQuery<Integer> shared = shared(4, asked::incrementAndGet);
        shared.get(soon());
        shared.outdate();
        assertThat(shared.get(soon()).value()).isEqualTo(2);
        assertThat(shared.get(soon()).value()).isEqualTo(2);
    }

    @Test
    void dataChangedDuringAReadIsReadAgain() {
        AtomicInteger database = new AtomicInteger();
        List<CachedQuery<Integer>> self = new ArrayList<>();
        CachedQuery<Integer> shared = shared(1, () -> {
            int read = database.get();
            if (asked.incrementAndGet() == 1) {
                database.set(7);
                self.get(0).outdate();
            }
            return read;
        });
        self.add(shared);
        shared.get(soon());
        assertThat(shared.get(soon()).value()).isEqualTo(7);
    }

    @Test
    void callersDuringAQueryGetTheCachedAnswer() throws Exception {
        CountDownLatch asking = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        CachedQuery<Integer> shared = shared(1, () -> {
            if (asked.incrementAndGet() == 2) {
                asking.countDown();
                await(answer);
            }
            return asked.get();
        });
        shared.get(soon());
        pass(Duration.ofSeconds(10));
        Future<CachedQuery.Seen<Integer>> slow = threads.submit(() -> shared.get(soon()));
        await(asking);
        assertThat(shared.get(soon()).value()).isEqualTo(1);
        answer.countDown();
        assertThat(slow.get(1, TimeUnit.MINUTES).value()).isEqualTo(2);
    }

    @Test
    void theFirstCallersQueryServesAll() throws Exception {
        CountDownLatch answer = new CountDownLatch(1);
        CachedQuery<Integer> shared = shared(1, () -> {
            await(answer);
            return asked.incrementAndGet();
        });
        List<Future<CachedQuery.Seen<Integer>>> all = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            all.add(threads.submit(() -> shared.get(soon())));
        }
        answer.countDown();
        for (Future<CachedQuery.Seen<Integer>> one : all) {
            assertThat(one.get(1, TimeUnit.MINUTES).value()).isEqualTo(1);
        }
    }

    @Test
    void aFailedQueryIsReportedAndTheOldAnswerStays() {
        CachedQuery<Integer> shared = shared(1, () -> {
            if (asked.incrementAndGet() == 2) {
                throw new DatabaseFailureException("no route to jdbc:x://u:secret99@host", null);
            }
            return asked.get();
        });
        shared.get(soon());
        pass(Duration.ofSeconds(3));
        CachedQuery.Seen<Integer> seen = shared.get(soon());
        assertThat(seen.value()).isEqualTo(1);
        assertThat(seen.problem()).startsWith("no route to").doesNotContain("secret99");
        pass(Duration.ofSeconds(3));
        assertThat(shared.get(soon()).problem()).isEmpty();
        assertThat(shared.get(soon()).value()).isEqualTo(3);
    }

    @Test
    void aLongWaitReturnsTheCachedAnswer() {
        CountDownLatch answer = new CountDownLatch(1);
        CachedQuery<Integer> shared = shared(1, () -> {
            if (asked.incrementAndGet() == 2) {
                await(answer);
            }
            return asked.get();
        });
        shared.get(soon());
        pass(Duration.ofSeconds(10));
        Wait wait = Wait.begin(Duration.ofMillis(50), Duration.ofMinutes(1));
        CachedQuery.Seen<Integer> late = shared.get(wait);
        assertThat(late.value()).isEqualTo(1);
        assertThat(late.problem()).contains("not answered");
        assertThat(shared.get(wait).problem()).as("who comes then").contains("not answered");
        answer.countDown();
        Awaitility.await().untilAsserted(() -> assertThat(shared.peek().value()).isEqualTo(2));
        assertThat(shared.get(soon()).problem()).isEmpty();
        assertThat(asked.get()).isEqualTo(2);
    }

    @Test
    void aMissingAnswerIsReported() {
        CountDownLatch answer = new CountDownLatch(1);
        CachedQuery<Integer> shared = shared(1, () -> {
            await(answer);
            return 1;
        });
        CachedQuery.Seen<Integer> none = shared.get(Wait.begin(Duration.ofMinutes(1), Duration.ofMillis(50)));
        assertThat(none.value()).isNull();
        assertThat(none.problem()).contains("not answered");
        answer.countDown();
        assertThat(shared.get(soon()).value()).isEqualTo(1);
    }

    @Test
    void aMistakeInAQuestionIsThrownAndItCanBeAskedAgain() {
        CachedQuery<Integer> shared = shared(1, () -> {
            if (asked.incrementAndGet() == 1) {
                throw new ArithmeticException("a mistake");
            }
            return asked.get();
        });
        assertThatThrownBy(() -> shared.get(soon())).hasRootCauseMessage("a mistake");
        assertThat(shared.get(soon()).value()).isEqualTo(2);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
