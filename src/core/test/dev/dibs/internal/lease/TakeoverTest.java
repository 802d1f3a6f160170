package dev.dibs.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a new holder is told of the one before. */
@Tag("unit")
class TakeoverTest {

    private static LeaseRow row(String owner, long acquiredAt, long until) {
        return new LeaseRow("x", 0, owner, "somebody", 1, acquiredAt, until, acquiredAt);
    }

    @Test
    void aHolderWhoseLeaseHadExpiredWasTakenOver() {
        assertThat(row("ours", 1_500, 2_500).takeover(row("his", 0, 1_000), LeaseKind.LOCK))
                .satisfies(takeover -> assertThat(takeover.stale()).isEqualTo(Duration.ofMillis(500)));
        assertThat(row("ours", 1_000, 2_000).takeover(row("his", 0, 1_000), LeaseKind.LOCK))
                .satisfies(takeover -> assertThat(takeover.stale()).isZero());
    }

    /** Where a statement reads the row before it locks it. */
    @Test
    void aHolderWhoseLeaseHadNotExpiredHasReleasedIt() {
        assertThat(row("ours", 1_000, 2_000).takeover(row("his", 0, 600_000), LeaseKind.LOCK))
                .isNull();
        assertThat(row("ours", 1_000, 2_000).takeover(row(null, 0, 0), LeaseKind.LOCK))
                .isNull();
    }
}
