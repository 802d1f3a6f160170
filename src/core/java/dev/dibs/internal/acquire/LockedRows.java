package dev.dibs.internal.acquire;

import dev.dibs.internal.lease.LeaseRow;
import dev.dibs.internal.retry.Patience;
import dev.dibs.internal.retry.Retry;
import dev.dibs.internal.retry.RetryPolicy;
import dev.dibs.internal.sql.errors.SqlFailure;
import java.util.List;

/** Repeats an acquire that met an expired row which is locked: another caller is acquiring it, and may not get all that it wants. */
final class LockedRows {

    private LockedRows() {}

    /** The owner token is the same each time: the database has answered that the acquire did nothing. */
    static List<LeaseRow> await(String owner, Retry.Call<List<LeaseRow>> acquire) throws SqlFailure {
        Patience patience = RetryPolicy.LOCKED_LEASE.begin();
        List<LeaseRow> rows;
        do {
            rows = acquire.send();
        } while (isLocked(rows, owner) && patience.pausesForAnother());
        return rows;
    }

    private static boolean isLocked(List<LeaseRow> rows, String owner) {
        return !rows.isEmpty()
                && rows.stream().noneMatch(row -> row.isOwnedBy(owner))
                && !rows.get(0).isBusy();
    }
}
