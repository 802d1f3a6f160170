package dev.dibs.internal.lease;

import dev.dibs.LeaseInfo;
import dev.dibs.internal.sql.call.Call;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.call.NamedStatement;
import dev.dibs.internal.sql.call.Params;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.files.Statements;
import dev.dibs.internal.values.OwnerToken;
import java.sql.Connection;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The kinds of leases. Each kind has a table. All kinds share the statements of {@code leases.sql}, one method each. A kind differs in how
 * it is acquired: {@code acquire.LeaseRequest}.
 */
// The readers of its statements have no state.
@SuppressWarnings("ImmutableEnumChecker")
public enum LeaseKind {
    /** A lock by name. */
    LOCK(true),
    /** Work that is done once a period. Its row records when it was done, so it is never purged. */
    ONCE(false),
    /** The same lock, for a caller that keeps it busy for a minimum time, even if it is released before. */
    HELD_LOCK(false),
    /** The same lock with a lease that is not renewed. It has the statements of a held lock: they never bring its end forward. */
    TIMED_LOCK(false, "held_lock"),
    /** One of the permits of a semaphore. */
    PERMIT(true),
    /** The gate of a read-write lock: its owner writes, or waits for the last reader to leave. */
    GATE(true),
    /** A reader behind such a gate; a name may have many. */
    READER(true),
    /** A ticket for a fair lock; a name may have many. */
    TICKET(true);

    private static final NamedStatement<Boolean> MAKE = NamedStatement.of("make_locks", "names", "owners", "pairs");
    /** On MySQL it waits if another process adds the row and locks it at this instant. */
    private static final Duration MAKE_TIMEOUT = Duration.ofSeconds(3);

    private static final Duration LONGEST_TIMEOUT = Duration.ofSeconds(10);

    /** Whether idle rows may be purged. */
    final boolean isPurged;

    private final String sqlName;
    private final NamedStatement<LeaseRow> acquire;
    private final NamedStatement<LeaseRow> look;
    private final NamedStatement<String> renew;
    private final NamedStatement<Boolean> renewAll;
    private final NamedStatement<LeaseRow> find;
    private final NamedStatement<Boolean> release;
    private final NamedStatement<Boolean> releaseUnguarded;
    private final NamedStatement<Boolean> releaseMany;
    private final NamedStatement<Boolean> guard;

    LeaseKind(boolean isPurged) {
        this(isPurged, "");
    }

    /** A kind with the statements of another one. */
    LeaseKind(boolean isPurged, String other) {
        this.isPurged = isPurged;
        this.sqlName = other.isEmpty() ? name().toLowerCase(Locale.ROOT) : other;
        this.acquire = NamedStatement.of(statement("acquire_lease"), LeaseRow::read, "name", "owner", "holder", "lease")
                .stopsWhen((row, values) -> settles(row, (String) values[1]));
        this.look = NamedStatement.of(statement("look_lease"), LeaseRow::read, "name");
        this.renew = NamedStatement.of(
                statement("renew_leases"), row -> row.getString("owner"), "names", "owners", "pairs", "lease");
        this.renewAll = NamedStatement.of(statement("renew_all_leases"), "names", "owners", "pairs", "lease");
        this.find = NamedStatement.of(statement("find_leases"), LeaseRow::readSlot, "names", "owners", "pairs");
        this.release = NamedStatement.of(statement("release_lease"), "name", "owner", "hold");
        this.releaseUnguarded = NamedStatement.of(statement("release_unguarded_lease"), "name", "owner");
        this.releaseMany = NamedStatement.of(statement("release_leases"), "names", "owners", "pairs", "hold");
        this.guard = NamedStatement.of(statement("guard_lease"), "name", "owner");
    }

    /** The kind itself, or LOCK for every kind of lock: waiters and a release in the background need not tell them apart. */
    public LeaseKind baseKind() {
        return this == HELD_LOCK || this == TIMED_LOCK ? LOCK : this;
    }

    /** Whether the heartbeat renews its leases. */
    boolean isRenewed() {
        return this != TIMED_LOCK;
    }

    /** The kind whose release lets a caller of this one go on: readers wait for the gate. */
    public LeaseKind waitsFor() {
        return this == READER ? GATE : baseKind();
    }

    /** Whether the next waiter may have it too. */
    public boolean isShared() {
        return this == READER;
    }

    /** Whether a lease of this kind is only an intent when it is acquired: its caller gets it later, or never. */
    boolean isIntent() {
        return this == GATE || this == TICKET;
    }

    /** The kind as users know it. */
    LeaseInfo.Kind publicKind() {
        return switch (this) {
            case LOCK, HELD_LOCK, TIMED_LOCK, TICKET -> LeaseInfo.Kind.LOCK;
            case ONCE -> LeaseInfo.Kind.ONCE;
            case PERMIT -> LeaseInfo.Kind.PERMIT;
            case GATE -> LeaseInfo.Kind.WRITER;
            case READER -> LeaseInfo.Kind.READER;
        };
    }

    /** The kind that users know by this name. */
    public static LeaseKind of(LeaseInfo.Kind kind) {
        return Stream.of(values())
                .filter(one -> one.publicKind() == kind)
                .findFirst()
                .orElseThrow();
    }

    /** Whether a lease of this kind keeps out a caller that wants one of another kind, of the same name. */
    boolean keepsOut(LeaseKind wanted) {
        return switch (this) {
            case GATE -> wanted == GATE || wanted == READER;
            case READER -> wanted == GATE;
            case TICKET -> false;
            default -> baseKind() == wanted.baseKind();
        };
    }

    /** The kind as the statement files and the table name it. */
    public String sqlName() {
        return sqlName;
    }

    private String statement(String ofLeases) {
        return Statements.nameFor(sqlName, ofLeases);
    }

