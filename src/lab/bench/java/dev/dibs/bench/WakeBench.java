package dev.dibs.bench;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dialect;
import dev.dibs.Dibs;
import dev.dibs.bench.Rounds.Result;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.Sql;
import dev.dibs.database.TestDatabase;
import dev.dibs.database.TestDatabases;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.postgresql.PGConnection;

/** The cost for a release to ask whether somebody waits, and to notify if so. */
final class WakeBench extends Measurement {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration LEASE = Duration.ofMinutes(5);
    private static final int PERMITS = 20;

    private final TestDatabase database = TestDatabases.get(PostgresDatabase.class);
    private final Comparisons comparisons = new Comparisons();
    private volatile boolean over;

    WakeBench(Settings settings, Report report) {
        super(settings, report);
    }

    void run() throws Exception {
        report.section("Releases that wake somebody", """
                PostgreSQL with fsync, a pool of 10. Each thread acquires and releases a lock of its own, or all take
                permits of one semaphore. *Silent* is a dialect whose releases never notify. *Nobody waits* is the
                normal dialect. For *somebody waits*, one connection has marked the names and another one listens.
                """);
        Path silent = silentDialect();
        try (HikariDataSource pool = database.pool(config -> config.setMaximumPoolSize(BenchDatabase.POOL));
                Dibs asks = Dibs.builder(pool).leaseLength(LEASE).build();
                Dibs quiet = Dibs.builder(pool)
                        .leaseLength(LEASE)
                        .dialect(Dialect.at(silent))
                        .build();
                Connection listener = database.dataSource().getConnection();
                Connection marks = database.dataSource().getConnection()) {
            asks.admin().createSchema();
            listen(listener);
            Thread ear = new Thread(() -> hear(listener), "ear");
            ear.start();
            compare(asks, quiet, marks, 1);
            compare(asks, quiet, marks, BenchDatabase.THREADS);
            permits(asks, quiet);
            over = true;
            ear.join();
        }
        comparisons.into(report, List.of("threads"), "acquire + release of");
    }

    private void compare(Dibs asks, Dibs quiet, Connection marks, int threads) throws Exception {
        for (int thread = 0; thread < threads; thread++) {
            mark(marks, "waited-" + thread);
        }
        Result unused = comparisons.add(
                List.of(String.valueOf(threads)),
                new Rounds(settings.rounds(), settings.slice(), threads)
                        .compare("a lock, silent", thread -> pair(quiet, "wake-" + thread))
                        .compare("a lock, nobody waits", thread -> pair(asks, "wake-" + thread))
                        .compare("a lock, somebody waits", thread -> pair(asks, "waited-" + thread))
                        .run());
    }

    private void permits(Dibs asks, Dibs quiet) throws Exception {
        Result unused = comparisons.add(
                List.of(String.valueOf(BenchDatabase.THREADS)),
                new Rounds(settings.rounds(), settings.slice(), BenchDatabase.THREADS)
                        .compare("a permit, silent", thread -> permit(quiet))
                        .compare("a permit, nobody waits", thread -> permit(asks))
                        .run());
    }

    private static Operation pair(Dibs dibs, String name) {
        return () -> dibs.lock(name).tryAcquire().orElseThrow().close();
    }

    private static Operation permit(Dibs dibs) {
        // A row that another thread has locked at this moment is passed over, so a try without a wait may be in vain.
        return () -> dibs.semaphore("wake", PERMITS).acquire(PATIENCE).close();
    }

    private static Path silentDialect() throws IOException {
        Path folder = Files.createDirectory(Files.createTempDirectory("dibs").resolve("silent"));
        Files.writeString(folder.resolve("dialect.sql"), "-- fragment: base\npostgresql\n");
        Files.writeString(folder.resolve("leases.sql"), "-- fragment: wake\nNULL\n");
        return folder;
    }

    private static void mark(Connection connection, String name) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT pg_advisory_lock_shared(hashtextextended(?, 'dibs_lock'::regclass::oid::bigint))")) {
            statement.setString(1, name);
            statement.execute();
        }
    }

    private static void listen(Connection connection) throws SQLException {
        Sql.on(connection).run("LISTEN dibs");
    }

    private void hear(Connection connection) {
        try {
            PGConnection notifications = connection.unwrap(PGConnection.class);
            while (!over) {
                notifications.getNotifications(100);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
