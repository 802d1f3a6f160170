package dev.dibs.internal.lease;

import dev.dibs.TimedLease;
import dev.dibs.internal.time.Term;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A lease that the heartbeat does not renew. */
final class HeldTimedLease extends HeldLease implements TimedLease {

    private final LeaseKeeping keeper;
    private final ReentrantLock extension = new ReentrantLock();
    private volatile long length;
    private volatile long hold;

    HeldTimedLease(LeaseKeeping keeper, long hold, LeaseRow row, String owner, Term term, @Nullable Takeover takeover) {
        super(keeper, LeaseKind.TIMED_LOCK, hold, row, owner, term, takeover);
        this.keeper = keeper;
        this.length = term.lease();
        this.hold = hold;
    }

    @Override
    public boolean extend(Duration more) {
        return extendTo(Term.checkTimed(more).toMillis(), 0);
    }

    @Override
    public boolean extend(Duration more, Duration holdAtLeast) {
        long held = Term.checkHold(holdAtLeast).toMillis();
        // The statements count it from the acquisition, which came after its term began.
        long sinceAcquired = first.ageMillis();
        boolean extended = extendTo(Term.checkTimed(more).toMillis(), held);
        if (extended) {
            hold = held == 0 ? 0 : sinceAcquired + held;
        }
        return extended;
    }

    private boolean extendTo(long millis, long held) {
        if (isClosed()) {
            throw whyOver();
        }
        // One at a time: the later one must not make the earlier one shorter here.
        extension.lock();
        try {
            boolean extended = keeper.extend(this, millis, held);
            if (extended) {
                length = Math.max(length, millis);
            }
            return extended;
        } finally {
            extension.unlock();
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
    String whyPassed() {
        return "its time is over, and it was not extended";
    }
}
