package dev.dibs.internal.lease;

import dev.dibs.TimedLease;
import dev.dibs.internal.time.Mutex;
import dev.dibs.internal.time.Term;
import java.time.Duration;

/** A lease that the heartbeat does not renew. */
final class HeldTimedLease extends HeldLease implements TimedLease {

    private final Mutex extension = new Mutex();
    private volatile long length;
    private volatile long hold;

    HeldTimedLease(LeaseKeeping keeper, Grant grant) {
        super(keeper, grant);
        this.length = grant.term().lease();
        this.hold = grant.hold();
    }

    @Override
    public boolean extend(Duration more) {
        return extendTo(Term.checkTimed(more).toMillis(), 0);
    }

    @Override
    public boolean extend(Duration more, Duration holdAtLeast) {
        long held = Term.checkHold(holdAtLeast).toMillis();
        // The statements count it from the acquisition, which came after its term began.
        long sinceAcquired = grant.term().ageMillis();
        boolean extended = extendTo(Term.checkTimed(more).toMillis(), held);
        if (extended) {
            hold = held == 0 ? 0 : sinceAcquired + held;
        }
        return extended;
    }

    private boolean extendTo(long millis, long held) {
        if (isClosed()) {
            throw endException();
        }
        // One at a time: the later one must not make the earlier one shorter here.
        try (Mutex.Held unused = extension.hold()) {
            boolean extended = keeper.extend(this, millis, held);
            if (extended) {
                length = Math.max(length, millis);
            }
            return extended;
        }
    }

    /** The longest so far: a release in the background is tried for so long. */
    @Override
    public long length() {
        return length;
    }

    @Override
    long hold() {
        return hold;
    }

    @Override
    String expiryReason() {
        return "its time is over, and it was not extended";
    }
}
