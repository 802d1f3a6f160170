package dev.dibs;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A row of the lock table as a statement returned it; times in milliseconds since 1970 by the database's clock.
 *
 * @param owner the token of the acquisition that has it, null if released
 * @param readAt the database's clock when the row was read
 */
record LockRow(
        String name,
        @Nullable String owner,
        @Nullable String holder,
        long fence,
        long acquiredAt,
        long heldUntil,
        long readAt) {

    static LockRow read(ResultSet row) throws SQLException {
        return new LockRow(
                row.getString("name"),
                row.getString("owner"),
                row.getString("holder"),
                row.getLong("fence"),
                row.getLong("acquired_at"),
                row.getLong("held_until"),
                row.getLong("read_at"));
    }

    boolean isOwnedBy(String token) {
        return token.equals(owner);
    }

    /** Somebody has it and its time has not come. */
    boolean isHeld() {
        return owner != null && heldUntil > readAt;
    }

    LockInfo info() {
        return new LockInfo(
                name,
                holder == null ? "" : holder,
                fence,
                Instant.ofEpochMilli(acquiredAt),
                Instant.ofEpochMilli(heldUntil));
    }
}
