package dev.dibs;

import java.util.Optional;

/**
 * Is told what happens to the leases of one {@link Dibs}, for logs and meters.
 *
 * <p>{@code acquired}, {@code busy}, {@code takeover} and {@code released} are called on the thread that acquires or
 * releases, while its lease runs: return soon. {@code lost} and {@code renewalFailed} are called on a thread of Dibs that
 * does nothing else meanwhile. Calls for different leases may come at the same time. What a listener throws is logged and
 * otherwise ignored.
 */
public interface DibsListener {

    /** A lease was acquired. */
    default void acquired(Lease lease) {}

    /** A lock was asked for and somebody else has it; once per call of an acquire method, however long it waited. */
    default void busy(String name, Optional<LockInfo> holder) {}

    /** The lease that was just acquired had been somebody's who let it pass. */
    default void takeover(Lease lease, Takeover takeover) {}

    /** A lease was lost; {@code reason} says how. */
    default void lost(Lease lease, LeaseLostException reason) {}

    /**
     * A renewal did not get through; it is tried again soon, and the leases are still ours until their deadlines.
     *
     * @param leases how many leases it was for
     */
    default void renewalFailed(int leases, Exception cause) {}

    /** A lease was released by its holder. */
    default void released(Lease lease) {}
}
