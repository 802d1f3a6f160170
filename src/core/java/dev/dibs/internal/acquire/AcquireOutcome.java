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
 * @param holder the holder, if there is one and it is known
 * @param heldForMillis how long the holder has it unless it renews; 0 if unknown
 */
public record AcquireOutcome(
        @Nullable HeldLease lease, @Nullable LeaseInfo holder, long heldForMillis) {

    /** The lease has expired, but its row is locked, or another caller is acquiring it just now. */
    public boolean isLocked() {
        return lease == null && holder == null && heldForMillis == 0;
    }

    /** Of several locks, the one that is held. */
    public String nameOfHeld(LeaseRequest request) {
        return holder == null ? request.name() : holder.name();
    }

    static AcquireOutcome won(HeldLease lease) {
        return new AcquireOutcome(lease, null, 0);
    }

    /** It is free, or nearly, for a caller that came before. */
    public static AcquireOutcome outOfTurn() {
        return new AcquireOutcome(null, null, 0);
    }

    /** The first row that is an obstacle; null if none is. */
    static @Nullable AcquireOutcome inTheWay(List<LeaseRow> rows, LeaseKind kind) {
        return rows.stream()
                .filter(LeaseRow::isBusy)
                .findFirst()
                .map(row -> busy(row, kind))
                .orElse(null);
    }

    /** The row of another owner. If it has expired, it is locked, or another caller is acquiring it just now. */
    public static AcquireOutcome busy(LeaseRow row, LeaseKind kind) {
        return row.isHeld()
                ? new AcquireOutcome(null, row.info(kind), row.heldUntil() - row.readAt())
                : new AcquireOutcome(null, null, Math.max(0, row.heldUntil() - row.readAt()));
    }
}
