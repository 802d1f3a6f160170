package dev.dibs.internal.claims.store;

import dev.dibs.claims.RowKey;
import dev.dibs.claims.RowMapper;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Reads claimed rows. A row that the user's mapper cannot read must neither hide the others nor stay claimed unnoticed.
 *
 * @param <T> the type that a row is mapped to
 * @param mapper null if a row is represented by its key, so that T is RowKey
 */
public record ClaimReader<T>(ClaimTable table, @Nullable RowMapper<T> mapper) {

    @SuppressWarnings("unchecked")
    ClaimedRow<T> read(ResultSet row, ClaimedRow.Origin origin) throws SQLException {
        RowKey key = table.keyOf(row);
        if (mapper == null) {
            return new ClaimedRow<>(key, (T) key, null, origin);
        }
        try {
            return new ClaimedRow<>(key, mapper.map(row), null, origin);
        } catch (SQLException | RuntimeException e) {
            return new ClaimedRow<>(key, null, e, origin);
        }
    }
}
