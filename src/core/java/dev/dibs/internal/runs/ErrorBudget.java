package dev.dibs.internal.runs;

import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The failures at which a run stops by itself, and those so far, as {@code read_failures} returns them.
 *
 * @param most failed attempts; 0 for no limit
 * @param percent of the attempts; 0 for no limit
 * @param failed since the run was last started
 * @param done since its last start
 */
record ErrorBudget(long most, long percent, long failed, long done) {

    /** The number of attempts from which on a percentage counts. {@code Run} and {@code RunBuilder} document it. */
    private static final int ENOUGH = 50;

    private static final long HUNDRED = 100;

    static ErrorBudget read(ResultSet row) throws SQLException {
        return new ErrorBudget(
                row.getLong("max_failures"), row.getLong("max_percent"), row.getLong("failed"), row.getLong("done"));
    }

    /** Why the run has to stop; null if it may go on. */
    @Nullable
    String excess() {
        long attempts = done + failed;
        if (most > 0 && failed >= most) {
            return failed + " attempts have failed, the limit is " + most;
        }
        if (percent > 0 && attempts >= ENOUGH && failed * HUNDRED >= attempts * percent) {
            return failed + " of " + attempts + " attempts have failed, the limit is " + percent + " %";
        }
        return null;
    }
}
