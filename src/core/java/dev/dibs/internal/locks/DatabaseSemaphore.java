package dev.dibs.internal.locks;

import dev.dibs.NamedSemaphore;
import dev.dibs.Permit;
import dev.dibs.internal.acquire.Acquirer;
import dev.dibs.internal.acquire.Acquiring;
import dev.dibs.internal.time.Term;
import dev.dibs.internal.values.Strings;
import java.time.Duration;

/** A semaphore by name, and the ways to acquire a permit of it. */
public final class DatabaseSemaphore extends Acquisition<Permit> implements NamedSemaphore {

    static final int MOST_PERMITS = 10_000;

    private final int permits;

    public DatabaseSemaphore(Acquirer acquirer, Acquiring way, Duration lease, int permits) {
        super(acquirer, way, lease, Permit.class);
        this.permits = permits;
    }

    public static int checkPermits(int permits) {
        if (permits < 1 || permits > MOST_PERMITS) {
            throw new IllegalArgumentException(permits + " permits are out of bounds; it must be 1 to " + MOST_PERMITS);
        }
        return permits;
    }

    @Override
    public int permits() {
        return permits;
    }

    @Override
    public NamedSemaphore leaseLength(Duration lease) {
        return new DatabaseSemaphore(acquirer, way(), Term.checkLease(lease), permits);
    }

    @Override
    public String toString() {
        return "NamedSemaphore[" + Strings.escape(name()) + ", " + permits + " permits]";
    }
}
