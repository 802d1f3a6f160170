package dev.dibs.examples;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/** The application's own table. */
final class Accounts {

    private Accounts() {}

    /** The id of the account with this address, which is the token's subject: addresses change. */
    static Optional<String> idOf(Connection connection, String mail) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("SELECT id FROM account WHERE mail = ?")) {
            select.setString(1, mail);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? Optional.of(row.getString(1)) : Optional.empty();
            }
        }
    }

    static void setPassword(Connection connection, String id, String hash) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE account SET password_hash = ? WHERE id = ?")) {
            update.setString(1, hash);
            update.setString(2, id);
            if (update.executeUpdate() != 1) {
                throw new SQLException("the account is gone");
            }
        }
    }
}
