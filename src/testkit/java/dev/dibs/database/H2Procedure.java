package dev.dibs.database;

import java.sql.Connection;
import java.sql.SQLException;

/** A procedure in H2 that ends the transaction of its caller. */
public final class H2Procedure {

    private H2Procedure() {}

    /** Commits by the connection of the caller. */
    public static void commit(Connection connection) throws SQLException {
        connection.commit();
    }
}
