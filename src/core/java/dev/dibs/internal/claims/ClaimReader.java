package dev.dibs.internal.claims;

import dev.dibs.claims.RowKey;
import dev.dibs.claims.RowMapper;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Reads claimed rows. A row that the user's mapper cannot read must neither hide the others nor stay claimed unnoticed.
 *
 * @param <T> what a row is mapped to
 */
record ClaimReader<T>(ClaimTable table, RowMapper<T> mapper) {

    ClaimedRow<T> read(ResultSet row, ClaimedRow.Origin origin) throws SQLException {
        RowKey key = table.keyOf(row);
        try {
            return new ClaimedRow<>(key, mapper.map(row), null, origin);
        } catch (SQLException | RuntimeException e) {
            return new ClaimedRow<>(key, null, e, origin);
        }
    }
}
