package dev.dibs.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class AmbientDataSourceTest {
    private final CountingDataSource counting =
            new CountingDataSource(new DriverDataSource("jdbc:h2:mem:ambient", "sa", ""));
    private final AmbientDataSource ambient = new AmbientDataSource(counting);

    @Test
    void theThreadGetsHandlesOnOneConnection() throws SQLException {
        try (AmbientDataSource.Transaction transaction = ambient.begin()) {
            try (Connection handle = ambient.getConnection();
                    Statement statement = handle.createStatement()) {
                assertThat(handle.getAutoCommit()).isFalse();
                statement.execute("CREATE TABLE seen (id INT)");
            }
            try (Connection again = ambient.getConnection();
                    Statement statement = again.createStatement()) {
                statement.execute("SELECT * FROM seen");
            }
            assertThat(transaction.connection().isClosed()).isFalse();
            transaction.commit();
        }
        assertThat(counting.connections()).isEqualTo(1);
        assertThat(counting.openConnections()).isZero();
    }

    @Test
    void aClosedHandleIsOfNoUse() throws SQLException {
        try (AmbientDataSource.Transaction transaction = ambient.begin()) {
            Connection handle = ambient.getConnection();
            handle.close();
            assertThat(handle.isClosed()).isTrue();
            assertThatThrownBy(handle::createStatement).isInstanceOf(SQLException.class);
            assertThat(transaction.connection().isClosed()).isFalse();
        }
    }

    @Test
    void otherThreadsGetTheirOwn() throws SQLException {
        try (AmbientDataSource.Transaction transaction = ambient.begin()) {
            assertThat(transaction.connection().getAutoCommit()).isFalse();
            assertThat(CompletableFuture.supplyAsync(this::autoCommit).join()).isTrue();
        }
        assertThat(autoCommit()).isTrue();
        assertThat(counting.connections()).isEqualTo(3);
    }

    private boolean autoCommit() {
        try (Connection connection = ambient.getConnection()) {
            return connection.getAutoCommit();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
