package dev.dibs.internal.acquire;

import dev.dibs.DatabaseFailureException;
import dev.dibs.internal.acquire.calls.AcquireStatement;
import dev.dibs.internal.acquire.calls.PlainLockCalls;
import dev.dibs.internal.lease.HeldLease;
import dev.dibs.internal.lease.LeaseKeys;
import dev.dibs.internal.lease.LeaseKind;
import dev.dibs.internal.lease.LeaseName;
import dev.dibs.internal.lease.LeaseRow;
import dev.dibs.internal.sql.call.Call;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.call.Label;
import dev.dibs.internal.sql.call.NamedStatement;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.time.Term;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The request for several locks at once, all or none. The first one stands for all: its holder has all of them, since one transaction
 * acquires them, each with its own owner token. On PostgreSQL that is one statement. Elsewhere a plain read comes first, and the
 * transaction only if all look free. New names are added by statements before it. The locks are released one by one.
 *
 * <p>For one thread and one attempt.
 */
public final class LocksRequest implements LeaseRequest {

    private static final NamedStatement<LeaseRow> ACQUIRE =
            NamedStatement.of("acquire_locks", LeaseRow::read, "names", "owners", "pairs", "holder", "lease");
    private static final NamedStatement<LeaseRow> LOOK =
            NamedStatement.of("look_locks", LeaseRow::read, "names", "owners", "pairs");

    private final List<String> names;
    private final Map<String, LeaseRow> before = new LinkedHashMap<>();
    private final Map<String, LeaseRow> after = new LinkedHashMap<>();
    private boolean made;

    /**
     * A new request.
     *
     * @param names sorted, each once
     */
    public LocksRequest(List<String> names) {
        this.names = names;
    }

    @Override
    public LeaseKind kind() {
        return LeaseKind.LOCK;
    }

    @Override
    public String name() {
        return names.get(0);
    }

    @Override
    public List<String> names() {
        return names;
    }

    @Override
    public LeaseName room() {
        String all = names.size() == 1 ? name() : String.join("\n", names);
        return new LeaseName(kind().waitsFor(), all);
    }

    /** Two callers that want the same locks at the same instant may each have locked some of them: then it asks again. */
    @Override
    public AcquireStatement statement(Database database) {
        return (key, holder, lease) ->
                LockedRows.await(key.owner(), () -> acquireOnce(database, key.owner(), holder, lease));
    }

    private List<LeaseRow> acquireOnce(Database database, String owner, Label holder, long lease) throws SqlFailure {
        before.clear();
        after.clear();
        Duration timeout = LeaseKind.timeout(lease);
        LeaseKeys keys = keys(owner);
        if (database.statements().features().listsInOneStatement()) {
            Call<LeaseRow> acquired = database.call(ACQUIRE, timeout, keys.values(holder, lease));
            sort(keys, acquired.rows());
        } else {
            sort(keys, database.call(LOOK, timeout, keys.values()).rows());
            if (before.size() == names.size() && before.values().stream().noneMatch(LeaseRow::isBusy)) {
                @Nullable Object[] values = keys.values(holder, lease);
                sort(keys, database.transactIf(rows -> rows.size() == names.size(), ACQUIRE, timeout, values));
            }
        }
        if (before.size() < names.size()) {
            LeaseKind.makeLocks(database, keys, timeout);
            made = true;
            return List.of();
        }
        return after.isEmpty() ? whatIsInTheWay() : List.of(after.get(name()), before.get(name()));
    }

    private void sort(LeaseKeys keys, Collection<LeaseRow> rows) {
        Set<String> tokens = keys.owners();
        rows.forEach(row -> (tokens.contains(row.owner()) ? after : before).put(row.name(), row));
    }

    private List<LeaseRow> whatIsInTheWay() {
        List<LeaseRow> busy =
                before.values().stream().filter(LeaseRow::isBusy).limit(1).toList();
        return busy.isEmpty() ? List.copyOf(before.values()).subList(0, 1) : busy;
    }

    @Override
    public @Nullable AcquireOutcome look(Database database) {
        return null;
    }

    /**
     * The leases on all locks, in the order of their names, once the first one was acquired. If its answer was lost, the others are read
     * from the database.
     *
     * @throws DatabaseFailureException if one of them is not ours any more, or that cannot be found out; then none is held
     */
    public List<HeldLease> all(Acquirer acquirer, HeldLease first) {
        List<HeldLease> leases = new ArrayList<>(List.of(first));
        boolean complete = false;
        try {
            keepOthers(acquirer, first, leases);
            if (made) {
                acquirer.maintenance.purge(LeaseKind.LOCK);
            }
            complete = true;
            return leases;
        } catch (SqlFailure e) {
            throw acquirer.errors.explain(e);
        } finally {
            if (!complete) {
                leases.forEach(HeldLease::close);
                keys(first.owner())
                        .all()
                        .forEach(key -> acquirer.maintenance.release(LeaseKind.LOCK, key, first.length(), 0));
            }
        }
    }

    private void keepOthers(Acquirer acquirer, HeldLease first, List<HeldLease> leases) throws SqlFailure {
        Term term = first.term();
        if (term == null) {
            first.check();
            throw new IllegalStateException("no term, yet check() passed");
        }
        LeaseKeys keys = keys(first.owner());
        if (after.isEmpty()) {
            before.clear();
            Map<String, LeaseRow> found = LeaseKind.LOCK.find(acquirer.database, keys, LockRequest.LOOK_TIMEOUT);
            sort(keys, found.values());
        }
        for (LeaseKeys.Key key : keys.all().subList(1, names.size())) {
            LeaseRow ours = after.get(key.name());
            LeaseRow past = before.get(key.name());
            HeldLease kept = ours == null
                    ? null
                    : acquirer.keep(
                            new LockRequest(new PlainLockCalls(acquirer.database), key.name()),
                            ours,
                            key.owner(),
                            term,
                            past == null ? null : ours.takeover(past, LeaseKind.LOCK));
            if (kept == null) {
                throw new DatabaseFailureException("'" + key.name() + "' was not acquired: "
                        + (ours == null ? "it was taken or broken meanwhile" : "the answer came too late"));
            }
            leases.add(kept);
        }
    }
}
