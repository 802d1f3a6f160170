package dev.dibs.internal.lease;

import dev.dibs.internal.sql.errors.SqlFailure;
import java.time.Duration;

/** The statement that releases a lock. */
public interface LockRelease {

    /** Returns whether it was still ours and not locked at that moment. Sending it twice does no harm. */
    boolean release(HeldLease lease, Duration timeout) throws SqlFailure;
}
