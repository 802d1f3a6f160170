package dev.dibs.internal.lease;

import dev.dibs.internal.sql.Database;
import dev.dibs.internal.sql.Params;
import dev.dibs.internal.sql.SqlFailure;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a lease is asked for: a name of one kind, and how the database is asked for it. */
public interface LeaseRequest {

    LeaseKind kind();

    String name();

    /**
     * Asks once, with a token that is fresh.
     *
     * @return the row that is ours, if we won, with that owner; and the row as it was before, if there was one. None: two were first
     *     at the same instant, and it has to be asked again
     */
    List<LeaseRow> acquire(String owner, String holder, long lease) throws SqlFailure;

    /** What every acquire tells the database. */
    default Params params(String owner, String holder, long lease) {
        return Params.of("name", name())
                .with("owner", owner)
                .with("holder", holder)
                .with("lease", lease);
    }

    /** Who is in the way, if a look without any lock can tell that asking is in vain; else null. */
    @Nullable
    Attempt look() throws SqlFailure;

    /** Whether an acquire is several transactions here, of which one may fail after another one has committed. */
    boolean hasSteps();

    /** Whose rows an acquire with that token makes or takes: the owner's token of each name. */
    default Map<String, String> owners(String owner) {
        return Map.of(name(), owner);
    }

    /** How many milliseconds it stays busy, from its acquisition on, even if it is released before. */
    default long hold() {
        return 0;
    }

    /** How often to ask, if what has passed is locked by somebody, until that counts as busy. */
    default int triesIfLocked() {
        return 1;
    }

    /** The row of an acquire that was not answered, if it has happened and is good; else null, now or for ever. */
    default @Nullable LeaseRow find(Database database, String owner, long lease) throws SqlFailure {
        return kind().findOne(database, name(), owner, lease);
    }

    /** What they wait for who wait for it in this JVM. */
    default LeaseName id() {
        return new LeaseName(kind(), name());
    }

    /** Whether one release is what they wait for, so that they can be told of it from another process. */
    default boolean canBeTold() {
        return true;
    }

    /** Whether the next one of those who wait may have it too. */
    default boolean isShared() {
        return false;
    }

    /** Whether each try begins with a look. */
    default boolean looksFirst() {
        return false;
    }

    /**
     * Takes a place among the waiting callers of all processes, where there is an order of them.
     *
     * @param lease of what is asked for, in milliseconds
     * @param asker asks for what the place needs
     */
    default Place queue(long lease, Asker asker) throws InterruptedException {
        return () -> this;
    }

    /** Asks the database for something else meanwhile. */
    interface Asker {
        Attempt ask(LeaseRequest request, long lease) throws InterruptedException;
    }

    /** A waiting caller's place. Close it when done, with the lock or without. */
    interface Place extends AutoCloseable {

        /** How to ask now. */
        LeaseRequest next() throws InterruptedException;

        @Override
        default void close() {}
    }

    /** Whether what is acquired is not it yet, but the right to {@link #enter} when others have left. */
    default boolean isIntent() {
        return false;
    }

    /**
     * Asks whether the others have left.
     *
     * @return the row that is ours with that owner, if so; else one of theirs, if one is known
     */
    default List<LeaseRow> enter(String owner, long lease) throws SqlFailure {
        throw new UnsupportedOperationException(kind() + " has nothing to enter");
    }

    /** Throws if it could never be had. */
    default void requirePossible() {}
}
