package dev.dibs;

import dev.dibs.core.Arguments;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What can be acquired, and for how long: the ways to do it, which {@link NamedLock}, {@link NamedSemaphore} and {@link LockSide}
 * have in common and explain.
 *
 * @param lease how long after its last renewal a holder that vanished keeps it
 */
record Acquisition(Acquirer acquirer, LeaseRequest request, Duration lease) {

    static Duration checkWait(Duration wait) {
        if (Arguments.required("wait", wait).isNegative()) {
            throw new IllegalArgumentException(
                    "the wait is negative: " + Arguments.text(wait) + "; zero means not to wait");
        }
        return wait;
    }

    String name() {
        return request.name();
    }

    Acquisition leaseFor(Duration length) {
        return new Acquisition(acquirer, request, NamedLock.checkLease(length));
    }

    Attempt attempt(Duration wait) {
        return acquirer.acquire(request, lease, checkWait(wait));
    }

    Lease acquire(Duration wait) {
        Attempt attempt = attempt(wait);
        Lease acquired = attempt.lease();
        if (acquired == null) {
            throw new NotAcquiredException(name(), attempt.holder(), busyMessage(attempt, wait));
        }
        return acquired;
    }

    private String busyMessage(Attempt busy, Duration wait) {
        return "'" + name() + "' was not acquired within " + Arguments.text(wait) + ": "
                + who(busy.holder(), busy.heldForMillis());
    }

    private static String who(@Nullable LockInfo holder, long heldForMillis) {
        if (holder != null) {
            return "held by " + holder.holder() + " since " + holder.since() + ", until " + holder.until()
                    + " unless renewed";
        }
        return heldForMillis > 0
                ? "its last holder is done and holds it back for " + heldForMillis + " ms more"
                : "it is changing hands, or locked by a transaction";
    }

    <X extends Exception> boolean tryRun(LeaseWork<X> work) throws X {
        Arguments.required("work", work);
        Lease acquired = attempt(Duration.ZERO).lease();
        if (acquired == null) {
            return false;
        }
        runUnder(acquired, work);
        return true;
    }

    <X extends Exception> void run(Duration wait, LeaseWork<X> work) throws X {
        Arguments.required("work", work);
        runUnder(acquire(wait), work);
    }

    private static <X extends Exception> void runUnder(Lease acquired, LeaseWork<X> work) throws X {
        try (acquired) {
            work.run(acquired);
            acquired.closeOrThrow();
        }
    }
}
