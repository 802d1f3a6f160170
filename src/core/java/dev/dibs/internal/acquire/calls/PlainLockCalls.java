package dev.dibs.internal.acquire.calls;

import dev.dibs.internal.lease.HeldLease;
import dev.dibs.internal.lease.LeaseKeys;
import dev.dibs.internal.lease.LeaseKind;
import dev.dibs.internal.lease.LeaseRow;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.call.Label;
import dev.dibs.internal.sql.call.NamedStatement;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.files.Features;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The statements as they are. */
public record PlainLockCalls(Database database) implements LockCalls {

    private static final NamedStatement<LeaseRow> ACQUIRE_EACH =
            NamedStatement.of("acquire_each_lock", LeaseRow::read, "names", "owners", "pairs", "holder", "lease");
    private static final NamedStatement<String> RELEASE_EACH =
            NamedStatement.of("release_each_lock", row -> row.getString("name"), "names", "owners", "pairs");

    /** Whether many can be acquired or released at once. */
    public boolean servesMany() {
        return database.statements().names().contains(ACQUIRE_EACH.name());
    }

    @Override
    public List<LeaseRow> acquire(LeaseKeys.Key lock, Label holder, long lease) throws SqlFailure {
        return database.call(
                        LeaseKind.LOCK.acquire(), LeaseKind.timeout(lease), lock.name(), lock.owner(), holder, lease)
                .rows();
    }

    @Override
    public List<List<LeaseRow>> acquireEach(List<LeaseKeys.Key> locks, Label holder, long lease) throws SqlFailure {
        @Nullable Object[] values = new LeaseKeys(locks).values(holder, lease);
        Map<String, List<LeaseRow>> rows =
                acquireEach(values, LeaseKind.timeout(lease)).stream().collect(Collectors.groupingBy(LeaseRow::name));
        return locks.stream()
                .map(lock -> rows.getOrDefault(lock.name(), List.of()))
                .toList();
    }

    private List<LeaseRow> acquireEach(@Nullable Object[] values, Duration timeout) throws SqlFailure {
        return database.statements().features().locksTogether() == Features.Together.TRANSACTION
                ? database.transactIf(rows -> true, ACQUIRE_EACH, timeout, values)
                : database.call(ACQUIRE_EACH, timeout, values).rows();
    }

    @Override
    public boolean release(HeldLease lease, Duration timeout) throws SqlFailure {
        return LeaseKind.LOCK.release(database, lease.key(), 0, timeout);
    }

    @Override
    public List<Boolean> releaseEach(List<HeldLease> leases, Duration timeout) throws SqlFailure {
        LeaseKeys keys = new LeaseKeys(leases.stream().map(HeldLease::key).toList());
        Set<String> released = new HashSet<>(
                database.call(RELEASE_EACH, timeout, keys.values()).rows());
        return leases.stream().map(lease -> released.contains(lease.name())).toList();
    }
}
