package dev.dibs;

import java.sql.Connection;
import java.util.List;
import java.util.function.Consumer;

/**
 * Several locks that are held, acquired together. Each is a {@link Lease} with a fencing token of its own; what is true of all is asked here.
 *
 * <p>Safe for use by any thread; belongs to none.
 */
public final class Leases implements AutoCloseable {

    private final List<Lease> all;

    /** Of leases that are held already: for Dibs, and for an application's tests. */
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
     * @throws IllegalArgumentException if it was none of those that were asked for
     */
    public Lease get(String name) {
        return all.stream()
                .filter(lease -> lease.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("'" + name + "' is none of " + names()));
    }

    private List<String> names() {
        return all.stream().map(Lease::name).toList();
    }

    /** Whether all are certainly still ours, as {@link Lease#isValid} says of one. */
    public boolean isValid() {
        return all.stream().allMatch(Lease::isValid);
    }

    /**
     * Goes on only if all are still ours.
     *
     * @throws LeaseLostException if one is lost
     * @throws IllegalStateException if one was closed
     * @throws DibsException if the database had to be asked and could not be
     */
    public void check() {
        all.forEach(Lease::check);
    }

    /** Calls back for each lease that is lost, as {@link Lease#onLost} does for one. */
    public void onLost(Consumer<? super LeaseLostException> callback) {
        all.forEach(lease -> lease.onLost(callback));
    }

    /**
     * Makes the caller's transaction exclusive up to its commit for all of the locks: {@link Lease#guard} for each, as the first
     * statements of the transaction.
     *
     * @param connection the caller's, to the same database, with autocommit off
     * @throws LeaseLostException if one is lost; roll back
     * @throws IllegalStateException if autocommit is on, or one is closed
     * @throws DibsException if a statement failed; roll back
     */
    public void guard(Connection connection) {
        all.forEach(lease -> lease.guard(connection));
    }

    /** Releases all, as {@link Lease#close} does one. Does nothing the second time, and never throws. */
    @Override
    public void close() {
        all.forEach(Lease::close);
    }

    @Override
    public String toString() {
        return "Leases" + all;
    }
}
