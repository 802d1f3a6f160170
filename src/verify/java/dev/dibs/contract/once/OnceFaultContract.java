package dev.dibs.contract.once;

import static dev.dibs.contract.once.OnceContract.HOUR;
import static dev.dibs.contract.once.OnceContract.ask;

import dev.dibs.LeaseLostException;
import dev.dibs.contract.support.Fixture;
import dev.dibs.database.FullTest;
import dev.dibs.once.Once;
import dev.dibs.once.OnceOutcome;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A run whose success cannot be recorded at once. */
@Tag("fault")
class OnceFaultContract extends Fixture {
    @Test
    void aRunIsRecordedEvenIfTheAnswerIsLost() throws Exception {
        String name = fresh("unanswered");
        Once once = overFaulty().once(name).every(HOUR);
        assertThat(once.tryRun(lease -> faulty().on(sql -> sql.contains("succeeded_at ="))
                        .time(1)
                        .loseAnswer()))
                .isEqualTo(OnceOutcome.RAN);
        assertThat(OnceContract.info(there(), name).lastSuccess()).isPresent();
        OnceContract.moveBack(pool(), name, "succeeded_at", Duration.ofHours(2));
        assertThat(once.tryRun(lease -> faulty().on(sql -> sql.contains("succeeded_at ="))
                        .time(1)
                        .loseStatement()))
                .isEqualTo(OnceOutcome.RAN);
        assertThat(OnceContract.info(there(), name).running()).isEmpty();
        assertThat(faulty().struck()).isNotEmpty();
        assertThat(ask(there().once(name).every(HOUR))).isEqualTo(OnceOutcome.NOT_DUE);
    }

    /** The time counts from the first call. */
    private static boolean isWithin(Duration time, AtomicReference<Instant> first) {
        first.compareAndSet(null, Instant.now());
        return Instant.now().isBefore(first.get().plus(time));
    }

    @Test
    void aRunIsRecordedEvenIfItsThreadIsInterrupted() {
        String name = fresh("interrupted");
        OnceOutcome outcome = overFaulty().once(name).every(HOUR).tryRun(lease -> {
            AtomicReference<Instant> first = new AtomicReference<>();
            faulty().on(sql -> sql.contains("succeeded_at =") && isWithin(Duration.ofMillis(400), first))
                    .always()
                    .fail("40001", 0);
            Thread.currentThread().interrupt();
        });
        assertThat(faulty().struck()).as("sent again after pauses").hasSizeBetween(1, 40);
        assertThat(Thread.interrupted()).as("it is not forgotten").isTrue();
        assertThat(outcome).isEqualTo(OnceOutcome.RAN);
        assertThat(OnceContract.info(overFaulty(), name).lastSuccess()).isPresent();
    }

    /** On PostgreSQL a guard keeps others away, and not the record of its own holder. */
    @FullTest(except = "postgresql")
    void aGuardThatOutlivesTheWorkIsNamedUnlessTheSuccessIsRecorded() throws Exception {
        assumeRowLocks();
        String name = fresh("guarded");
        try (Connection connection = pool().getConnection()) {
            connection.setAutoCommit(false);
            try {
                here().once(name).every(HOUR).tryRun(lease -> lease.guard(connection));
                assertThat(OnceContract.info(there(), name).lastSuccess()).isPresent();
            } catch (LeaseLostException e) {
                assertThat(e).hasMessageContaining("end that transaction before the work returns");
            }
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }

    @Test
    void aFailureWithoutATextIsRecordedAndPassesThrough() {
        String name = fresh("textless");
        RuntimeException textless = new RuntimeException() {
            @Override
            public String getMessage() {
                throw new IllegalStateException("no text");
            }
        };
        Once once = here().once(name).every(HOUR);
        assertThatThrownBy(() -> once.tryRun(lease -> {
                    throw textless;
                }))
                .isSameAs(textless);
        assertThat(OnceContract.info(there(), name).running()).isEmpty();
        assertThat(OnceContract.info(there(), name).lastFailure()).isPresent();
    }
}
