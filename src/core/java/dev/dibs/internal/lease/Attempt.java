package dev.dibs.internal.lease;

import dev.dibs.LockInfo;
import org.jspecify.annotations.Nullable;

/**
 * What came of asking for a lock.
 *
 * @param lease the lease, if we won
 * @param holder who has it, if somebody has and is known
 * @param heldForMillis how long the holder has it unless it renews; 0 if unknown
 */
public record Attempt(@Nullable HeldLease lease, @Nullable LockInfo holder, long heldForMillis) {

    /** What was asked for has passed, but somebody has it locked or is just taking it. */
    public boolean isLocked() {
        return lease == null && holder == null && heldForMillis == 0;
    }

    static Attempt won(HeldLease lease) {
        return new Attempt(lease, null, 0);
    }

    /** It is free, or nearly, for somebody who came before. */
    public static Attempt outOfTurn() {
        return new Attempt(null, null, 0);
    }

    /** Null if the row is not in anybody's way. */
    static @Nullable Attempt inTheWay(@Nullable LeaseRow row) {
        return row == null || !row.isBusy() ? null : busy(row);
    }

    /** The row of somebody else; if its time is over, it is locked or just being taken. */
    public static Attempt busy(LeaseRow row) {
        return row.isHeld()
                ? new Attempt(null, row.info(), row.heldUntil() - row.readAt())
                : new Attempt(null, null, Math.max(0, row.heldUntil() - row.readAt()));
    }
}
