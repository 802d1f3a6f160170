package bookshop;

import dev.dibs.claims.Claim;
import dev.dibs.claims.KeyedRow;
import dev.dibs.claims.RowClaims;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/** Sends mails that no other consumer has claimed. There may be any number of consumers, on any number of nodes. */
final class MailConsumer implements ShopListener.Work {

    private static final int AT_ONCE = 3;

    private final String name;
    private final Shop shop;
    private final RowClaims<Mail> mails;

    MailConsumer(String name, Shop shop, RowClaims<Mail> mails) {
        this.name = name;
        this.shop = shop;
        this.mails = mails;
    }

    @Override
    public void run() throws SQLException {
        try (Claim<Mail> claim = mails.claim(AT_ONCE)) {
            for (KeyedRow<Mail> mail : claim.rows()) {
                shop.slow().take("mail");
                send(claim, mail);
            }
        }
    }

    /** Exactly once, because the outbox is in the same database: to send and to complete are one transaction. A mail server has none. */
    private void send(Claim<Mail> claim, KeyedRow<Mail> mail) throws SQLException {
        try (Connection connection = shop.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            boolean ours = false;
            try {
                deliver(connection, mail.row());
                ours = claim.complete(connection, List.of(mail.key())).isComplete();
                if (ours) {
                    connection.commit();
                }
            } finally {
                if (!ours) {
                    connection.rollback();
                }
            }
        }
    }

    private void deliver(Connection connection, Mail mail) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO outbox (mail_id, recipient, body, sender) VALUES (?, ?, ?, ?)")) {
            insert.setLong(1, mail.id());
            insert.setString(2, mail.recipient());
            insert.setString(3, mail.body());
            insert.setString(4, name);
            insert.execute();
        }
    }
}
