package dev.dibs;

import dev.dibs.core.Arguments;
import dev.dibs.core.Names;
import dev.dibs.sql.Database;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Several locks at once: all or none. They are the same locks as those of {@link Dibs#lock}. In which order they are named, here or by
 * others, does not matter: nobody ever holds some of them while waiting for the others, so that there is no deadlock.
 *
 * <p>Made by {@link Dibs#lockAll}. Immutable, cheap, safe for use by any thread. After {@link Dibs#close()} every method that acquires
 * throws {@code IllegalStateException}.
 */
public final class NamedLocks {

    static final int MOST_NAMES = 100;

    private final Acquirer acquirer;
    private final Database database;
    private final List<String> names;
    private final Duration lease;

    private NamedLocks(Acquirer acquirer, Database database, List<String> names, Duration lease) {
        this.acquirer = acquirer;
        this.database = database;
        this.names = names;
        this.lease = lease;
    }

    static NamedLocks of(Acquirer acquirer, Database database, Collection<String> names, Duration lease) {
        List<String> sorted = Arguments.required("collection of names", names).stream()
                .map(name -> Names.check("name", name))
                .distinct()
                .sorted()
                .toList();
        if (sorted.isEmpty() || sorted.size() > MOST_NAMES) {
            throw new IllegalArgumentException("there are " + sorted.size() + " names; it must be 1 to " + MOST_NAMES);
        }
        return new NamedLocks(acquirer, database, sorted, lease);
    }

    /** The locks' names, sorted, each once. */
    public List<String> names() {
        return names;
    }

    /**
     * The same locks with another lease length.
     *
     * @param lease as for {@link NamedLock#leaseFor}
     * @throws IllegalArgumentException if it is out of bounds
     */
    public NamedLocks leaseFor(Duration lease) {
        return new NamedLocks(acquirer, database, names, NamedLock.checkLease(lease));
    }

    /**
     * Acquires all if nobody has any; never waits for a holder.
     *
     * @return the leases, to be closed; empty if somebody has one
     * @throws NotAcquiredException if the thread is interrupted between retries; its interrupt flag is set
     * @throws DibsException if the database can not be asked or gives no clear answer
     */
    public Optional<Leases> tryAcquire() {
        return tryAcquire(Duration.ZERO);
    }

    /**
     * Acquires all, waiting for their holders for a while. Nothing is held meanwhile, no connection either; so whoever takes one of
     * them alone may be luckier again and again.
     *
     * @param wait how long at most; zero for not at all
     * @return the leases, to be closed; empty if somebody still has one
     * @throws NotAcquiredException if the thread is interrupted; its interrupt flag is set
     * @throws IllegalArgumentException if {@code wait} is negative
     * @throws DibsException if the database can not be asked or gives no clear answer
     */
    public Optional<Leases> tryAcquire(Duration wait) {
        LocksRequest request = new LocksRequest(database, names);
        return Optional.ofNullable(attempt(request, wait).lease()).map(first -> leases(request, first));
    }

    /**
     * Acquires all, waiting for their holders for a while, as {@link #tryAcquire(Duration)} does.
     *
     * @param wait how long at most; zero for not at all
     * @return the leases, to be closed
     * @throws NotAcquiredException if somebody still has one, saying who; or if the thread is interrupted
     * @throws IllegalArgumentException if {@code wait} is negative
     * @throws DibsException if the database can not be asked or gives no clear answer
     */
    public Leases acquire(Duration wait) {
        LocksRequest request = new LocksRequest(database, names);
        Acquisition acquisition = new Acquisition(acquirer, request, lease);
        return leases(request, acquisition.acquireHeld(wait));
    }

    private Attempt attempt(LocksRequest request, Duration wait) {
        return new Acquisition(acquirer, request, lease).attempt(wait);
    }

    private Leases leases(LocksRequest request, HeldLease first) {
        return new Leases(acquirer.others(request, first));
    }

    @Override
    public String toString() {
        return "NamedLocks" + names;
    }
}
