package dev.dibs.internal.acquire;

import dev.dibs.internal.lease.LeaseKind;
import dev.dibs.internal.lease.LeaseName;
import dev.dibs.internal.lease.LeaseRow;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.run.Database;
import dev.dibs.internal.sql.run.Params;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A request for a lease: a name of one kind, and the statements that acquire it. */
public interface LeaseRequest {

    LeaseKind kind();

    String name();

    /**
     * Sends one acquire, with a fresh owner token.
     *
     * @return the row that is ours, with that owner, if it was acquired; and the row as it was before, if there was one. No row: two
     *     callers were first at the same instant, and it must be sent again
     */
    List<LeaseRow> acquire(String owner, String holder, long lease) throws SqlFailure;

    /** The parameters of every acquire. */
    default Params params(String owner, String holder, long lease) {
        return Params.of("name", name()).with("owner", owner).withHolder(holder).with("lease", lease);
    }

    /** The row in the way, if a look without a row lock shows that an acquire would fail; else null. */
    @Nullable
    Attempt look() throws SqlFailure;

    /** Whether an acquire is several transactions here, so that one may fail after another one has committed. */
    boolean hasSteps();

    /** The rows that an acquire with that token adds or changes: the owner token of each name. */
    default Map<String, String> owners(String owner) {
        return Map.of(name(), owner);
    }

    /** How many milliseconds it stays busy after its acquisition, even if it is released before. */
    default long hold() {
        return 0;
    }

    /** How often to ask, while an expired row is locked, until that counts as busy. */
    default int triesIfLocked() {
        return 1;
    }

    /** The row of an unanswered acquire, if it has taken effect and can be used; else null, perhaps only for now. */
    default @Nullable LeaseRow find(Database database, String owner, long lease) throws SqlFailure {
        return kind().findOne(database, name(), owner, lease);
    }

    /** The name under which callers of this JVM wait for it. */
    default LeaseName id() {
        return new LeaseName(kind(), name());
    }

    /** Whether waiters need only one release, so that another process can notify them of it. */
    default boolean canBeNotified() {
        return true;
    }

    /** Whether the next waiter may have it too. */
    default boolean isShared() {
        return false;
    }

    /** Whether each try begins with a look. */
    default boolean looksFirst() {
        return false;
    }

    /**
     * Enters the queue of the waiting callers of all processes, if there is one.
     *
     * @param lease the length of the lease that is asked for, in milliseconds
     * @param asker acquires what the place in the queue needs
     */
    default Place queue(long lease, Asker asker) throws InterruptedException {
        return () -> this;
    }

    /** Acquires a ticket or an intent while the caller waits. */
    interface Asker {
        Attempt ask(LeaseRequest request, long lease) throws InterruptedException;
    }

    /** A waiting caller's place in the queue. Close it when done, with the lock or without. */
    interface Place extends AutoCloseable {

        /** The request to send now. */
        LeaseRequest next() throws InterruptedException;

        @Override
        default void close() {}
    }

    /** Whether the acquired lease is not the lock yet, but the right to {@link #enter} when others have left. */
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

    /** Throws if it can never be acquired. */
    default void requirePossible() {}
}
