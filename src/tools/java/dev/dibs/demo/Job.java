package dev.dibs.demo;

import dev.dibs.Dibs;
import dev.dibs.claims.RowClaims;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * A row of the run's table.
 *
 * @param id its key
 * @param path the file's, relative to the sample's directory
 */
record Job(long id, String path) {

    /** The run's name. */
    static final String RUN = "inspect-files";

    /** The condition of the open rows. */
    static final String OPEN = "done = 0";

    /** The open rows: claimed by two columns of their own, completed by a third one. */
    static RowClaims<Job> claims(Dibs dibs, String prefix) {
        return dibs.claims(prefix + "file")
                .key("id")
                .token("claim_token")
                .until("claimed_until")
                .where(OPEN)
                .completeSet("done = 1")
                .build(Job::read);
    }

    private static Job read(ResultSet row) throws SQLException {
        return new Job(row.getLong("id"), row.getString("path"));
    }
}
