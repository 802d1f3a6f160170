package dev.dibs.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class CountingDataSourceTest {
    private final CountingDataSource counting =
            new CountingDataSource(new DriverDataSource("jdbc:h2:mem:counting;DB_CLOSE_DELAY=-1", "sa", ""));

    @Test
    void countsStatements() throws SQLException {
        try (Connection connection = counting.getConnection();
                Statement statement = connection.createStatement();
                PreparedStatement one = connection.prepareStatement("SELECT ?")) {
            statement.execute("SELECT 1");
            one.setInt(1, 2);
            one.executeQuery().close();
            one.setInt(1, 3);
            one.executeQuery().close();
            assertThat(one.getConnection()).isSameAs(connection);
            assertThat(counting.openConnections()).isEqualTo(1);
        }
        assertThat(counting.statements()).containsExactly("SELECT 1", "SELECT ?", "SELECT ?");
        assertThat(counting.connections()).isEqualTo(1);
        assertThat(counting.openConnections()).isZero();
        assertThat(counting.commits() + counting.rollbacks() + counting.autoCommitChanges())
                .isZero();
    }

    @Test
    void aBatchIsOneStatement() throws SQLException {
        try (Connection connection = counting.getConnection();
                Statement statement = connection.createStatement()) {
            statement.addBatch("CREATE TABLE batch (id INT)");
            statement.addBatch("DROP TABLE batch");
            statement.executeBatch();
        }
        assertThat(counting.statements()).containsExactly("CREATE TABLE batch (id INT);\nDROP TABLE batch");
    }

    @Test
    void onlyChangesOfAutoCommitCount() throws SQLException {
        try (Connection connection = counting.getConnection()) {
            connection.setAutoCommit(true);
            connection.setAutoCommit(false);
            connection.setAutoCommit(false);
            connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
            connection.commit();
            connection.rollback();
            connection.setAutoCommit(true);
        }
        assertThat(counting.autoCommitChanges()).isEqualTo(2);
        assertThat(counting.isolationSettings()).isEqualTo(1);
        assertThat(counting.commits()).isEqualTo(1);
        assertThat(counting.rollbacks()).isEqualTo(1);
        counting.reset();
        assertThat(counting.autoCommitChanges() + counting.commits()).isZero();
    }
}
