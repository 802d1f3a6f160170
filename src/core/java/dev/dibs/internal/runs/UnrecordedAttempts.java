package dev.dibs.internal.runs;

import dev.dibs.claims.RowKey;
import dev.dibs.internal.retry.RetryPolicy;
import dev.dibs.internal.sql.errors.SqlFailure;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Failed attempts of one worker that are not recorded in the database. They count here, or a row whose failures the database refuses to
 * record would be tried for ever.
 *
 * <p>For one worker's thread.
 */
final class UnrecordedAttempts {

    private static final int REMEMBERED = 1_000;

    private final Map<RowKey, Long> attempts = new LinkedHashMap<>();
    private int refused;
    private @Nullable SqlFailure last;

    /** An attempt has failed, and is to be recorded. */
    void add(RowKey row) {
        attempts.merge(row, 1L, Long::sum);
        if (attempts.size() > REMEMBERED) {
            attempts.remove(attempts.keySet().iterator().next());
        }
    }

    /** How many attempts on the row the database does not know. */
    long of(RowKey row) {
        return attempts.getOrDefault(row, 0L);
    }

    /** They are recorded. */
    void forget(RowKey row) {
        attempts.remove(row);
    }

    /** The database works, but refuses the record. */
    void refused(SqlFailure why) {
        refused++;
        last = why;
    }

    /** Why the worker has to end; null if it may go on. */
    @Nullable
    SqlFailure tooMany() {
        return refused < RetryPolicy.RUN_UNRECORDED ? null : last;
    }
}
