package bookshop;

import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.Optional;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/** The accounts, and the hashes of their passwords. */
final class Accounts {

    private static final int ROUNDS = 210_000;
    private static final int BITS = 512;
    private static final int SALT = 16;
    private static final SecureRandom RANDOM = new SecureRandom();

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

    /** Slow on purpose. */
    static String hash(String password) {
        byte[] salt = new byte[SALT];
        RANDOM.nextBytes(salt);
        PBEKeySpec key = new PBEKeySpec(password.toCharArray(), salt, ROUNDS, BITS);
        try {
            byte[] hash = SecretKeyFactory.getInstance("PBKDF2WithHmacSHA512")
                    .generateSecret(key)
                    .getEncoded();
            return HexFormat.of().formatHex(salt) + ":" + HexFormat.of().formatHex(hash);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        } finally {
            key.clearPassword();
        }
    }
}
