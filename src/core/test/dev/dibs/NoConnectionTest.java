package dev.dibs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.dibs.database.DriverDataSource;
import java.lang.reflect.Proxy;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** If there is no connection, the message has the reason, which a pool keeps as a cause of a cause. */
@Tag("unit")
class NoConnectionTest {

    private final AtomicReference<SQLException> failure = new AtomicReference<>();
    private final AtomicInteger asked = new AtomicInteger();

    private DataSource pool() {
        DataSource database =
                new DriverDataSource("jdbc:h2:mem:away" + System.nanoTime() + ";DB_CLOSE_DELAY=60", "sa", "");
        return (DataSource) Proxy.newProxyInstance(
                NoConnectionTest.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, args) -> {
                    SQLException reason = failure.get();
                    if (reason == null) {
                        return database.getConnection();
                    }
                    asked.incrementAndGet();
                    throw new SQLTransientConnectionException(
                            "pool - Connection is not available, request timed out after 3000ms.", reason);
                });
    }

    private void fails(Dibs dibs, SQLException reason, String message) {
        failure.set(reason);
        asked.set(0);
        assertThatThrownBy(() -> dibs.lock("a").tryAcquire())
                .isInstanceOf(DatabaseFailureException.class)
                .hasMessageContaining("request timed out after 3000ms: " + message)
                .hasMessageContaining("). There is no connection: check that the database runs")
                .hasMessageNotContaining("..");
        assertThat(asked).as("one wait for the pool").hasValue(1);
        failure.set(null);
    }

    @Test
    void aMissingConnectionNamesItsReason() {
        try (Dibs dibs = Dibs.on(pool())) {
            dibs.admin().createSchema();
            fails(
                    dibs,
                    new SQLException("The connection attempt failed.", "08001", new UnknownHostException("nohost")),
                    "The connection attempt failed: UnknownHostException: nohost (SQL state ");
            fails(
                    dibs,
                    new SQLException("password authentication failed for user \"app\"", "28P01"),
                    "password authentication failed for user \"app\" (SQL state ");
        }
    }

    @Test
    void aMissingConnectionNamesItsReasonAtTheStart() {
        failure.set(new SQLException("This connection has been closed."));
        assertThatThrownBy(() -> Dibs.on(pool()))
                .isInstanceOf(DatabaseFailureException.class)
                .hasMessageContaining("3000ms: This connection has been closed. Check that it runs");
    }
}
