package dev.dibs.internal.acquire;

import dev.dibs.LeaseInfo;
import dev.dibs.internal.lease.HeldLease;
import dev.dibs.internal.lease.LeaseKind;
import dev.dibs.internal.lease.LeaseRow;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of asking for a lock.
 *
 * @param lease the lease, if it was acquired
 * @param inTheWay the row of the holder, if there is one and it is known
 * @param kind of that row
 * @param heldForMillis how long the holder has it unless it renews; 0 if unknown
 */
public record AcquireOutcome(
        @Nullable HeldLease lease, @Nullable LeaseRow inTheWay, LeaseKind kind, long heldForMillis) {

    private static final AcquireOutcome OUT_OF_TURN = new AcquireOutcome(null, null, LeaseKind.LOCK, 0);

    /** The holder, if there is one and it is known. Only a message and a listener need it. */
    public @Nullable LeaseInfo holder() {
        return inTheWay == null ? null : inTheWay.info(kind);
    }

    /** The lease has expired, but its row is locked, or another caller is acquiring it just now. */
    public boolean isLocked() {
        return lease == null && inTheWay == null && heldForMillis == 0;
    }

    /** Of several locks, the one that is held. */
    public String nameOfHeld(LeaseRequest request) {
        return inTheWay == null ? request.name() : inTheWay.name();
    }

    static AcquireOutcome won(HeldLease lease) {
        return new AcquireOutcome(lease, null, lease.kind(), 0);
    }

    /** It is free, or nearly, for a caller that came before. */
    public static AcquireOutcome outOfTurn() {
        return OUT_OF_TURN;
    }

    /** The first row that is an obstacle; null if none is. */
    static @Nullable AcquireOutcome inTheWay(List<LeaseRow> rows, LeaseKind kind) {
        for (LeaseRow row : rows) {
            if (row.isBusy()) {
                return busy(row, kind);
            }
        }
        return null;
    }

    /** The row of another owner. If it has expired, it is locked, or another caller is acquiring it just now. */
    public static AcquireOutcome busy(LeaseRow row, LeaseKind kind) {
        return row.isHeld()
                ? new AcquireOutcome(null, row, kind, row.heldUntil() - row.readAt())
                : new AcquireOutcome(null, null, kind, Math.max(0, row.heldUntil() - row.readAt()));
    }
}
