package dev.dibs.internal.claims.store;

import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * A claim as a row of the claim table.
 *
 * @param row the key of the user's row as one text
 * @param until until when it lasts; the last bits record what the row was before
 */
record SideMark(String row, String token, long until) {

    /** The column in which statements return the key of the user's row as one text. */
    static final String ROW = "dibs_row";

    static final String UNTIL = "dibs_until";

    private static final int ORIGIN_BITS = 3;

    static SideMark read(ResultSet row) throws SQLException {
        return new SideMark(row.getString(ROW), row.getString("dibs_token"), row.getLong(UNTIL));
    }

    ClaimedRow.Origin origin() {
        return origin(until);
    }

    static ClaimedRow.Origin origin(long until) {
        return ClaimedRow.Origin.ofCode((int) (until & ORIGIN_BITS));
    }
}