    /** How long a caller waits for an answer: a dead connection must not block it for a long lease. */
    public static Duration timeout(long lease) {
        return lease >= LONGEST_TIMEOUT.toMillis() ? LONGEST_TIMEOUT : Duration.ofMillis(lease);
    }

    /** Acquires one, for a kind that needs no other values. */
    public NamedStatement<LeaseRow> acquire() {
        return acquire;
    }

    /** Whether the other steps of an acquire need not be sent after this row. */
    private boolean settles(LeaseRow row, String owner) {
        return switch (this) {
            case READER -> row.isOwnedBy(owner);
            case GATE, TICKET -> row.isHeld();
            default -> row.isBusy();
        };
    }

    /** Adds the row of a name, as a free lock, unless it is there. It does no harm if it is sent twice. */
    public static void makeLock(Database database, String name) throws SqlFailure {
        try {
            makeLocks(database, LeaseKeys.of(new LeaseKeys.Key(name, OwnerToken.next())), MAKE_TIMEOUT);
        } catch (SqlFailure e) {
            throw e.ofReading();
        }
    }

    /** Adds the rows of names, as free locks, unless they are there. */
    public static void makeLocks(Database database, LeaseKeys keys, Duration timeout) throws SqlFailure {
        Call<Boolean> unused = database.call(MAKE, timeout, keys.values());
    }

    /** The rows of a name, read without a row lock. */
    public List<LeaseRow> look(Database database, String name, Duration timeout) throws SqlFailure {
        return database.call(look, timeout, name).rows();
    }

    /** The same in the caller's transaction. */
    public List<LeaseRow> lookOn(Connection connection, Database database, String name) throws SqlFailure {
        return database.callOn(connection, look, name).rows();
    }

    /** Returns the owners of the leases that were renewed. */
    public Set<String> renew(Database database, LeaseKeys keys, long lease, Duration timeout) throws SqlFailure {
        @Nullable Object[] values = keys.values(lease);
        if (renewsAll(database, values, keys.all().size(), timeout)) {
            return keys.owners();
        }
        return new HashSet<>(database.call(renew, timeout, values).rows());
    }

    /** Tries the cheaper renewal of all; false if one may be missing. */
    private boolean renewsAll(Database database, @Nullable Object[] values, int count, Duration timeout)
            throws SqlFailure {
        if (!database.statements().features().renewsAllAtOnce()) {
            return false;
        }
        try {
            return database.call(renewAll, timeout, values).changed() == count;
        } catch (SqlFailure e) {
            if (e.outcome() == SqlFailure.Outcome.ROLLED_BACK) {
                return false;
            }
            throw e;
        }
    }

    /** Returns the rows that are still theirs, by owner. */
    public Map<String, LeaseRow> find(Database database, LeaseKeys keys, Duration timeout) throws SqlFailure {
        Map<String, LeaseRow> found = new HashMap<>();
        database.call(find, timeout, keys.values()).rows().forEach(row -> found.put(row.owner(), row));
        return found;
    }

    /**
     * Returns the row if it is still theirs. Renews it before it reads, since that proves that the acquire is committed: some databases
     * show uncommitted rows, or no new ones yet.
     */
    public @Nullable LeaseRow findOne(Database database, LeaseKeys.Key key, long lease) throws SqlFailure {
        LeaseKeys keys = LeaseKeys.of(key);
        boolean ours = renew(database, keys, lease, timeout(lease)).contains(key.owner());
        return ours ? find(database, keys, timeout(lease)).get(key.owner()) : null;
    }

    /**
     * Returns whether it was still ours and not locked at that moment.
     *
     * @param hold how many milliseconds it stays busy from its acquisition on, for a kind that has this
     */
    public boolean release(Database database, LeaseKeys.Key key, long hold, Duration timeout) throws SqlFailure {
        return database.call(release, timeout, key.name(), key.owner(), hold).hit();
    }

    /** The same for a lock whose row nobody should have locked. If it is locked, this may fail as rolled back. */
    public boolean releaseUnguarded(Database database, LeaseKeys.Key key, Duration timeout) throws SqlFailure {
        return database.call(releaseUnguarded, timeout, key.name(), key.owner()).hit();
    }

    /** Releases those that are still theirs and not locked at that moment: one by one where the kind has no statement for many. */
    public void release(Database database, LeaseKeys keys, long hold, Duration timeout) throws SqlFailure {
        if (!database.statements().names().contains(releaseMany.name())) {
            for (LeaseKeys.Key key : keys.all()) {
                release(database, key, hold, timeout);
            }
            return;
        }
        database.call(releaseMany, timeout, keys.values(hold));
    }

    /** Whether it is ours, and will be at the commit of the caller's transaction. */
    boolean guard(Database database, Connection connection, LeaseKeys.Key key) throws SqlFailure {
        return database.callOn(connection, guard, key.name(), key.owner()).hit();
    }

    /** Returns the row as it was and the row as it is, as far as they exist. */
    public List<LeaseRow> breakOne(Database database, String name, Duration timeout) throws SqlFailure {
        return database.call(statement("break_lease"), Params.of("name", name), timeout, LeaseRow::read)
                .rows();
    }

    /** The name of the statement that lists those that are held. */
    public String listing() {
        return statement("list_leases");
    }

    public List<LeaseRow> list(Database database, Duration timeout) throws SqlFailure {
        return database.call(listing(), Params.none(), timeout, LeaseRow::read).rows();
    }

    /** Returns whether a row was deleted. */
    boolean purge(Database database, Duration retention, long batch, Duration timeout) throws SqlFailure {
        Params params = Params.none().with("retention", retention.toMillis()).with("batch", batch);
        return database.call(statement("purge_leases"), params, timeout).hit();
    }
}
