package dev.dibs;

import dev.dibs.database.DriverDataSource;
import dev.dibs.junit.Closing;
import java.lang.reflect.Proxy;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Errors whose message alone misleads. If there is no connection, the message has the reason, which a pool keeps as a cause of a cause. */
@Tag("unit")
class RemedyTest extends Closing {
    private final AtomicReference<SQLException> failure = new AtomicReference<>();
    private final AtomicInteger asked = new AtomicInteger();

    private static JdbcDataSource h2(String url) {
        JdbcDataSource dataSource = new JdbcDataSource();
        dataSource.setURL(url);
        dataSource.setUser("sa");
        return dataSource;
    }

    @Test
    void aDatabaseInMemoryThatEndedWithItsLastConnectionIsNamed() {
        Dibs dibs = closing(Dibs.on(h2("jdbc:h2:mem:gone")));
        dibs.admin().createSchema();
        assertThatThrownBy(() -> dibs.lock("x").acquire(Duration.ZERO))
                .isInstanceOf(DatabaseFailureException.class)
                .hasMessageContaining("ends with its last connection")
                .hasMessageContaining(";DB_CLOSE_DELAY=-1")
                .satisfies(e -> assertThat(e.getMessage()).containsOnlyOnce("not found"));
    }

    @Test
    void aSchemaThatDoesNotExistIsToBeCreated() {
        Dibs dibs = closing(Dibs.builder(h2("jdbc:h2:mem:schemas;DB_CLOSE_DELAY=-1"))
                .schema("nosuch")
                .build());
        assertThatThrownBy(() -> dibs.admin().createSchema()).hasMessageContaining("CREATE SCHEMA");
    }

    @Test
    void theDialectOfAStatementThatIsRefusedIsNamed() {
        Dibs dibs = closing(Dibs.builder(h2("jdbc:h2:mem:dialects;DB_CLOSE_DELAY=-1"))
                .dialect(Dialect.named("mysql"))
                .build());
        assertThatThrownBy(() -> dibs.lock("x").acquire(Duration.ZERO)).hasMessageContaining("mysql");
    }

    private DataSource pool() {
        DataSource database =
                new DriverDataSource("jdbc:h2:mem:away" + System.nanoTime() + ";DB_CLOSE_DELAY=60", "sa", "");
        return (DataSource) Proxy.newProxyInstance(
                RemedyTest.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, args) -> {
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
