package dev.dibs.internal.claims.store;

import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * A claim as a row of the claim table.
 *
 * @param row the key of the user's row as one text
 * @param origin what the row was before
 */
record SideMark(String row, String token, ClaimedRow.Origin origin) {

    /** The column in which statements return the key of the user's row as one text. */
    static final String ROW = "dibs_row";

    static final String UNTIL = "dibs_until";

    static SideMark read(ResultSet row) throws SQLException {
        return new SideMark(row.getString(ROW), row.getString("dibs_token"), ClaimedRow.Origin.of(row.getLong(UNTIL)));
    }
}
