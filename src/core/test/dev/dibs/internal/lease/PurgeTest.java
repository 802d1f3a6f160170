package dev.dibs.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Dibs;
import dev.dibs.database.FullTest;
import dev.dibs.database.H2Database;
import dev.dibs.database.TestDatabase;
import dev.dibs.database.UsesDatabase;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.connect.Connections;
import dev.dibs.internal.sql.files.DialectFolder;
import dev.dibs.internal.sql.files.Statements;
import dev.dibs.internal.time.BackgroundLoop;
import dev.dibs.internal.time.ManualClock;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How fast idle rows are deleted, and what is told if they are not. */
@Tag("contract")
@UsesDatabase(H2Database.class)
class PurgeTest {

    private static final int ROWS = 400;

    private final ManualClock clock = new ManualClock();

    /** One failure may be an outage. */
    @Test
    void aSecondFailureInARowIsTold(TestDatabase database) {
        Statements statements = Statements.load(DialectFolder.named("h2"), "no_tables_");
        Purge purge = new Purge(
                new Database(Connections.forCallers(database.dataSource(), Runnable::run, statements), statements),
                Duration.ofDays(1),
                clock);
        List<String> warnings = new ArrayList<>();
        Thread here = Thread.currentThread();
        Logger log = Logger.getLogger("dev.dibs");
        // Other tests purge at the same time.
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                if (Thread.currentThread().equals(here) && line.getLevel().equals(Level.WARNING)) {
                    warnings.add(line.getMessage());
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        log.addHandler(handler);
        try {
            for (int failure = 0; failure < 2; failure++) {
                assertThat(warnings).isEmpty();
                purge.want(LeaseKind.LOCK);
                assertThat(purge.round()).isEqualTo(BackgroundLoop.NEVER);
                clock.run(Duration.ofMinutes(11).toMillis());
            }
        } finally {
            log.removeHandler(handler);
        }
        assertThat(warnings).singleElement().asString().contains("could not be deleted", "10 minutes");
    }

    @FullTest
    void purgeKeepsUpWithInventedKeys(TestDatabase database) throws Exception {
        DataSource dataSource = database.dataSource();
        try (Dibs dibs = Dibs.builder(dataSource).tablePrefix("purge_").build();
                Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            dibs.admin().createSchema();
            statement.execute("INSERT INTO purge_lock (name, fence, acquired_at, held_until)"
                    + " SELECT 'stranger-' || x, 1, 1, 1 FROM system_range(1, " + ROWS + ")");
            Statements statements =
                    Statements.load(DialectFolder.named(dibs.dialect().name()), "purge_");
            Purge purge = new Purge(
                    new Database(Connections.forCallers(dataSource, Runnable::run, statements), statements),
                    Duration.ofDays(1),
                    clock);
            purge.want(LeaseKind.LOCK);
            long paused = 0;
            for (long pause = purge.round(); pause != BackgroundLoop.NEVER; pause = purge.round()) {
                paused += pause;
                clock.run(1 + TimeUnit.NANOSECONDS.toMillis(pause));
            }
            try (ResultSet left = statement.executeQuery("SELECT count(*) FROM purge_lock")) {
                left.next();
                assertThat(left.getLong(1)).isZero();
            }
            assertThat(Duration.ofNanos(paused))
                    .as("200 rows a second are too few")
                    .isLessThan(Duration.ofSeconds(1));
        }
    }
}
