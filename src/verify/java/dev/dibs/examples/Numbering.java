package dev.dibs.examples;

import dev.dibs.Dibs;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import javax.sql.DataSource;

/** Numbers of invoices without a gap. */
record Numbering(Dibs dibs, DataSource dataSource) {

    /** The next number; empty if another process holds the lock. */
    Optional<Integer> tryNext() throws SQLException {
        return dibs.lock("invoices").tryCall(lease -> lease.callInTransaction(dataSource, this::increase));
    }

    /** The same, after a wait. */
    int next(Duration wait) throws SQLException {
        return dibs.lock("invoices").call(wait, lease -> lease.callInTransaction(dataSource, this::increase));
    }

    private int increase(Connection transaction) throws SQLException {
        try (Statement statement = transaction.createStatement()) {
            statement.executeUpdate("UPDATE numbering SET last_number = last_number + 1");
            try (ResultSet row = statement.executeQuery("SELECT last_number FROM numbering")) {
                row.next();
                return row.getInt(1);
            }
        }
    }
}
