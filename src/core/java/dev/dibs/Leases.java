package dev.dibs;

import java.sql.Connection;
import java.util.List;
import java.util.function.Consumer;

/**
 * Several locks that were acquired together. Each has a {@link Lease} with a fencing token of its own. The methods here apply to
 * all of them.
 *
 * <p>Safe for use by any thread; no thread owns it.
 */
public final class Leases implements AutoCloseable {

    private final List<Lease> all;

    /** Wraps leases that are held already. For Dibs itself, and for an application's tests. */
    public Leases(List<? extends Lease> all) {
        this.all = List.copyOf(all);
    }

    /** The leases, sorted by name. */
    public List<Lease> all() {
        return all;
    }

    /**
     * The lease on one of the locks.
     *
     * @throws IllegalArgumentException if it is none of these locks
     */
    public Lease get(String name) {
        return all.stream()
                .filter(lease -> lease.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("'" + name + "' is none of "
                        + all.stream().map(Lease::name).toList()));
    }

    /** Whether all are certainly still ours, as {@link Lease#isValid} for one. */
    public boolean isValid() {
        return all.stream().allMatch(Lease::isValid);
    }

    /**
     * Throws unless all are still ours.
     *
     * @throws LeaseLostException if one is lost
     * @throws IllegalStateException if one was closed
     * @throws DatabaseFailureException if the database had to be asked and the request failed
     */
    public void check() {
        all.forEach(Lease::check);
    }

    /** Calls back for each lease that is lost, as {@link Lease#onLost} does for one. */
    public void onLost(Consumer<? super LeaseLostException> callback) {
        all.forEach(lease -> lease.onLost(callback));
    }

    /**
     * Makes the caller's transaction exclusive up to its commit, for all of the locks. It calls {@link Lease#guard} for each; call
     * it first in the transaction.
     *
     * @param connection the caller's, to the same database, with autocommit off
     * @throws LeaseLostException if one is lost; roll back
     * @throws IllegalStateException if autocommit is on, or one is closed
     * @throws DatabaseFailureException if a statement failed; roll back
     */
    public void guard(Connection connection) {
        all.forEach(lease -> lease.guard(connection));
    }

    /** Releases all, as {@link Lease#close} does for one. A second call does nothing. Never throws. */
    @Override
    public void close() {
        all.forEach(Lease::close);
    }

    @Override
    public String toString() {
        return "Leases" + all;
    }
}
