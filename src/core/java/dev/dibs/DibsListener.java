package dev.dibs;

import java.util.Optional;

/**
 * Receives the events of the leases of one {@link Dibs}, for logs and meters.
 *
 * <p>{@code acquired}, {@code busy}, {@code takeover} and {@code released} are called on the thread that acquires or releases,
 * while its lease runs: return soon. {@code lost} and {@code renewalFailed} are called on a thread of Dibs that does nothing else
 * meanwhile. Calls for different leases may come at the same time. Exceptions of a listener are logged and otherwise ignored.
 */
public interface DibsListener {

    /** A lease was acquired. */
    default void acquired(Lease lease) {}

    /** A lock was busy. Called once per call of an acquire method, however long that waited. */
    default void busy(String name, Optional<LeaseInfo> holder) {}

    /** The lease that was just acquired was taken over: its last holder had let it pass. */
    default void takeover(Lease lease, Lease.Takeover takeover) {}

    /** A lease was lost; {@code reason} says why. */
    default void lost(Lease lease, LeaseLostException reason) {}

    /**
     * A renewal failed. Dibs tries again soon; the leases stay valid until their deadlines.
     *
     * @param leases how many leases the renewal was for
     */
    default void renewalFailed(int leases, Exception cause) {}

    /** A lease was released by its holder. */
    default void released(Lease lease) {}
}
