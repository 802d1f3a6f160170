package dev.dibs.internal.acquire.calls;

import dev.dibs.internal.lease.HeldLease;
import dev.dibs.internal.lease.LeaseKeys;
import dev.dibs.internal.lease.LeaseKind;
import dev.dibs.internal.lease.LeaseRow;
import dev.dibs.internal.sql.call.Call;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.call.Label;
import dev.dibs.internal.sql.call.NamedStatement;
import dev.dibs.internal.sql.errors.SqlFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Makes it cheaper to acquire a lock again. A lock that was never guarded is released by a plain UPDATE, where that is less work.
 * The next acquire is one UPDATE with the fence of the released lease. If the row still has that fence, no other caller has had the lock
 * since. Otherwise a normal acquire follows.
 *
 * <p>A lease that was guarded is not remembered. Its guard may still be open, and on PostgreSQL a plain UPDATE would pass under it.
 *
 * <p>On PostgreSQL these UPDATEs wait 50 ms at most for each session that has the row locked: one that locks rows of the table itself, a
 * guard by the fence, or an acquire with a slow commit. Then they fail (55P03), and the statement that skips locked rows follows.
 */
public final class Retakes implements LockCalls {

    private static final NamedStatement<Long> RETAKE =
            NamedStatement.of("retake_lock", row -> row.getLong(1), "name", "owner", "holder", "lease", "known_fence");
    private static final NamedStatement<Map.Entry<String, Long>> RETAKE_EACH = NamedStatement.of(
            "retake_each_lock",
            row -> Map.entry(row.getString(1), row.getLong(2)),
            "names",
            "owners",
            "pairs",
            "known_fences",
            "holder",
            "lease");

    private final Database database;
    private final LockCalls calls;
    private final KnownFences fences = new KnownFences();

    /** Wraps the calls that acquire and release any lock. */
    public Retakes(Database database, LockCalls calls) {
        this.database = database;
        this.calls = calls;
    }

    @Override
    public List<LeaseRow> acquire(LeaseKeys.Key lock, Label holder, long lease) throws SqlFailure {
        long known = fences.take(lock.name());
        if (known != KnownFences.NONE) {
            try {
                Call<Long> taken = database.call(
                        RETAKE, LeaseKind.timeout(lease), lock.name(), lock.owner(), holder, lease, known);
                // No row: the lock was taken since, or its row is locked.
                if (!taken.rows().isEmpty()) {
                    return LeaseRow.retaken(
                            lock.name(), lock.owner(), taken.rows().get(0));
                }
            } catch (SqlFailure e) {
                requireUndone(e);
            }
        }
        return calls.acquire(lock, holder, lease);
    }

    /** If the database has answered that it did nothing, the normal statement may follow. */
    private static void requireUndone(SqlFailure failure) throws SqlFailure {
        if (failure.outcome() == SqlFailure.Outcome.UNKNOWN || failure.outcome() == SqlFailure.Outcome.NOT_SENT) {
            throw failure;
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
            return LeaseKind.LOCK.releaseUnguarded(database, lease.key(), timeout);
        } catch (SqlFailure e) {
            requireUndone(e);
            lease.foundLocked();
            return calls.release(lease, timeout);
        }
    }

    private void remember(HeldLease lease, boolean released) {
        if (released && !lease.mayBeGuarded()) {
            fences.put(lease.name(), lease.fencingToken());
        }
    }

    /** No row for a lock means that nothing was done to it. */
    @Override
    public List<List<LeaseRow>> acquireEach(List<LeaseKeys.Key> locks, Label holder, long lease) throws SqlFailure {
        List<Long> known = locks.stream().map(lock -> fences.take(lock.name())).toList();
        return database.statements().features().retakesTogether() && !known.contains(KnownFences.NONE)
                ? retakeEach(locks, known, holder, lease)
                : calls.acquireEach(locks, holder, lease);
    }

    private List<List<LeaseRow>> retakeEach(List<LeaseKeys.Key> locks, List<Long> known, Label holder, long lease)
            throws SqlFailure {
        @Nullable Object[] values = new LeaseKeys(locks).values(known.toArray(Long[]::new), holder, lease);
        Map<String, Long> retaken = database.call(RETAKE_EACH, LeaseKind.timeout(lease), values).rows().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
        List<List<LeaseRow>> rows = new ArrayList<>();
        for (int i = 0; i < locks.size(); i++) {
            LeaseKeys.Key lock = locks.get(i);
            Long fence = retaken.get(lock.name());
            rows.add(fence == null ? List.of() : LeaseRow.retaken(lock.name(), lock.owner(), fence));
        }
        return rows;
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
