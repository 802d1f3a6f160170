package dev.dibs.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** MariaDB and MySQL accept each other's driver, so neither a driver nor its product name shows which one it is. */
@Tag("contract")
@FullRun
class OtherDriverTest {
    @Test
    void mysqlByTheDriverOfMariaDb() throws SQLException {
        MySqlDatabase mysql = TestDatabases.get(MySqlDatabase.class);
        mysql.assumeAvailable();
        assertThat(version(mysql.mariadbDriverUrl(), mysql)).startsWith("8.");
    }

    @Test
    void mariaDbByTheDriverOfMySql() throws SQLException {
        MariaDbDatabase mariadb = TestDatabases.get(MariaDbDatabase.class);
        mariadb.assumeAvailable();
        assertThat(version(mariadb.mysqlDriverUrl(), mariadb)).contains("MariaDB");
    }

    private static String version(String url, TestDatabase database) throws SQLException {
        try (Connection connection = new DriverDataSource(url, database.user(), database.password()).getConnection()) {
            return connection.getMetaData().getDatabaseProductVersion();
        }
    }
}
