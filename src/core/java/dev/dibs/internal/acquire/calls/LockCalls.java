package dev.dibs.internal.acquire.calls;

import dev.dibs.internal.lease.HeldLease;
import dev.dibs.internal.lease.LeaseKeys;
import dev.dibs.internal.lease.LeaseRow;
import dev.dibs.internal.lease.LockRelease;
import dev.dibs.internal.sql.call.Label;
import dev.dibs.internal.sql.errors.SqlFailure;
import java.time.Duration;
import java.util.List;

/**
 * Acquires and releases locks. {@link PlainLockCalls} sends a statement for each; other classes wrap it to make it cheaper.
 *
 * <p>Safe for use by many threads at once.
 */
public interface LockCalls extends AcquireStatement, LockRelease {

    /**
     * Acquires many locks at once, each name once. The answers are in the order of the locks. Nothing was acquired where there is
     * an error, or an answer has no rows.
     */
    List<List<LeaseRow>> acquireEach(List<LeaseKeys.Key> locks, Label holder, long lease) throws SqlFailure;

    /** Releases many leases at once, each name once; the answers are in their order. */
    List<Boolean> releaseEach(List<HeldLease> leases, Duration timeout) throws SqlFailure;
}
