package dev.dibs.internal.once;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.internal.lease.LeaseRow;
import dev.dibs.internal.once.OnceMemory.Known;
import dev.dibs.internal.time.LocalClock;
import dev.dibs.once.OnceOutcome;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What an instance remembers of a row. */
@Tag("unit")
class OnceMemoryTest {

    private static final long SENT = LocalClock.SYSTEM.nanos();
    private static final long READ_AT = 1_000_000;
    private static final OnceMemory.Key HOURLY =
            new OnceMemory.Key("hourly", new OnceSchedule.Every(TimeUnit.HOURS.toMillis(1)));
    private static final OnceMemory.Key EVER = new OnceMemory.Key("ever", new OnceSchedule.Every(OnceSchedule.NEVER));

    private final OnceMemory memory = new OnceMemory(LocalClock.SYSTEM);

    private Known learn(OnceMemory.Key key, @Nullable Long succeededAt, long retryAt) {
        LeaseRow lease = new LeaseRow(key.name(), 0, null, "holder", 1, 1, 1, READ_AT);
        return memory.learn(key, new OnceRow(lease, succeededAt, retryAt, 1, null, null, null), SENT);
    }

    @Test
    void neverAgainIsRemembered() {
        assertThat(learn(EVER, READ_AT, 0).until() - SENT)
                .isBetween(TimeUnit.MINUTES.toNanos(2), TimeUnit.MINUTES.toNanos(5));
        assertThat(memory.get(EVER)).isNotNull();
    }

    @Test
    void aFailureCountsOnlyWhereItIsTheReason() {
        assertThat(learn(HOURLY, null, READ_AT + 5_000).outcome()).isEqualTo(OnceOutcome.FAILED);
        assertThat(learn(HOURLY, READ_AT - 1, READ_AT + 5_000).outcome()).isEqualTo(OnceOutcome.NOT_DUE);
        assertThat(learn(HOURLY, READ_AT - 1, READ_AT - 5_000).outcome()).isEqualTo(OnceOutcome.NOT_DUE);
    }
}
