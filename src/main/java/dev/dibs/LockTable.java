package dev.dibs;

import dev.dibs.sql.Answer;
import dev.dibs.sql.Database;
import dev.dibs.sql.Params;
import dev.dibs.sql.SqlFailure;
import java.sql.Connection;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The statements of {@code locks.sql}, one method each. */
final class LockTable {

    private static final long LONGEST_TIMEOUT_MILLIS = 10_000;

    private final Database database;

    LockTable(Database database) {
        this.database = database;
    }

    /** How long a caller waits for an answer: a dead connection must not hold it for a long lease. */
    static Duration timeout(long lease) {
        return Duration.ofMillis(Math.min(lease, LONGEST_TIMEOUT_MILLIS));
    }

    /** Whether an acquire is several transactions here, of which one may fail after another one has committed. */
    boolean acquiresInSteps() {
        return database.statements().hasSteps("acquire_lock");
    }

    /** Returns the row that is ours, if we won, and the row as it was before. */
    List<LockRow> acquire(String name, String owner, String holder, long lease) throws SqlFailure {
        Params params = Params.of("name", name)
                .with("owner", owner)
                .with("holder", holder)
                .with("lease", lease);
        return database.call("acquire_lock", params, timeout(lease), LockRow::read, LockRow::isHeld)
                .rows();
    }

    /** Returns the row as it is, without any lock; null if there is none. */
    @Nullable
    LockRow look(String name) throws SqlFailure {
        List<LockRow> rows = database.call(
                        "look_lock", Params.of("name", name), Duration.ofMillis(LONGEST_TIMEOUT_MILLIS), LockRow::read)
                .rows();
        return rows.isEmpty() ? null : rows.get(0);
    }

    /** Returns the owners of the leases that were renewed. */
    Set<String> renew(LeaseKeys keys, long lease, Duration timeout) throws SqlFailure {
        Params params = keys.params().with("lease", lease);
        return new HashSet<>(database.call("renew_locks", params, timeout, row -> row.getString("owner"))
                .rows());
    }

    /** Returns the rows that are still theirs, by owner. */
    Map<String, LockRow> find(LeaseKeys keys, Duration timeout) throws SqlFailure {
        Map<String, LockRow> found = new HashMap<>();
        for (LockRow row : database.call("find_locks", keys.params(), timeout, LockRow::read)
                .rows()) {
            found.put(row.owner(), row);
        }
        return found;
    }

    /** Whether it was still ours and not locked at that moment. */
    boolean release(String name, String owner, Duration timeout) throws SqlFailure {
        Params params = Params.of("name", name).with("owner", owner);
        return database.call("release_lock", params, timeout).hit();
    }

    /** Releases what is still theirs and not locked at that moment. */
    void release(LeaseKeys keys, Duration timeout) throws SqlFailure {
        database.call("release_locks", keys.params(), timeout);
    }

    /** Whether it is ours, and will be at the commit of the caller's transaction. */
    boolean guard(Connection connection, String name, String owner) throws SqlFailure {
        Answer<Boolean> answer = database.callOn(
                connection, "guard_lock", Params.of("name", name).with("owner", owner));
        return answer.hit();
    }

    /** Returns the row as it was and the row as it is, as far as there are such. */
    List<LockRow> breakLock(String name, Duration timeout) throws SqlFailure {
        return database.call("break_lock", Params.of("name", name), timeout, LockRow::read)
                .rows();
    }

    List<LockRow> list(Duration timeout) throws SqlFailure {
        return database.call("list_locks", Params.none(), timeout, LockRow::read)
                .rows();
    }

    /** Whether there was something to delete. */
    boolean purge(Duration retention, long batch, Duration timeout) throws SqlFailure {
        Params params = Params.none().with("retention", retention.toMillis()).with("batch", batch);
        return database.call("purge_locks", params, timeout).hit();
    }
}
