package dev.dibs.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class FaultyDataSourceTest {
    private static final String INSERT = "INSERT INTO fault VALUES (1)";
    private final DataSource plain = new DriverDataSource("jdbc:h2:mem:faulty;DB_CLOSE_DELAY=-1", "sa", "");
    private final FaultyDataSource faulty = new FaultyDataSource(plain);

    @BeforeEach
    void create() throws SQLException {
        run(plain, "CREATE TABLE fault (id INT)");
    }

    @AfterEach
    void drop() throws SQLException {
        run(plain, "DROP TABLE fault");
    }

    @Test
    void failsTheNthMatchInsteadOfRunningIt() throws SQLException {
        faulty.on(sql -> sql.startsWith("INSERT")).time(2).fail("40001", 1213);
        run(faulty, "SELECT 1", INSERT);
        assertThatThrownBy(() -> run(faulty, INSERT)).isInstanceOfSatisfying(SQLException.class, e -> {
            assertThat(e.getSQLState()).isEqualTo("40001");
            assertThat(e.getErrorCode()).isEqualTo(1213);
        });
        run(faulty, INSERT);
        assertThat(rows()).isEqualTo(2);
        assertThat(faulty.struck()).containsExactly(INSERT);
    }

    @Test
    void failsAlwaysUntilHealed() {
        faulty.on(INSERT::equals).always().fail("42000", 0);
        assertThatThrownBy(() -> run(faulty, INSERT)).hasMessage("planted failure");
        assertThatThrownBy(() -> run(faulty, INSERT)).hasMessage("planted failure");
        faulty.heal();
        assertThatCode(() -> run(faulty, INSERT)).doesNotThrowAnyException();
    }

    @Test
    void losesTheAnswer() throws SQLException {
        faulty.on(INSERT::equals).loseAnswer();
        assertLost();
        assertThat(rows()).isEqualTo(1);
    }

    @Test
    void losesTheStatement() throws SQLException {
        faulty.on(INSERT::equals).loseStatement();
        assertLost();
        assertThat(rows()).isZero();
    }

    @Test
    void losesTheAnswerOfACommit() throws SQLException {
        faulty.on("COMMIT"::equals).loseAnswer();
        try (Connection connection = faulty.getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute(INSERT);
            assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class);
        }
        assertThat(rows()).isEqualTo(1);
    }

    @Test
    void delaysOnBothSides() throws SQLException {
        faulty.on(INSERT::equals).delayBefore(Duration.ofMillis(40));
        faulty.on(INSERT::equals).delayAfter(Duration.ofMillis(40));
        long start = System.nanoTime();
        run(faulty, INSERT);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(79));
    }

    @Test
    void hasNoConnectionLeft() {
        faulty.exhaust(Duration.ofMillis(10));
        assertThatThrownBy(faulty::getConnection).isInstanceOf(SQLTransientConnectionException.class);
    }

    private void assertLost() throws SQLException {
        try (Connection connection = faulty.getConnection();
                Statement statement = connection.createStatement()) {
            assertThatThrownBy(() -> statement.execute(INSERT))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("08006"));
            assertThat(connection.isClosed()).isTrue();
        }
    }

    private int rows() throws SQLException {
        try (Connection connection = plain.getConnection();
                Statement statement = connection.createStatement();
                ResultSet count = statement.executeQuery("SELECT count(*) FROM fault")) {
            count.next();
            return count.getInt(1);
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
}
