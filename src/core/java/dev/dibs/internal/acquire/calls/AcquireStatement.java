package dev.dibs.internal.acquire.calls;

import dev.dibs.internal.lease.LeaseKeys;
import dev.dibs.internal.lease.LeaseRow;
import dev.dibs.internal.sql.call.Label;
import dev.dibs.internal.sql.errors.SqlFailure;
import java.util.List;

/** Acquires a lease of one kind. Safe for use by many threads at once, unless it belongs to a request for one thread. */
public interface AcquireStatement {

    /**
     * Sends one acquire.
     *
     * @param key a name and a fresh owner token
     * @param lease in milliseconds
     * @return the row that is ours, with that owner, if it was acquired; and the row as it was before, if there was one. No row: two
     *     callers were first at the same instant, and it must be sent again
     */
    List<LeaseRow> acquire(LeaseKeys.Key key, Label holder, long lease) throws SqlFailure;
}
