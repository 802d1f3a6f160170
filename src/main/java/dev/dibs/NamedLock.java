package dev.dibs;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A lock by name: at most one holder at a time, over all processes that use the same table.
 *
 * <p>Made by {@link Dibs#lock}. Immutable, cheap, safe for use by any thread. Not reentrant: it belongs to the {@link Lease},
 * not to a thread, so who holds it and asks again is busy like everybody else. After {@link Dibs#close()} every method that
 * acquires throws {@code IllegalStateException}.
 */
public final class NamedLock {

    static final Duration SHORTEST_LEASE = Duration.ofMillis(100);
    static final Duration LONGEST_LEASE = Duration.ofDays(1);

    private final Acquirer acquirer;
    private final String name;
    private final Duration lease;

    NamedLock(Acquirer acquirer, String name, Duration lease) {
        this.acquirer = acquirer;
        this.name = name;
        this.lease = lease;
    }

    static Duration checkLease(Duration lease) {
        if (lease.compareTo(SHORTEST_LEASE) < 0 || lease.compareTo(LONGEST_LEASE) > 0) {
            throw new IllegalArgumentException("a lease of " + lease + " is out of bounds; it must be between "
                    + SHORTEST_LEASE + " and " + LONGEST_LEASE);
        }
        return lease;
    }

    /** The lock's name. */
    public String name() {
        return name;
    }

    /**
     * The same lock with another lease length: how long after its last renewal a holder that vanished keeps the lock. It is
     * renewed every third of it.
     *
     * @param lease from 100 milliseconds to one day; shorter than 5 seconds only where pauses of the JVM and the network are
     *     known to be short
     * @throws IllegalArgumentException if it is out of these bounds
     */
    public NamedLock leaseFor(Duration lease) {
        return new NamedLock(acquirer, name, checkLease(lease));
    }

    /**
     * Acquires the lock if nobody has it; never waits for a holder. It may take as long as the pool needs for a connection and
     * the database for an answer (10 seconds at most a statement, where the driver knows network timeouts), and a second of retries if
     * the database rolls back.
     *
     * @return the lease, to be closed; empty if somebody has the lock
     * @throws NotAcquiredException if the thread is interrupted between such retries; its interrupt flag is set
     * @throws DibsException if the database can not be asked or gives no clear answer
     */
    public Optional<Lease> tryAcquire() {
        return tryAcquire(Duration.ZERO);
    }

    /**
     * Acquires the lock, waiting for its holder for a while. No connection is held meanwhile.
     *
     * @param wait how long at most; zero for not at all
     * @return the lease, to be closed; empty if somebody still has the lock
     * @throws NotAcquiredException if the thread is interrupted; its interrupt flag is set
     * @throws IllegalArgumentException if {@code wait} is negative
     * @throws DibsException if the database can not be asked or gives no clear answer
     */
    public Optional<Lease> tryAcquire(Duration wait) {
        return Optional.ofNullable(attempt(wait).lease());
    }

    /**
     * Acquires the lock, waiting for its holder for a while. No connection is held meanwhile.
     *
     * @param wait how long at most; zero for not at all
     * @return the lease, to be closed
     * @throws NotAcquiredException if somebody still has the lock, saying who; or if the thread is interrupted
     * @throws IllegalArgumentException if {@code wait} is negative
     * @throws DibsException if the database can not be asked or gives no clear answer
     */
    public Lease acquire(Duration wait) {
        Attempt attempt = attempt(wait);
        Lease acquired = attempt.lease();
        if (acquired == null) {
            throw new NotAcquiredException(name, attempt.holder(), busyMessage(attempt.holder(), wait));
        }
        return acquired;
    }

    private String busyMessage(@Nullable LockInfo holder, Duration wait) {
        String who = holder == null
                ? "it is changing hands, or locked by a transaction"
                : "held by " + holder.holder() + " since " + holder.since() + ", until " + holder.until()
                        + " unless renewed";
        return "'" + name + "' was not acquired within " + wait + ": " + who;
    }

    /**
     * Does the work under the lock, or nothing if somebody has it.
     *
     * @return whether the work was done
     * @throws X whatever the work throws
     * @throws NotAcquiredException if the thread is interrupted between retries; its interrupt flag is set
     * @throws LeaseLostException if the lease was lost before the work ended, so that it may have had company
     * @throws DibsException if the database can not be asked or gives no clear answer
     */
    public <X extends Exception> boolean tryRun(LeaseWork<X> work) throws X {
        Lease acquired = attempt(Duration.ZERO).lease();
        if (acquired == null) {
            return false;
        }
        runUnder(acquired, work);
        return true;
    }

    /**
     * Does the work under the lock, waiting for its holder for a while.
     *
     * @param wait how long at most; zero for not at all
     * @throws X whatever the work throws
     * @throws NotAcquiredException if somebody still has the lock; the work was not done
     * @throws LeaseLostException if the lease was lost before the work ended, so that it may have had company
     * @throws DibsException if the database can not be asked or gives no clear answer
     */
    public <X extends Exception> void run(Duration wait, LeaseWork<X> work) throws X {
        runUnder(acquire(wait), work);
    }

    private static <X extends Exception> void runUnder(Lease acquired, LeaseWork<X> work) throws X {
        try (acquired) {
            work.run(acquired);
            if (!acquired.isClosed()) {
                acquired.check();
            }
        }
    }

    private Attempt attempt(Duration wait) {
        if (wait.isNegative()) {
            throw new IllegalArgumentException("the wait is negative: " + wait + "; zero means not to wait");
        }
        return acquirer.acquire(name, lease, wait);
    }

    @Override
    public String toString() {
        return "NamedLock[" + name + "]";
    }
}
