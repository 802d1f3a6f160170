package dev.dibs.internal.runs;

import dev.dibs.claims.RowKey;
import dev.dibs.internal.claims.ClaimEngine;
import dev.dibs.internal.claims.store.ClaimedRow;
import dev.dibs.internal.sql.call.Steps;
import dev.dibs.internal.time.LocalClock;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How far one worker of a run has come in the order of the table. Finished rows stay in an index until the database tidies up, and walking
 * past them can take longer than the rest of a claim. So the next claim begins at the first row of the last one. Rows before it that have
 * become free are found soon: a worker looks at all rows after a claim of too few, and from time to time.
 *
 * <p>For one worker's thread.
 */
final class RunCursor<T> {

    private static final long LONGEST = TimeUnit.MILLISECONDS.toNanos(100);

    private final ClaimEngine<T> claims;
    private final LocalClock clock;
    /** The first row of the last claim; null if the next one looks at all rows. */
    private @Nullable RowKey first;
    /** When it last looked at all rows. */
    private long sinceNanos;

    RunCursor(ClaimEngine<T> claims, LocalClock clock) {
        this.claims = claims;
        this.clock = clock;
    }

    Steps<ClaimedRow<T>> claim(String token, int n) {
        long now = clock.nanos();
        if (first != null && now - sinceNanos < LONGEST) {
            return claims.claimer().claimFrom(first, token, n);
        }
        first = null;
        sinceNanos = now;
        return claims.claimer().claim(token, n, false);
    }

    /** Remembers where the next claim begins. */
    void claimed(List<ClaimedRow<T>> rows, int n) {
        first = rows.size() < n || !claims.claimer().keepsFront()
                ? null
                : rows.get(0).key();
    }
}
