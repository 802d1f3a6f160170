package dev.dibs.internal.lease;

import dev.dibs.Lease.Takeover;
import dev.dibs.LeaseInfo;
import dev.dibs.internal.time.Term;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A row of a table of leases as a statement returned it; times in milliseconds since 1970 by the database's clock.
 *
 * @param owner the owner token, null if released
 * @param slot the number of the slot, for a kind that has several of a name; else 0
 * @param readAt the database's clock when the row was read
 */
public record LeaseRow(
        String name,
        long slot,
        @Nullable String owner,
        @Nullable String holder,
        long fence,
        long acquiredAt,
        long heldUntil,
        long readAt) {

    /** A row without an owner, of which no more is needed. */
    private static final LeaseRow FREE = new LeaseRow("", 0, null, null, 0, 0, 0, 0);

    public static LeaseRow read(ResultSet row) throws SQLException {
        return read(row, 0);
    }

    /** For a kind that has several of a name. */
    public static LeaseRow readSlot(ResultSet row) throws SQLException {
        return read(row, row.getLong("slot"));
    }

    private static LeaseRow read(ResultSet row, long slot) throws SQLException {
        return new LeaseRow(
                row.getString("name"),
                slot,
                row.getString("owner"),
                row.getString("holder"),
                row.getLong("fence"),
                row.getLong("acquired_at"),
                row.getLong("held_until"),
                row.getLong("read_at"));
    }

    /**
     * The row after a retake, and the row before it, without an owner. Their times are unknown, and not needed.
     */
    public static List<LeaseRow> retaken(String name, String owner, long fence) {
        return List.of(new LeaseRow(name, 0, owner, null, fence, 0, 0, 0), FREE);
    }

    public boolean isOwnedBy(String token) {
        return token.equals(owner);
    }

    /** It has an owner and has not expired. */
    public boolean isHeld() {
        return owner != null && heldUntil > readAt;
    }

    /** It has not expired: it has an owner, or is held back. */
    public boolean isBusy() {
        return heldUntil > readAt;
    }

    /** What this acquisition took over from the row before it. That one was read before its holder released it, if it had not expired. */
    public @Nullable Takeover takeover(LeaseRow past, LeaseKind kind) {
        long stale = acquiredAt - past.heldUntil;
        return past.owner == null || stale < 0 ? null : new Takeover(past.info(kind), Duration.ofMillis(stale));
    }

    /**
     * The term that the row shows: how long it is ours, from before it was read.
     *
     * @param tolerance how much longer than that others wait
     */
    Term left(Term reading, Duration tolerance) {
        return reading.withLease(heldUntil - readAt - tolerance.toMillis());
    }

    public LeaseInfo info(LeaseKind kind) {
        return info(kind.publicKind());
    }

    /** As {@link LeaseKind#list} returned it: without an owner, a transaction has it. */
    public LeaseInfo listed(LeaseKind kind) {
        return info(owner == null ? LeaseInfo.Kind.TRANSACTION : kind.publicKind());
    }

    private LeaseInfo info(LeaseInfo.Kind kind) {
        return new LeaseInfo(
                kind,
                name,
                holder == null ? "" : holder,
                fence,
                Instant.ofEpochMilli(acquiredAt),
                Instant.ofEpochMilli(heldUntil));
    }
}
