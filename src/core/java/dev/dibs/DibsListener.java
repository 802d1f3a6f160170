package dev.dibs;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Receives the events of the leases of one {@link Dibs}, for logs and meters.
 *
 * <p>{@code acquiring}, {@code acquired}, {@code transactionLocked}, {@code busy}, {@code takeover} and {@code released} are called on
 * the caller's thread, while its lease or transaction runs: return soon. {@code lost} and {@code renewalFailed} are called on a thread
 * of Dibs that does nothing else meanwhile. Calls for different leases may come at the same time. Exceptions of a listener are logged
 * and otherwise ignored.
 */
public interface DibsListener {

    /**
     * A call that acquires begins, for one name or for several. Once-guards and candidates for a leadership look from time to time; that
     * is no call.
     *
     * @param name the lock's name; of several locks the first by name
     * @return is called once when the call ends, on the same thread, after {@link #acquired} or {@link #busy}
     */
    default Consumer<? super AcquireEnd> acquiring(String name) {
        return end -> {};
    }

    /** A lease was acquired. */
    default void acquired(Lease lease) {}

    /** A transaction got a lock, up to its end and without a lease: {@link NamedLock#inTransaction}, {@link NamedLock#tryGuard}. */
    default void transactionLocked(String name) {}

    /**
     * A lock was busy. Called once per call of an acquire method, however long that waited. There is no holder if a transaction has the
     * lock without a lease, or another caller is just acquiring it.
     */
    default void busy(String name, Optional<LeaseInfo> holder) {}

    /** The lease that was just acquired was taken over: its last holder had let it expire. */
    default void takeover(Lease lease, Lease.Takeover takeover) {}

    /**
     * A lease was lost.
     *
     * @param reason why
     * @param held the time from before it was acquired until its loss was noticed
     */
    default void lost(Lease lease, LeaseLostException reason, Duration held) {}

    /**
     * A renewal failed. Dibs tries again soon; the leases stay valid until their deadlines.
     *
     * @param leases how many leases the renewal was for
     */
    default void renewalFailed(int leases, Exception cause) {}

    /**
     * A lease was released by its holder, or by the close of its {@link Dibs}.
     *
     * @param held the time from before it was acquired until its release was answered
     */
    default void released(Lease lease, Duration held) {}
}
