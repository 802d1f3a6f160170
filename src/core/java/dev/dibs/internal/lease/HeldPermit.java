package dev.dibs.internal.lease;

import dev.dibs.Permit;

/** A permit of a semaphore that is held. */
final class HeldPermit extends HeldLease implements Permit {

    HeldPermit(LeaseKeeping keeper, Grant grant) {
        super(keeper, grant);
    }

    @Override
    public int slot() {
        return Math.toIntExact(grant.row().slot());
    }
}
