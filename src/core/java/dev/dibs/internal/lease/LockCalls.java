package dev.dibs.internal.lease;

import dev.dibs.internal.sql.Batcher;
import dev.dibs.internal.sql.Batcher.OneOrMany;
import dev.dibs.internal.sql.Database;
import dev.dibs.internal.sql.Params;
import dev.dibs.internal.sql.SqlFailure;
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
public final class LockCalls {

    private final Database database;
    private final @Nullable Batcher batcher;
    /** Null where an acquire is as short as it gets. */
    private final @Nullable FreedNames freed;

    private LockCalls(Database database, @Nullable Batcher batcher, @Nullable FreedNames freed) {
        this.database = database;
        this.batcher = batcher;
        this.freed = freed;
    }

    /** One by one. */
    static LockCalls direct(Database database) {
        return new LockCalls(database, null, null);
    }

    /** Together with what the batcher has under way. */
    public static LockCalls of(Database database, Batcher batcher) {
        return new LockCalls(
                database,
                LeaseKind.LOCK.coalesces(database) ? batcher : null,
                retakes(database) ? new FreedNames() : null);
    }

    private static boolean retakes(Database database) {
        return database.statements().features().retakesLocks();
    }

    Database database() {
        return database;
    }

    /** The same, one by one. */
    LockCalls direct() {
        return new LockCalls(database, null, freed);
    }

    /** Whether it was given back here since this was last asked, so that it is likely to be free. */
    boolean takeFreed(String name) {
        return freed != null && freed.take(name);
    }

    /**
     * Asks once.
     *
     * @param retake in the shorter way; then no row means that nothing is known
     */
    List<LeaseRow> acquire(String name, String owner, String holder, long lease, boolean retake) throws SqlFailure {
        Acquire acquire = new Acquire(database, holder, lease);
        AcquireCall call = new AcquireCall(new LeaseKeys.Key(name, owner), retake);
        return batcher == null ? acquire.one(call) : batcher.ask(acquire, call, LeaseKind.timeout(lease));
    }

    /** Whether it was still theirs and not locked at that moment. To send it twice does no harm. */
    boolean release(String name, String owner, Duration timeout) throws SqlFailure {
        Release release = new Release(database, timeout);
        LeaseKeys.Key key = new LeaseKeys.Key(name, owner);
        boolean released;
        try {
            released = batcher == null ? release.one(key) : batcher.ask(release, key, timeout);
        } catch (SqlFailure e) {
            if (batcher == null || !e.isUndoneForMany()) {
                throw e;
            }
            released = release.one(key);
        }
        if (released && freed != null) {
            freed.add(name);
        }
        return released;
    }

    /** A lock that somebody wants, in the shorter way unless it goes together with others that are not. */
    private record AcquireCall(LeaseKeys.Key lock, boolean retake) {}

    private record Acquire(Database database, String holder, long lease)
            implements OneOrMany<AcquireCall, List<LeaseRow>> {

        @Override
        public Object key(AcquireCall call) {
            return call.lock.name();
        }

        @Override
        public List<LeaseRow> one(AcquireCall call) throws SqlFailure {
            Params params = rest(Params.of("name", call.lock.name()).with("owner", call.lock.owner()));
            return call.retake
                    ? database.call("retake_lock", params, LeaseKind.timeout(lease), LeaseRow::read)
                            .rows()
                    : LeaseKind.LOCK.acquire(database, params, lease, LeaseRow::isBusy);
        }

        @Override
        public List<List<LeaseRow>> many(List<AcquireCall> calls) throws SqlFailure {
            Params params = rest(
                    LeaseKeys.of(calls.stream().map(AcquireCall::lock).toList()).params());
            List<LeaseRow> all = calls.stream().allMatch(AcquireCall::retake)
                    ? LeaseKind.LOCK.retakeEach(database, params, lease)
                    : LeaseKind.LOCK.acquireEach(database, params, lease);
            Map<String, List<LeaseRow>> rows = all.stream().collect(Collectors.groupingBy(LeaseRow::name));
            return calls.stream()
                    .map(call -> rows.getOrDefault(call.lock.name(), List.of()))
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
