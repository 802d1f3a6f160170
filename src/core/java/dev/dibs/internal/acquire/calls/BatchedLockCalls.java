package dev.dibs.internal.acquire.calls;

import dev.dibs.internal.lease.HeldLease;
import dev.dibs.internal.lease.LeaseKeys;
import dev.dibs.internal.lease.LeaseKind;
import dev.dibs.internal.lease.LeaseRow;
import dev.dibs.internal.sql.batch.Batcher;
import dev.dibs.internal.sql.batch.Batcher.OneOrMany;
import dev.dibs.internal.sql.call.Label;
import dev.dibs.internal.sql.errors.SqlFailure;
import java.time.Duration;
import java.util.List;

/**
 * Sends simultaneous calls of many threads as one statement: see {@link Batcher}. A batch has acquires of one length of leases and one
 * holder, or releases. A lease counts from before its caller queued. If the database refuses or undoes the batch, perhaps because of a
 * single lock, each caller asks again alone. After a lost answer each caller looks for its own lock.
 */
public record BatchedLockCalls(LockCalls calls, Batcher batcher) implements LockCalls {

    @Override
    public List<LeaseRow> acquire(LeaseKeys.Key lock, Label holder, long lease) throws SqlFailure {
        if (batcher.tryBegin()) {
            try {
                return calls.acquire(lock, holder, lease);
            } finally {
                batcher.end();
            }
        }
        List<LeaseRow> rows = List.of();
        try {
            Acquire statement = new Acquire(calls, holder, lease);
            rows = batcher.ask(statement, lock, LeaseKind.timeout(lease));
            if (rows.isEmpty()) {
                // Perhaps these were retakes of locks that another instance has had since. They go together once more.
                rows = batcher.ask(statement, lock, LeaseKind.timeout(lease));
            }
        } catch (SqlFailure e) {
            requireUndone(e);
        }
        // The batch was answered and did nothing to this lock.
        return rows.isEmpty() ? calls.acquire(lock, holder, lease) : rows;
    }

    @Override
    public boolean release(HeldLease lease, Duration timeout) throws SqlFailure {
        if (batcher.tryBegin()) {
            try {
                return calls.release(lease, timeout);
            } finally {
                batcher.end();
            }
        }
        try {
            return batcher.ask(new Release(calls, timeout), lease, timeout);
        } catch (SqlFailure e) {
            requireUndone(e);
            return calls.release(lease, timeout);
        }
    }

    /**
     * One call of a batch may make the whole batch fail. If the database has answered that it did nothing, each may be sent alone.
     */
    private static void requireUndone(SqlFailure failure) throws SqlFailure {
        if (!failure.isUndoneForMany()) {
            throw failure;
        }
    }

    @Override
    public List<List<LeaseRow>> acquireEach(List<LeaseKeys.Key> locks, Label holder, long lease) throws SqlFailure {
        return calls.acquireEach(locks, holder, lease);
    }

    @Override
    public List<Boolean> releaseEach(List<HeldLease> leases, Duration timeout) throws SqlFailure {
        return calls.releaseEach(leases, timeout);
    }

    private record Acquire(LockCalls calls, Label holder, long lease)
            implements OneOrMany<LeaseKeys.Key, List<LeaseRow>> {

        @Override
        public Object key(LeaseKeys.Key lock) {
            return lock.name();
        }

        @Override
        public List<LeaseRow> one(LeaseKeys.Key lock) throws SqlFailure {
            return calls.acquire(lock, holder, lease);
        }

        @Override
        public List<List<LeaseRow>> many(List<LeaseKeys.Key> locks) throws SqlFailure {
            return calls.acquireEach(locks, holder, lease);
        }
    }

    private record Release(LockCalls calls, Duration timeout) implements OneOrMany<HeldLease, Boolean> {

        @Override
        public Object key(HeldLease lease) {
            return lease.name();
        }

        @Override
        public Boolean one(HeldLease lease) throws SqlFailure {
            return calls.release(lease, timeout);
        }

        @Override
        public List<Boolean> many(List<HeldLease> leases) throws SqlFailure {
            return calls.releaseEach(leases, timeout);
        }
    }
}
