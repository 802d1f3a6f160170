package dev.dibs.internal.lease;

import dev.dibs.internal.sql.Answer;
import dev.dibs.internal.sql.Database;
import dev.dibs.internal.sql.Params;
import dev.dibs.internal.sql.RowReader;
import dev.dibs.internal.sql.SqlFailure;
import dev.dibs.internal.sql.Statements;
import java.sql.Connection;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What there is a lease on. Each kind has a table, and what is done with a lease is the same for all: the statements of {@code
 * leases.sql}, one method each. How a lease is asked for is the kind's own: {@link LeaseRequest}.
 */
public enum LeaseKind {
    /** A lock by name. */
    LOCK(true),
    /** Something that is done once a period. Its row says when it was done, and so never goes. */
    ONCE(false),
    /** The same lock for somebody who keeps it busy for a while at least, even if it is given back before. */
    HELD_LOCK(false),
    /** One of the permits of a semaphore. */
    PERMIT(true, true),
    /** The gate of a read-write lock: who has it writes, or waits for the last reader to leave. */
    GATE(true),
    /** A reader behind such a gate; a name may have many. */
    READER(true),
    /** A place in the line for a fair lock; a name may have many. */
    TICKET(true);

    private static final long LONGEST_TIMEOUT_MILLIS = 10_000;

    /** Whether a row that nobody has used for long says nothing and may go. */
    final boolean isPurged;

    private final boolean hasSlots;

    private final String word = name().toLowerCase(Locale.ROOT);
    private final String acquire = Statements.nameFor(word, "acquire_lease");
    private final String look = Statements.nameFor(word, "look_lease");
    private final String renew = Statements.nameFor(word, "renew_leases");
    private final String find = Statements.nameFor(word, "find_leases");
    private final String release = Statements.nameFor(word, "release_lease");
    private final String releaseUnguarded = Statements.nameFor(word, "release_unguarded_lease");
    private final String releaseMany = Statements.nameFor(word, "release_leases");
    private final String guard = Statements.nameFor(word, "guard_lease");
    private final String breakOne = Statements.nameFor(word, "break_lease");
    private final String list = Statements.nameFor(word, "list_leases");
    private final String purge = Statements.nameFor(word, "purge_leases");

    LeaseKind(boolean isPurged) {
        this(isPurged, false);
    }

    LeaseKind(boolean isPurged, boolean hasSlots) {
        this.isPurged = isPurged;
        this.hasSlots = hasSlots;
    }

    /** What it is besides: who waits for it, and whoever ends it at once, need not tell the two apart. */
    LeaseKind plain() {
        return this == HELD_LOCK ? LOCK : this;
    }

    /** The kind as the statement files call it, and its table. */
    public String word() {
        return word;
    }

    /** How long a caller waits for an answer: a dead connection must not hold it for a long lease. */
    public static Duration timeout(long lease) {
        return Duration.ofMillis(Math.min(lease, LONGEST_TIMEOUT_MILLIS));
    }

    /**
     * Asks once.
     *
     * @param settles a row after which the steps that say {@code unless} must not be sent
     */
    public List<LeaseRow> acquire(Database database, Params params, long lease, Predicate<LeaseRow> settles)
            throws SqlFailure {
        return database.call(acquire, params, timeout(lease), LeaseRow::read, settles)
                .rows();
    }

    /** Whether an acquire is several transactions here, of which one may fail after another one has committed. */
    public boolean hasSteps(Database database) {
        return database.statements().hasSteps(acquire);
    }

    /** The rows of a name as they are, without any lock. */
    List<LeaseRow> look(Database database, String name, Duration timeout) throws SqlFailure {
        return database.call(look, Params.of("name", name), timeout, LeaseRow::read)
                .rows();
    }

    /** Returns the owners of the leases that were renewed. */
    Set<String> renew(Database database, LeaseKeys keys, long lease, Duration timeout) throws SqlFailure {
        Params params = keys.params().with("lease", lease);
        return new HashSet<>(database.call(renew, params, timeout, row -> row.getString("owner"))
                .rows());
    }

    /** Returns the rows that are still theirs, by owner. */
    Map<String, LeaseRow> find(Database database, LeaseKeys keys, Duration timeout) throws SqlFailure {
        RowReader<LeaseRow> reader = hasSlots ? LeaseRow::readSlot : LeaseRow::read;
        Map<String, LeaseRow> found = new HashMap<>();
        for (LeaseRow row : database.call(find, keys.params(), timeout, reader).rows()) {
            found.put(row.owner(), row);
        }
        return found;
    }

    /**
     * Returns the row if it is still theirs. Renews it before it reads, since that proves that the acquire is committed: some databases
     * show rows that are not, or not yet.
     */
    @Nullable
    LeaseRow findOne(Database database, String name, String owner, long lease) throws SqlFailure {
        LeaseKeys keys = LeaseKeys.of(name, owner);
        boolean ours = renew(database, keys, lease, timeout(lease)).contains(owner);
        return ours ? find(database, keys, timeout(lease)).get(owner) : null;
    }

    /**
     * Whether it was still ours and not locked at that moment.
     *
     * @param hold how many milliseconds it stays busy from its acquisition on, for a kind that does
     */
    boolean release(Database database, String name, String owner, long hold, Duration timeout) throws SqlFailure {
        Params params = Params.of("name", name).with("owner", owner).with("hold", hold);
        return database.call(release, params, timeout).hit();
    }

    /** The same for a lock whose row nobody should have locked. If it is locked all the same, this may fail as rolled back. */
    public boolean releaseUnguarded(Database database, String name, String owner, Duration timeout) throws SqlFailure {
        return database.call(releaseUnguarded, Params.of("name", name).with("owner", owner), timeout)
                .hit();
    }

    /** Releases what is still theirs and not locked at that moment: one by one where the kind has no statement for many. */
    void release(Database database, LeaseKeys keys, long hold, Duration timeout) throws SqlFailure {
        if (!database.statements().names().contains(releaseMany)) {
            for (LeaseKeys.Key key : keys.all()) {
                release(database, key.name(), key.owner(), hold, timeout);
            }
            return;
        }
        database.call(releaseMany, keys.params().with("hold", hold), timeout);
    }

    /** Whether it is ours, and will be at the commit of the caller's transaction. */
    boolean guard(Database database, Connection connection, String name, String owner) throws SqlFailure {
        Answer<Boolean> answer =
                database.callOn(connection, guard, Params.of("name", name).with("owner", owner));
        return answer.hit();
    }

    /** Returns the row as it was and the row as it is, as far as there are such. */
    List<LeaseRow> breakOne(Database database, String name, Duration timeout) throws SqlFailure {
        return database.call(breakOne, Params.of("name", name), timeout, LeaseRow::read)
                .rows();
    }

    /** The statement that lists those that are held. */
    String listing() {
        return list;
    }

    List<LeaseRow> list(Database database, Duration timeout) throws SqlFailure {
        return database.call(list, Params.none(), timeout, LeaseRow::read).rows();
    }

    /** Whether there was something to delete. */
    boolean purge(Database database, Duration retention, long batch, Duration timeout) throws SqlFailure {
        Params params = Params.none().with("retention", retention.toMillis()).with("batch", batch);
        return database.call(purge, params, timeout).hit();
    }
}
