package dev.dibs.cli.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class PoolTest {

    private final Target target =
            new Target("jdbc:h2:mem:pool" + System.nanoTime() + ";DB_CLOSE_DELAY=60", "sa", "", null, null);

    private static int session(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                var row = statement.executeQuery("SELECT session_id()")) {
            row.next();
            return row.getInt(1);
        }
    }

    @Test
    void aConnectionThatCameBackIsUsedAgain() throws SQLException {
        try (Pool pool = Pool.open(target, 2)) {
            Connection first = pool.getConnection();
            int session = session(first);
            first.close();
            first.close();
            assertThat(first.isClosed()).isTrue();
            assertThatThrownBy(first::createStatement).hasMessageContaining("given back");
            try (Connection again = pool.getConnection();
                    Connection another = pool.getConnection()) {
                assertThat(session(again)).isEqualTo(session);
                assertThat(session(another)).isNotEqualTo(session);
            }
        }
    }

    @Test
    void aConnectionThatTheDatabaseHasEndedIsReplaced() throws SQLException {
        try (Pool pool = Pool.open(target, 3);
                Connection other = pool.getConnection()) {
            int session;
            try (Connection lent = pool.getConnection()) {
                session = session(lent);
            }
            try (Statement statement = other.createStatement()) {
                statement.execute("CALL abort_session(" + session + ")");
            }
            try (Connection next = pool.getConnection()) {
                assertThat(session(next)).isNotEqualTo(session);
            }
        }
    }

    @Test
    void anOpenTransactionIsRolledBack() throws SQLException {
        try (Pool pool = Pool.open(target, 1)) {
            try (Connection lent = pool.getConnection();
                    Statement statement = lent.createStatement()) {
                statement.execute("CREATE TABLE t (x int)");
                lent.setAutoCommit(false);
                statement.execute("INSERT INTO t VALUES (1)");
            }
            try (Connection lent = pool.getConnection();
                    Statement statement = lent.createStatement();
                    var rows = statement.executeQuery("SELECT * FROM t")) {
                assertThat(lent.getAutoCommit()).isTrue();
                assertThat(rows.next()).isFalse();
            }
        }
    }

    @Test
    void anAbortedConnectionLeavesItsPlaceToAnother() throws SQLException {
        try (Pool pool = Pool.open(target, 1)) {
            for (int i = 0; i < 3; i++) {
                try (Connection lent = pool.getConnection()) {
                    lent.abort(Runnable::run);
                }
            }
            try (Connection lent = pool.getConnection()) {
                assertThat(lent.isValid(1)).isTrue();
            }
        }
    }
}
