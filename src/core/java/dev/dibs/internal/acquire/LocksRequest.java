package dev.dibs.internal.acquire;

import dev.dibs.DatabaseFailureException;
import dev.dibs.internal.lease.LeaseKeys;
import dev.dibs.internal.lease.LeaseKind;
import dev.dibs.internal.lease.LeaseName;
import dev.dibs.internal.lease.LeaseRow;
import dev.dibs.internal.retry.RetryPolicy;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.run.Call;
import dev.dibs.internal.sql.run.Database;
import dev.dibs.internal.sql.run.Params;
import dev.dibs.internal.values.OwnerToken;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The request for several locks at once, all or none. The first one stands for all: its holder has all of them, since one transaction
 * acquires them, each with its own owner token.
 *
 * <p>For one thread and one attempt.
 */
public final class LocksRequest implements LeaseRequest {

    /** A lock that was granted besides the first one. */
    record Grant(String owner, LeaseRow ours, @Nullable LeaseRow past) {}

    private final Database database;
    private final List<String> names;
    private final boolean inOneStatement;
    private final Map<String, LeaseRow> before = new LinkedHashMap<>();
    private final Map<String, LeaseRow> after = new LinkedHashMap<>();
    private boolean made;

    /**
     * A new request.
     *
     * @param names sorted, each once
     */
    public LocksRequest(Database database, List<String> names) {
        this.database = database;
        this.names = names;
        this.inOneStatement = database.statements().features().listsInOneStatement();
    }

    @Override
    public LeaseKind kind() {
        return LeaseKind.LOCK;
    }

    @Override
    public String name() {
        return names.get(0);
    }

    /** Callers that wait for the first lock alone must not wait behind callers that wait for another lock of the list. */
    @Override
    public LeaseName id() {
        return new LeaseName(kind(), String.join("\n", names));
    }

    /** The waiters wait for whichever lock of the list is held. */
    @Override
    public boolean canBeNotified() {
        return false;
    }

    @Override
    public Map<String, String> owners(String owner) {
        Map<String, String> owners = new LinkedHashMap<>();
        for (int i = 0; i < names.size(); i++) {
            owners.put(names.get(i), OwnerToken.nth(owner, i));
        }
        return owners;
    }

    @Override
    public List<LeaseRow> acquire(String owner, String holder, long lease) throws SqlFailure {
        before.clear();
        after.clear();
        Duration timeout = LeaseKind.timeout(lease);
        Map<String, String> owners = owners(owner);
        Params params = keys(owners).params().withHolder(holder).with("lease", lease);
        if (inOneStatement) {
            sort(
                    owners,
                    database.call("acquire_locks", params, timeout, LeaseRow::read)
                            .rows());
        } else {
            sort(
                    owners,
                    database.call("look_locks", params, timeout, LeaseRow::read).rows());
            if (before.size() == names.size() && before.values().stream().noneMatch(LeaseRow::isBusy)) {
                Call<LeaseRow> take = Call.of(database.statements(), "acquire_locks", params, LeaseRow::read);
                sort(owners, database.transactIf(take, rows -> rows.size() == names.size(), timeout));
            }
        }
        if (before.size() < names.size()) {
            database.call("make_locks", params, timeout);
            made = true;
            return List.of();
        }
        return after.isEmpty() ? whatIsInTheWay() : first();
    }

    private static LeaseKeys keys(Map<String, String> owners) {
        LeaseKeys keys = new LeaseKeys();
        owners.forEach(keys::add);
        return keys;
    }

    private void sort(Map<String, String> owners, List<LeaseRow> rows) {
        for (LeaseRow row : rows) {
            String token = owners.get(row.name());
            (token != null && row.isOwnedBy(token) ? after : before).put(row.name(), row);
        }
    }

    private List<LeaseRow> whatIsInTheWay() {
        List<LeaseRow> busy =
                before.values().stream().filter(LeaseRow::isBusy).limit(1).toList();
        return busy.isEmpty() ? List.copyOf(before.values()).subList(0, 1) : busy;
    }

    private List<LeaseRow> first() {
        List<LeaseRow> rows = new ArrayList<>();
        rows.add(after.get(name()));
        rows.add(before.get(name()));
        return rows;
    }

    /**
     * The locks that were granted together with the first one; read from the database if the answer was lost.
     *
     * @throws DatabaseFailureException if one of them is not ours any more
     */
    List<Grant> grants(String owner) throws SqlFailure {
        Map<String, String> owners = owners(owner);
        if (after.isEmpty()) {
            LeaseKind.LOCK
                    .find(database, keys(owners), LockRequest.LOOK_TIMEOUT)
                    .values()
                    .forEach(row -> after.put(row.name(), row));
            before.clear();
        }
        List<Grant> grants = new ArrayList<>();
        for (String name : names.subList(1, names.size())) {
            LeaseRow ours = after.get(name);
            if (ours == null) {
                throw new DatabaseFailureException(
                        "'" + name + "' was not acquired: it was taken or broken meanwhile", null);
            }
            grants.add(new Grant(owners.get(name), ours, before.get(name)));
        }
        return grants;
    }

    /** Whether rows were added. */
    boolean hasMade() {
        return made;
    }

    @Override
    public @Nullable Attempt look() {
        return null;
    }

    /** One transaction acquires them. */
    @Override
    public boolean hasSteps() {
        return false;
    }

    /** Two callers that want the same locks at the same instant may each have locked some of them. */
    @Override
    public int triesIfLocked() {
        return RetryPolicy.TRIES_IF_LOCKED;
    }
}
