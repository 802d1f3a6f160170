package dev.dibs;

import dev.dibs.internal.values.Arguments;
import dev.dibs.internal.values.CheckReturnValue;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Something that can be acquired: a lock, a side of a read-write lock, or a permit of a semaphore.
 *
 * <p>Immutable, cheap, safe for use by any thread. After {@link Dibs#close()} every method that acquires throws {@code
 * IllegalStateException}. An application may implement this interface to test its own code without a database.
 *
 * @param <L> what is acquired: a {@link Permit} of a semaphore, or else a {@link Lease}
 */
public interface Acquirable<L extends Lease> {

    /** Its name in the database. */
    String name();

    /**
     * The same, with another lease length. A holder that vanishes keeps its lease for this time after its last renewal. Dibs renews
     * a lease every third of its length.
     *
     * @param lease from 100 milliseconds to one day; shorter than 5 seconds only where pauses of the JVM and the network are known
     *     to be short
     * @throws IllegalArgumentException if it is outside these bounds
     */
    @CheckReturnValue
    Acquirable<L> leaseLength(Duration lease);

    /**
     * The same, for work that is to stop as soon as its lease is lost: {@code run}, {@code tryRun}, {@code call} and {@code tryCall}
     * then interrupt the thread of the work. They throw {@link LeaseLostException} in place of what the work throws, which is a
     * suppressed exception of it. They leave no interrupt of theirs on the thread. Call it last; it changes no other method.
     *
     * <p>An interrupt from outside passes through as without it, also if the lease is lost later. One that comes after the loss
     * cannot be told from Dibs' own; the call ends with {@link LeaseLostException} then. The interrupt comes as {@link
     * Lease#onLost} is called, so long callbacks may delay it. Beware of an embedded database in the work: an interrupt may close
     * its file.
     */
    @CheckReturnValue
    default Acquirable<L> interruptOnLoss() {
        return new InterruptOnLoss<>(this);
    }

    /**
     * Acquires it if it is free. Never waits for a holder. The call still takes as long as the pool needs for a connection and the
     * database for an answer. That is 10 seconds at most for each statement, where the driver supports network timeouts. If the
     * database rolls back, the call retries for up to a second.
     *
     * @return the lease, which the caller closes; empty if it is busy
     * @throws NotAcquiredException if the thread is interrupted between these retries, or while it waits for a connection; its
     *     interrupt flag is set
     * @throws DatabaseFailureException if the request to the database fails or its outcome is unknown
     */
    default Optional<L> tryAcquire() {
        return tryAcquire(Duration.ZERO);
    }

    /**
     * Acquires it. While it is busy, waits for a limited time and holds no connection.
     *
     * @param wait how long to wait at most; zero for no wait
     * @return the lease, which the caller closes; empty if it is still busy
     * @throws NotAcquiredException if the thread is interrupted; its interrupt flag is set
     * @throws IllegalArgumentException if {@code wait} is negative
     * @throws DatabaseFailureException if the request to the database fails or its outcome is unknown
     */
    Optional<L> tryAcquire(Duration wait);

    /**
     * Acquires it. While it is busy, waits for a limited time and holds no connection.
     *
     * @param wait how long to wait at most; zero for no wait
     * @return the lease, which the caller closes
     * @throws NotAcquiredException if it is still busy, with the holder in the message; or if the thread is interrupted
     * @throws IllegalArgumentException if {@code wait} is negative
     * @throws DatabaseFailureException if the request to the database fails or its outcome is unknown
     */
    L acquire(Duration wait);

    /**
     * Does the work while it holds the lease. Does nothing if it is busy.
     *
     * @return whether the work was done
     * @throws X whatever the work throws
     * @throws NotAcquiredException if the thread is interrupted between retries, or while it waits for a connection; its interrupt
     *     flag is set
     * @throws LeaseLostException if the lease was lost before the work ended, so that another holder may have worked at the same
     *     time
     * @throws DatabaseFailureException if the request to the database fails or its outcome is unknown
     */
    default <X extends Exception> boolean tryRun(LeaseWork<? super L, X> work) throws X {
        Arguments.required("work", work);
        return this.<Boolean, X>tryCall(lease -> {
                    work.run(lease);
                    return true;
                })
                .isPresent();
    }

    /**
     * Does the work while it holds the lease. While it is busy, waits for a limited time first.
     *
     * @param wait how long to wait at most; zero for no wait
     * @throws X whatever the work throws
     * @throws NotAcquiredException if it is still busy; the work was not done
     * @throws IllegalArgumentException if {@code wait} is negative
     * @throws LeaseLostException if the lease was lost before the work ended, so that another holder may have worked at the same
     *     time
     * @throws DatabaseFailureException if the request to the database fails or its outcome is unknown
     */
    default <X extends Exception> void run(Duration wait, LeaseWork<? super L, X> work) throws X {
        Arguments.required("work", work);
        boolean unused = this.<Boolean, X>call(wait, lease -> {
            work.run(lease);
            return true;
        });
    }

    /**
     * Like {@link #tryRun}, for work that has a value.
     *
     * @return the value of the work; empty if it is busy
     * @throws X whatever the work throws
     * @throws NullPointerException if the work returns null; it was done all the same
     * @throws NotAcquiredException as for {@link #tryRun}
     * @throws LeaseLostException as for {@link #tryRun}
     * @throws DatabaseFailureException as for {@link #tryRun}
     */
    <T, X extends Exception> Optional<T> tryCall(LeaseCall<? super L, T, X> work) throws X;

    /**
     * Like {@link #run}, for work that has a value.
     *
     * @param wait how long to wait at most; zero for no wait
     * @return the value of the work
     * @throws X whatever the work throws
     * @throws IllegalArgumentException if {@code wait} is negative
     * @throws NotAcquiredException if it is still busy; the work was not done
     * @throws LeaseLostException as for {@link #run}
     * @throws DatabaseFailureException as for {@link #run}
     */
    @SuppressWarnings("exports")
    <T extends @Nullable Object, X extends Exception> T call(Duration wait, LeaseCall<? super L, T, X> work) throws X;
}
