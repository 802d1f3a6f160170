package dev.dibs.internal.sql.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.dibs.internal.sql.errors.SqlErrors;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.files.DialectFolder;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Trouble of a batch, and of the thread that sends it. */
@Tag("unit")
class BatcherFailureTest extends BatcherCallers {

    private static SqlFailure noConnection() {
        return new SqlFailure("double", SqlFailure.Outcome.NOT_SENT, new SQLException("the pool is exhausted"));
    }

    private static SqlFailure failureOf(Caller caller) {
        ExecutionException failure = catchThrowableOfType(ExecutionException.class, caller.answer::get);
        assertThat(failure).as("failure").hasCauseInstanceOf(SqlFailure.class);
        return (SqlFailure) failure.getCause();
    }

    @Test
    void aLeaderWithoutConnectionFailsAloneAndTheOthersGoInFront() throws Exception {
        doubling.sends(numbers -> {
            if (numbers.contains(1)) {
                asks(doubling, 9);
                throw noConnection();
            }
        });
        occupy();
        Caller leader = asks(doubling, 1);
        Caller second = asks(doubling, 3);
        Caller third = asks(doubling, 2);
        letGo();
        assertThat(failureOf(leader).outcome()).isEqualTo(SqlFailure.Outcome.NOT_SENT);
        assertThat(second.answer.get()).isEqualTo(6);
        assertThat(third.answer.get()).isEqualTo(4);
        assertThat(doubling.sent).containsExactly(List.of(1, 3, 2), List.of(3, 2, 9));
    }

    static List<SqlFailure> noConnections() {
        SqlErrors errors = SqlErrors.load(DialectFolder.named("h2"));
        return List.of(noConnection(), errors.notConnected("double", new SQLException("password", "28000")));
    }

    /** A dead database, or one that refuses the login, is tried twice, not once for each caller. */
    @ParameterizedTest
    @MethodSource("noConnections")
    void ifTheNextLeaderHasNoConnectionEitherAllFail(SqlFailure failure) throws Exception {
        doubling.failsForMany = failure;
        occupy();
        for (int i = 0; i < Batcher.LARGEST; i++) {
            asks(doubling, i);
        }
        letGo();
        assertThat(doubling.sent).hasSize(2);
        for (Caller caller : callers) {
            assertThat(failureOf(caller).outcome()).isEqualTo(failure.outcome());
            assertThat(failureOf(caller))
                    .hasMessageContaining(failure.getMessage())
                    .matches(e -> !e.isUndoneForMany());
        }
    }

    /** However many are interrupted one after the other. */
    @Test
    void anInterruptOfALeaderConcernsNobodyElse() throws Exception {
        doubling.sends(numbers -> {
            if (numbers.get(0) < 5) {
                Thread.currentThread().interrupt();
                throw noConnection();
            }
        });
        occupy();
        for (int i = 0; i < 10; i++) {
            asks(doubling, i);
        }
        letGo();
        for (int i = 0; i < 5; i++) {
            assertThat(failureOf(callers.get(i)).outcome()).isEqualTo(SqlFailure.Outcome.NOT_SENT);
            assertThat(callers.get(i).interruptedAfterwards).isTrue();
        }
        for (int i = 5; i < 10; i++) {
            assertThat(callers.get(i).answer.get()).isEqualTo(2 * i);
            assertThat(callers.get(i).interruptedAfterwards).isFalse();
        }
    }

    /** If its patience is over before the batch is sent, on a slow machine, the trial is repeated with more. */
    @Test
    void aRequeuedCallerHasTheRemainingPatience() throws Exception {
        Duration brief = Duration.ofMillis(500);
        BatcherFailureTest trial = requeued(brief);
        for (int i = 0; i < 5 && trial.doubling.sent.contains(List.of(1, 2)); i++) {
            brief = brief.multipliedBy(2);
            trial = requeued(brief);
        }
        assertThat(trial.callers.get(1).answer.get()).isEqualTo(4);
        assertThat(failureOf(trial.callers.get(2)).outcome()).isEqualTo(SqlFailure.Outcome.NOT_SENT);
        assertThat(trial.doubling.sent).containsExactly(List.of(1, 2, 3), List.of(2));
    }

    /** The patience of the caller with 3 is over when its batch gets no connection. */
    private static BatcherFailureTest requeued(Duration brief) throws Exception {
        BatcherFailureTest trial = new BatcherFailureTest();
        AtomicLong queued = new AtomicLong();
        trial.doubling.sends(numbers -> {
            if (numbers.contains(1)) {
                await().until(() -> System.nanoTime() - queued.get() > brief.toNanos());
                throw noConnection();
            }
        });
        try {
            trial.occupy();
            trial.asks(trial.doubling, 1);
            trial.asks(trial.doubling, 2);
            trial.asks(trial.doubling, 3, brief);
            queued.set(System.nanoTime());
            trial.letGo();
        } finally {
            trial.openTheGates();
        }
        return trial;
    }

    /** It cannot be known what the statement did. */
    @Test
    void ifALeaderIsInterruptedWhileItSendsTheOthersMayTryAgain() throws Exception {
        doubling.sends(numbers -> {
            Thread.currentThread().interrupt();
            throw new SqlFailure("double", SqlFailure.Outcome.UNKNOWN, new SQLException("closed by interrupt"));
        });
        occupy();
        asks(doubling, 1);
        asks(doubling, 2);
        letGo();
        assertThat(failureOf(callers.get(0)).isOfAnother()).isFalse();
        assertThat(failureOf(callers.get(1)).isOfAnother()).isTrue();
        assertThat(failureOf(callers.get(1)).outcome()).isEqualTo(SqlFailure.Outcome.UNKNOWN);
    }

    @ParameterizedTest
    @ValueSource(classes = {StackOverflowError.class, OutOfMemoryError.class, ThreadDeath.class})
    void anErrorOfTheLeaderReachesItAloneAndStrandsNobody(Class<? extends Error> kind) throws Exception {
        doubling.failsForMany = kind.getDeclaredConstructor().newInstance();
        occupy();
        Caller leader = asks(doubling, 1);
        Caller other = asks(doubling, 2);
        letGo();
        assertThatThrownBy(leader.answer::get).hasCauseInstanceOf(kind);
        assertThat(failureOf(other).outcome()).isEqualTo(SqlFailure.Outcome.UNKNOWN);
        assertThat(failureOf(other).isOfAnother()).isTrue();
        assertThat(failureOf(other)).hasCauseInstanceOf(kind);
        assertNothingRuns();
    }

    @Test
    void aListOfAnswersThatIsTooShortIsAnAnswerToNobody() throws Exception {
        doubling.missing = 1;
        occupy();
        asks(doubling, 1);
        asks(doubling, 2);
        letGo();
        assertThatThrownBy(callers.get(0).answer::get).hasCauseInstanceOf(IllegalStateException.class);
        assertThat(failureOf(callers.get(1)).outcome()).isEqualTo(SqlFailure.Outcome.UNKNOWN);
        assertNothingRuns();
    }

    /** As many as ever may run at once. */
    private void assertNothingRuns() {
        gate.countDown();
        AtomicInteger begun = new AtomicInteger();
        await().until(() -> (batcher.tryBegin() ? begun.incrementAndGet() : begun.get()) == Batcher.DIRECT);
    }
}
