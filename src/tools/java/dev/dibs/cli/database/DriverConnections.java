package dev.dibs.cli.database;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** New connections by one driver. {@code DriverManager} knows no driver of a jar that was loaded later. */
record DriverConnections(Driver driver, Target target) implements ConnectionSource {

    @Override
    public Connection getConnection() throws SQLException {
        return getConnection(target.user(), target.password());
    }

    @Override
    public Connection getConnection(@Nullable String user, @Nullable String password) throws SQLException {
        Properties login = new Properties();
        put(login, "user", user);
        put(login, "password", password);
        Connection connection = driver.connect(target.url(), login);
        if (connection == null) {
            throw new SQLException("the driver " + driver.getClass().getName() + " does not take this url", "08001");
        }
        return connection;
    }

    private static void put(Properties login, String name, @Nullable String value) {
        if (value != null) {
            login.setProperty(name, value);
        }
    }
}
