package dev.dibs;

import java.time.Duration;
import java.util.Optional;

/**
 * How a call that acquires has ended: see {@link DibsListener#acquiring}.
 *
 * @param waited how long the call took in all, its statements included
 * @param holder the holder that was in the way, if the call found the name busy and knows the holder
 * @param failure what the call throws, if it failed or was interrupted
 */
public record AcquireEnd(Outcome outcome, Duration waited, Optional<LeaseInfo> holder, Optional<Throwable> failure) {

    /** What a call that acquires can come to. */
    public enum Outcome {
        /** It acquired what it asked for. */
        ACQUIRED,
        /** It was still busy at the end of the wait. */
        BUSY,
        /** The thread was interrupted while it waited. */
        INTERRUPTED,
        /** The database did not answer or refused, or the {@link Dibs} was closed. */
        FAILED
    }
}
