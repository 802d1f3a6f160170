package dev.dibs.internal.acquire.calls;

import dev.dibs.internal.lease.HeldLease;
import dev.dibs.internal.lease.LeaseKeys;
import dev.dibs.internal.lease.LeaseKind;
import dev.dibs.internal.lease.LeaseRow;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.files.Features;
import dev.dibs.internal.sql.run.Call;
import dev.dibs.internal.sql.run.Database;
import dev.dibs.internal.sql.run.Params;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The statements as they are. */
public record PlainLockCalls(Database database) implements LockCalls {

    private static final String ACQUIRE = "acquire_lock";
    private static final String ACQUIRE_EACH = "acquire_each_lock";
    private static final String RELEASE_EACH = "release_each_lock";

    /** Whether many can be acquired or released at once. */
    public boolean servesMany() {
        return database.statements().names().contains(ACQUIRE_EACH);
    }

    @Override
    public List<LeaseRow> acquire(LeaseKeys.Key lock, String holder, long lease) throws SqlFailure {
        Params params = Params.of("name", lock.name())
                .with("owner", lock.owner())
                .withHolder(holder)
                .with("lease", lease);
        return database.call(ACQUIRE, params, LeaseKind.timeout(lease), LeaseRow::read, LeaseRow::isBusy)
                .rows();
    }

    @Override
    public List<List<LeaseRow>> acquireEach(List<LeaseKeys.Key> locks, String holder, long lease) throws SqlFailure {
        Params params = new LeaseKeys(locks).params().withHolder(holder).with("lease", lease);
        Map<String, List<LeaseRow>> rows =
                acquireEach(params, LeaseKind.timeout(lease)).stream().collect(Collectors.groupingBy(LeaseRow::name));
        return locks.stream()
                .map(lock -> rows.getOrDefault(lock.name(), List.of()))
                .toList();
    }

    private List<LeaseRow> acquireEach(Params params, Duration timeout) throws SqlFailure {
        if (database.statements().features().locksTogether() != Features.Together.TRANSACTION) {
            return database.call(ACQUIRE_EACH, params, timeout, LeaseRow::read).rows();
        }
        Call<LeaseRow> call = Call.of(database.statements(), ACQUIRE_EACH, params, LeaseRow::read);
        return database.transactIf(call, rows -> true, timeout);
    }

    @Override
    public boolean release(HeldLease lease, Duration timeout) throws SqlFailure {
        return LeaseKind.LOCK.release(database, lease.key(), 0, timeout);
    }

    @Override
    public List<Boolean> releaseEach(List<HeldLease> leases, Duration timeout) throws SqlFailure {
        LeaseKeys keys = new LeaseKeys(leases.stream().map(HeldLease::key).toList());
        Set<String> released =
                new HashSet<>(database.call(RELEASE_EACH, keys.params(), timeout, row -> row.getString("name"))
                        .rows());
        return leases.stream().map(lease -> released.contains(lease.name())).toList();
    }
}
