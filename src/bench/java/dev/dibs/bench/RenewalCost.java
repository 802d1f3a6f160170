package dev.dibs.bench;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.TestDatabase;
import dev.dibs.database.TestDatabases;
import dev.dibs.sql.Connections;
import dev.dibs.sql.Database;
import dev.dibs.sql.DialectFolder;
import dev.dibs.sql.Params;
import dev.dibs.sql.SqlFailure;
import dev.dibs.sql.Statements;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How long it takes to renew leases of one instance, by the statements that its heartbeat sends. */
final class RenewalCost {
    private static final String PREFIX = "renewed_";
    private static final int OTHERS = 200_000;
    private static final int MANY = 10_000;
    /** As the heartbeat has it. */
    private static final int BATCH = 500;

    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final int MOST_MILLIS = 150;

    private final Settings settings;
    private final Report report;
    private final TestDatabase database = TestDatabases.get(PostgresDatabase.class);

    RenewalCost(Settings settings, Report report) {
        this.settings = settings;
        this.report = report;
    }

    void run() throws Exception {
        report.section(
                "Renewal",
                "PostgreSQL with fsync, a table of %,d held leases, of which some are one instance's. The time of all statements that renew"
                                .formatted(OTHERS)
                        + " these once, up to %d leases in each: the median of %d times.\n"
                                .formatted(BATCH, settings.rounds()));
        List<List<String>> rows = new ArrayList<>();
        try (HikariDataSource pool = database.pool(config -> config.setMaximumPoolSize(2))) {
            try (Dibs dibs = Dibs.builder(pool).tablePrefix(PREFIX).build()) {
                dibs.createSchema();
            }
            fill(pool);
            Database asked = new Database(
                    Connections.forCallers(pool, Runnable::run, false),
                    Statements.load(DialectFolder.named("postgresql"), PREFIX));
            for (int leases : List.of(1, 100, MANY)) {
                double millis = millis(asked, owners(pool, leases));
                rows.add(List.of("%,d".formatted(leases), Report.number(millis)));
                if (leases == MANY) {
                    report.target(
                            "10,000 leases renewed",
                            Report.number(millis) + " ms",
                            "at most " + MOST_MILLIS + " ms",
                            millis <= MOST_MILLIS);
                }
            }
        }
        report.table(List.of("leases", "ms"), rows);
    }

    private static void fill(HikariDataSource pool) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("TRUNCATE " + PREFIX + "lock");
            statement.execute("INSERT INTO " + PREFIX + "lock (name, owner, holder, fence, acquired_at, held_until)"
                    + " SELECT 'device:' || n, md5(n::text), 'somebody', 1, 1, 9000000000000"
                    + " FROM generate_series(1, " + OTHERS + ") AS n");
            statement.execute("VACUUM ANALYZE " + PREFIX + "lock");
        }
    }

    /** The owner's token by name, from anywhere in the table. */
    private static Map<String, String> owners(HikariDataSource pool, int leases) throws SQLException {
        Map<String, String> owners = new LinkedHashMap<>();
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT name, owner FROM " + PREFIX + "lock ORDER BY owner LIMIT " + leases)) {
            while (row.next()) {
                owners.put(row.getString(1), row.getString(2));
            }
        }
        return owners;
    }

    private double millis(Database asked, Map<String, String> owners) throws Exception {
        double[] millis = new double[settings.rounds()];
        for (int round = -3; round < millis.length; round++) {
            long start = System.nanoTime();
            renew(asked, owners);
            if (round >= 0) {
                millis[round] = (System.nanoTime() - start) / 1e6;
            }
        }
        Arrays.sort(millis);
        return millis[millis.length / 2];
    }

    private static void renew(Database asked, Map<String, String> owners) throws SqlFailure {
        List<String> names = List.copyOf(owners.keySet());
        int renewed = 0;
        for (int from = 0; from < names.size(); from += BATCH) {
            List<String> some = names.subList(from, Math.min(names.size(), from + BATCH));
            Params params = Params.none()
                    .withPairs(some, some.stream().map(owners::get).toList())
                    .with("lease", 30_000L);
            renewed += asked.call("renew_locks", params, TIMEOUT, row -> row.getString("owner"))
                    .rows()
                    .size();
        }
        if (renewed != names.size()) {
            throw new IllegalStateException("Not all were renewed; the figures would mean nothing");
        }
    }
}
