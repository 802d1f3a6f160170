package dev.dibs.internal.lease;

import dev.dibs.Permit;
import dev.dibs.internal.time.Term;
import org.jspecify.annotations.Nullable;

/** A permit of a semaphore that is held. */
final class HeldPermit extends HeldLease implements Permit {

    private final int slot;

    HeldPermit(LeaseKeeping keeper, long hold, LeaseRow row, String owner, Term term, @Nullable Takeover takeover) {
        super(keeper, LeaseKind.PERMIT, hold, row, owner, term, takeover);
        this.slot = Math.toIntExact(row.slot());
    }

    @Override
    public int slot() {
        return slot;
    }
}
