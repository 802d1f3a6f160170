package dev.dibs;

import dev.dibs.sql.Coalescer;
import dev.dibs.sql.Coalescer.OneOrMany;
import dev.dibs.sql.Database;
import dev.dibs.sql.Params;
import dev.dibs.sql.SqlFailure;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Acquires and releases of locks: each by a statement of its own or, where many of an instance come at the same time and the database
 * has a statement for many, several by one.
 */
final class LockCalls {

    private final Database database;
    private final @Nullable Coalescer coalescer;

    private LockCalls(Database database, @Nullable Coalescer coalescer) {
        this.database = database;
        this.coalescer = coalescer;
    }

    /** One by one. */
    static LockCalls direct(Database database) {
        return new LockCalls(database, null);
    }

    /** Together with what the coalescer has under way. */
    static LockCalls of(Database database, Coalescer coalescer) {
        return new LockCalls(database, LeaseKind.LOCK.coalesces(database) ? coalescer : null);
    }

    Database database() {
        return database;
    }

    /** The same, one by one. */
    LockCalls direct() {
        return direct(database);
    }

    List<LeaseRow> acquire(String name, String owner, String holder, long lease) throws SqlFailure {
        Acquire acquire = new Acquire(database, holder, lease);
        LeaseKeys.Key key = new LeaseKeys.Key(name, owner);
        return coalescer == null ? acquire.one(key) : coalescer.ask(acquire, key, LeaseKind.timeout(lease));
    }

    /** Whether it was still theirs and not locked at that moment. To send it twice does no harm. */
    boolean release(String name, String owner, Duration timeout) throws SqlFailure {
        Release release = new Release(database, timeout);
        LeaseKeys.Key key = new LeaseKeys.Key(name, owner);
        if (coalescer != null) {
            try {
                return coalescer.ask(release, key, timeout);
            } catch (SqlFailure e) {
                if (!e.isUndoneForMany()) {
                    throw e;
                }
            }
        }
        return release.one(key);
    }

    private record Acquire(Database database, String holder, long lease)
            implements OneOrMany<LeaseKeys.Key, List<LeaseRow>> {

        @Override
        public Object key(LeaseKeys.Key lock) {
            return lock.name();
        }

        @Override
        public List<LeaseRow> one(LeaseKeys.Key lock) throws SqlFailure {
            Params params = Params.of("name", lock.name()).with("owner", lock.owner());
            return LeaseKind.LOCK.acquire(database, rest(params), lease, LeaseRow::isBusy);
        }

        @Override
        public List<List<LeaseRow>> many(List<LeaseKeys.Key> locks) throws SqlFailure {
            Map<String, List<LeaseRow>> rows =
                    LeaseKind.LOCK
                            .acquireEach(database, rest(LeaseKeys.of(locks).params()), lease)
                            .stream()
                            .collect(Collectors.groupingBy(LeaseRow::name));
            return locks.stream()
                    .map(lock -> rows.getOrDefault(lock.name(), List.of()))
                    .toList();
        }

        private Params rest(Params params) {
            return params.with("holder", holder).with("lease", lease);
        }
    }

    private record Release(Database database, Duration timeout) implements OneOrMany<LeaseKeys.Key, Boolean> {

        @Override
        public Object key(LeaseKeys.Key lock) {
            return lock.name();
        }

        @Override
        public Boolean one(LeaseKeys.Key lock) throws SqlFailure {
            return LeaseKind.LOCK.release(database, lock.name(), lock.owner(), 0, timeout);
        }

        @Override
        public List<Boolean> many(List<LeaseKeys.Key> locks) throws SqlFailure {
            Set<String> released = LeaseKind.LOCK.releaseEach(database, LeaseKeys.of(locks), timeout);
            return locks.stream().map(lock -> released.contains(lock.name())).toList();
        }
    }
}
