package dev.dibs.internal.retake;

import dev.dibs.internal.lease.HeldLease;
import dev.dibs.internal.lease.LeaseKeys;
import dev.dibs.internal.lease.LeaseKind;
import dev.dibs.internal.lease.LeaseRow;
import dev.dibs.internal.lease.LockCalls;
import dev.dibs.internal.sql.Database;
import dev.dibs.internal.sql.Params;
import dev.dibs.internal.sql.SqlFailure;
import java.time.Duration;
import java.util.List;

/**
 * Releases a lock that was never guarded by a plain UPDATE, where that is less work, and takes it again by one of the row that is known:
 * nobody has had it since if and only if it still has the fence of the lease that was given back. Whatever else is the case, an acquire tells.
 *
 * <p>A lease that was ever guarded is not remembered. Its guard may still be open, and on some databases a plain UPDATE
 * would pass under it.
 */
public final class Retakes implements LockCalls {

    private final Database database;
    private final LockCalls calls;
    private final KnownFences fences = new KnownFences();

    /** Around those that take any lock. */
    public Retakes(Database database, LockCalls calls) {
        this.database = database;
        this.calls = calls;
    }

    @Override
    public List<LeaseRow> acquire(LeaseKeys.Key lock, String holder, long lease) throws SqlFailure {
        long known = fences.take(lock.name());
        if (known != 0) {
            List<LeaseRow> rows = retake(lock, known, holder, lease);
            if (!rows.isEmpty()) {
                return rows;
            }
        }
        return calls.acquire(lock, holder, lease);
    }

    /** No row: it is not as it was given back, or somebody has it locked. */
    private List<LeaseRow> retake(LeaseKeys.Key lock, long known, String holder, long lease) throws SqlFailure {
        Params params = Params.of("name", lock.name())
                .with("owner", lock.owner())
                .with("holder", holder)
                .with("lease", lease)
                .with("known_fence", known);
        try {
            return database.call("retake_lock", params, LeaseKind.timeout(lease), row -> row.getLong(1)).rows().stream()
                    .limit(1)
                    .flatMap(fence -> LeaseRow.retaken(lock.name(), lock.owner(), known, fence))
                    .toList();
        } catch (SqlFailure e) {
            if (e.outcome() != SqlFailure.Outcome.ROLLED_BACK) {
                throw e;
            }
            return List.of();
        }
    }

    @Override
    public boolean release(HeldLease lease, Duration timeout) throws SqlFailure {
        boolean released = lease.isUnlocked() ? releaseUnguarded(lease, timeout) : calls.release(lease, timeout);
        remember(lease, released);
        return released;
    }

    private boolean releaseUnguarded(HeldLease lease, Duration timeout) throws SqlFailure {
        try {
            return LeaseKind.LOCK.releaseUnguarded(database, lease.name(), lease.owner(), timeout);
        } catch (SqlFailure e) {
            if (e.outcome() != SqlFailure.Outcome.ROLLED_BACK) {
                throw e;
            }
            lease.foundLocked();
            return false;
        }
    }

    private void remember(HeldLease lease, boolean released) {
        if (released && !lease.mayBeGuarded()) {
            fences.put(lease.name(), lease.fencingToken());
        }
    }

    @Override
    public List<List<LeaseRow>> acquireEach(List<LeaseKeys.Key> locks, String holder, long lease) throws SqlFailure {
        return calls.acquireEach(locks, holder, lease);
    }

    @Override
    public List<Boolean> releaseEach(List<HeldLease> leases, Duration timeout) throws SqlFailure {
        List<Boolean> released = calls.releaseEach(leases, timeout);
        for (int i = 0; i < leases.size(); i++) {
            remember(leases.get(i), released.get(i));
        }
        return released;
    }
}
