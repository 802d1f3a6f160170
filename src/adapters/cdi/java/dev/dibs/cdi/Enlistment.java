package dev.dibs.cdi;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * Whether connections of the data source take part in the transactions of JTA. Autocommit that is off is no proof alone: a pool may give
 * out each connection so. Safe for use by any thread.
 */
@ApplicationScoped
class Enlistment {

    @Inject
    DibsStart start;

    /** Autocommit is on outside of a transaction. So only a transaction switches it off. */
    private volatile boolean onOutside;

    /** Call it outside of a transaction, before one is guarded. */
    void look() {
        if (onOutside) {
            return;
        }
        try (Connection connection = start.dataSource().getConnection()) {
            onOutside = connection.getAutoCommit();
        } catch (SQLException e) {
            // A failing database also fails the acquire, which then reports it.
            onOutside = false;
        }
    }

    /** Call it at the beginning of a transaction. */
    boolean isOf(Connection connection) throws SQLException {
        return !connection.getAutoCommit() && (onOutside || refusesAutoCommit(connection));
    }

    /** JDBC forbids to switch it on in a transaction of JTA. Nothing has been written yet that this could commit. */
    private static boolean refusesAutoCommit(Connection connection) throws SQLException {
        try {
            connection.setAutoCommit(true);
        } catch (SQLException e) {
            return true;
        }
        connection.setAutoCommit(false);
        return false;
    }
}
