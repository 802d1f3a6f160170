package dev.dibs.cli.database;

import dev.dibs.junit.Closing;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class PoolTest extends Closing {

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
        Pool pool = closing(Pool.open(target, 2));
        Connection first = pool.getConnection();
        int session = session(first);
        first.close();
        first.close();
        assertThat(first.isClosed()).isTrue();
        assertThatThrownBy(first::createStatement).hasMessageContaining("given back");
        Connection again = closing(pool.getConnection());
        Connection another = closing(pool.getConnection());
        assertThat(session(again)).isEqualTo(session);
        assertThat(session(another)).isNotEqualTo(session);
    }

    @Test
    void aConnectionThatTheDatabaseHasEndedIsReplaced() throws SQLException {
        Pool pool = closing(Pool.open(target, 3));
        Connection other = closing(pool.getConnection());
        int session;
        try (Connection lent = pool.getConnection()) {
            session = session(lent);
        }
        try (Statement statement = other.createStatement()) {
            statement.execute("CALL abort_session(" + session + ")");
        }
        Connection next = closing(pool.getConnection());
        assertThat(session(next)).isNotEqualTo(session);
    }

    @Test
    void anOpenTransactionIsRolledBack() throws SQLException {
        Pool pool = closing(Pool.open(target, 1));
        try (Connection lent = pool.getConnection();
                Statement statement = lent.createStatement()) {
            statement.execute("CREATE TABLE t (x int)");
            lent.setAutoCommit(false);
            statement.execute("INSERT INTO t VALUES (1)");
        }
        Connection lent = closing(pool.getConnection());
        Statement statement = closing(lent.createStatement());
        var rows = closing(statement.executeQuery("SELECT * FROM t"));
        assertThat(lent.getAutoCommit()).isTrue();
        assertThat(rows.next()).isFalse();
    }

    @Test
    void anAbortedConnectionLeavesItsPlaceToAnother() throws SQLException {
        Pool pool = closing(Pool.open(target, 1));
        for (int i = 0; i < 3; i++) {
            try (Connection lent = pool.getConnection()) {
                lent.abort(Runnable::run);
            }
        }
        Connection lent = closing(pool.getConnection());
        assertThat(lent.isValid(1)).isTrue();
    }
}
