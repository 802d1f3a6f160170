package dev.dibs.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.fault.ChildJvm;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Every database of the tests starts, is durable and shows its errors. */
@Isolated("it restarts the servers that the others use")
@ParameterizedClass
@MethodSource("dev.dibs.database.TestDatabases#all")
class TestDatabasesTest {
    private final TestDatabase database;

    TestDatabasesTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeEach
    void isAvailable() {
        database.assumeAvailable();
    }

    @Test
    void aCommittedRowSurvivesACrash() throws SQLException {
        assumeTrue(database.canRestart());
        run(database.dataSource(), "CREATE TABLE survivor (id INT PRIMARY KEY)", "INSERT INTO survivor VALUES (42)");
        String url = database.url();
        database.restart();
        assertThat(database.url()).isEqualTo(url);
        assertThat(number(database.dataSource(), "SELECT id FROM survivor")).isEqualTo(42);
        run(database.dataSource(), "DROP TABLE survivor");
    }

    @Test
    void theErrorLogShowsAFailedStatementAndNothingElse() throws SQLException {
        assumeTrue(database.canReadErrorLog());
        run(database.dataSource(), "CREATE TABLE quiet (id INT)");
        ErrorLog log = database.errorLog();
        run(database.dataSource(), "INSERT INTO quiet VALUES (1)", "DROP TABLE quiet");
        assertThat(log.entries()).isEmpty();
        assertThatThrownBy(() -> run(database.dataSource(), "INSERT INTO quiet VALUES (2)"))
                .isInstanceOf(SQLException.class);
        List<String> entries =
                Awaitility.await().atMost(Duration.ofSeconds(5)).until(log::entries, found -> !found.isEmpty());
        assertThat(entries).singleElement().asString().containsIgnoringCase("quiet");
        assertThat(database.errorLog().entries()).isEmpty();
    }

    @Test
    void isReachedFromThisMachineOnly() throws IOException {
        database.url();
        assumeTrue(database.port() != 0, "not our server");
        List<InetAddress> addresses = NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> !address.isLoopbackAddress())
                .toList();
        for (InetAddress address : addresses) {
            try (Socket socket = new Socket()) {
                InetSocketAddress outside = new InetSocketAddress(address, database.port());
                assertThatThrownBy(() -> socket.connect(outside, 1000))
                        .as(outside.toString())
                        .isInstanceOf(IOException.class);
            }
        }
    }

    /** Adds a row to the table, in another process. */
    static final class Visitor {
        private Visitor() {}

        public static void main(String[] arguments) throws SQLException {
            run(new DriverDataSource(arguments[0], arguments[1], arguments[2]), "INSERT INTO shared VALUES (7)");
            System.out.println("done");
        }
    }

    @Test
    void isSharedWithOtherProcesses() throws SQLException, InterruptedException {
        run(database.dataSource(), "CREATE TABLE shared (id INT)");
        try (ChildJvm visitor = ChildJvm.start(Visitor.class, database.url(), database.user(), database.password())) {
            visitor.awaitLine("done"::equals, Duration.ofSeconds(30));
        }
        assertThat(number(database.dataSource(), "SELECT id FROM shared")).isEqualTo(7);
        run(database.dataSource(), "DROP TABLE shared");
    }

    @Test
    void aPoolIsSetByItsUser() throws SQLException {
        try (HikariDataSource pool = database.pool(config -> config.setAutoCommit(false));
                Connection connection = pool.getConnection()) {
            assertThat(connection.getAutoCommit()).isFalse();
        }
    }

    private static void run(DataSource dataSource, String... statements) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private static int number(DataSource dataSource, String query) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            assertThat(row.next()).isTrue();
            return row.getInt(1);
        }
    }
}
