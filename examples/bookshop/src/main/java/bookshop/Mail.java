package bookshop;

import dev.dibs.Dibs;
import dev.dibs.claims.RowClaims;
import java.sql.ResultSet;
import java.sql.SQLException;

/** A mail to send: a row of {@code order_mail}. */
record Mail(long id, String recipient, String body) {

    /** A claim has its rows alone until they are completed, or the claim is over. */
    static RowClaims<Mail> claims(Dibs dibs) {
        return dibs.claims("order_mail")
                .key("id")
                .token("request_token")
                .until("claimed_until")
                .where("sent_at IS NULL")
                .orderBy("id")
                .completeSet("sent_at = CURRENT_TIMESTAMP")
                .build(Mail::read);
    }

    private static Mail read(ResultSet row) throws SQLException {
        return new Mail(row.getLong("id"), row.getString("recipient"), row.getString("body"));
    }
}
