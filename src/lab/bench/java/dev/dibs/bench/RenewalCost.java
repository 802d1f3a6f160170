package dev.dibs.bench;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.bench.Rounds.Result;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.Sql;
import dev.dibs.database.TestDatabase;
import dev.dibs.database.TestDatabases;
import dev.dibs.internal.lease.LeaseKeys;
import dev.dibs.internal.lease.LeaseKind;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.connect.Connections;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.files.DialectFolder;
import dev.dibs.internal.sql.files.Statements;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How long it takes to renew leases of one instance, by the statements of its heartbeat. */
final class RenewalCost extends Measurement {
    private static final String PREFIX = "renewed_";
    private static final int OTHERS = 200_000;
    private static final int MANY = 10_000;
    /** As the heartbeat has it. */
    private static final int BATCH = 1_000;

    private static final long LEASE_MILLIS = 30_000;
    private static final long UNTIL = 9_000_000_000_000L;
    private static final String PLAIN = """
            WITH pair AS MATERIALIZED (
                SELECT p.name, p.owner FROM (SELECT ?::text[] AS names, ?::text[] AS owners) AS asked,
                       unnest(asked.names, asked.owners) AS p(name, owner)
            )
            UPDATE renewed_lock AS l SET held_until = ?
              FROM pair
             WHERE l.name = pair.name AND l.owner = pair.owner""";

    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final double MOST = 1.1;
    /** A slice that ends before anything comes a second time. */
    private static final Duration ONCE = Duration.ofNanos(1);

    private final TestDatabase database = TestDatabases.get(PostgresDatabase.class);

    RenewalCost(Settings settings, Report report) {
        super(settings, report);
    }

    void run() throws Exception {
        report.section("Renewal", """
                PostgreSQL with fsync, a table of %,d held leases, some of them of one instance. The time is that of all
                statements that renew the instance's leases once, up to %,d leases in each: the median of %d times. They
                take turns with a plain UPDATE of the same rows in statements of the same size. It finds a row once,
                does not check whether a lease has passed, and would wait for a locked row.
                """.formatted(OTHERS, BATCH, settings.rounds()));
        List<List<String>> rows = new ArrayList<>();
        try (HikariDataSource pool = database.pool(config -> config.setMaximumPoolSize(2))) {
            try (Dibs dibs = Dibs.builder(pool).tablePrefix(PREFIX).build()) {
                dibs.admin().createSchema();
            }
            fill(pool);
            Statements statements = Statements.load(DialectFolder.named("postgresql"), PREFIX);
            Database asked = new Database(Connections.forCallers(pool, Runnable::run, statements), statements);
            for (int leases : List.of(1, 100, MANY)) {
                Map<String, String> owners = owners(pool, leases);
                List<Result> results = new Rounds(settings.rounds(), ONCE, 1)
                        .compare("a plain UPDATE of the same rows", thread -> () -> update(pool, owners))
                        .compare("renewed", thread -> () -> renew(asked, owners))
                        .run();
                double millis = results.get(1).p50();
                rows.add(List.of(
                        "%,d".formatted(leases),
                        Report.number(results.get(0).p50()),
                        Report.number(millis),
                        Report.number(results.get(1).ratio()) + "x"));
                if (leases == MANY) {
                    report.headline("10,000 leases renewed", results);
                    report.target("10,000 leases renewed, to a plain UPDATE of the same rows", results.get(1), MOST);
                }
            }
        }
        report.table(List.of("leases", "plain UPDATE, ms", "renewed, ms", "ratio"), rows);
    }

    private static void fill(HikariDataSource pool) throws SQLException {
        Sql.on(pool)
                .run(
                        "TRUNCATE " + PREFIX + "lock",
                        "INSERT INTO " + PREFIX + "lock (name, owner, holder, fence, acquired_at, held_until)"
                                + " SELECT 'device:' || n, md5(n::text), 'somebody', 1, 1, 9000000000000"
                                + " FROM generate_series(1, " + OTHERS + ") AS n",
                        "VACUUM ANALYZE " + PREFIX + "lock");
    }

    /** The owner token by name, from anywhere in the table. */
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

    private static void update(HikariDataSource pool, Map<String, String> owners) throws SQLException {
        List<String> names = List.copyOf(owners.keySet());
        for (int from = 0; from < names.size(); from += BATCH) {
            List<String> some = names.subList(from, Math.min(names.size(), from + BATCH));
            try (Connection connection = pool.getConnection();
                    PreparedStatement statement = connection.prepareStatement(PLAIN)) {
                statement.setArray(1, connection.createArrayOf("text", some.toArray()));
                statement.setArray(
                        2,
                        connection.createArrayOf(
                                "text", some.stream().map(owners::get).toArray()));
                statement.setLong(3, UNTIL);
                if (statement.executeUpdate() != some.size()) {
                    throw new IllegalStateException("Not all were updated; the figures would mean nothing");
                }
            }
        }
    }

    private static void renew(Database asked, Map<String, String> owners) throws SqlFailure {
        List<LeaseKeys.Key> keys = new ArrayList<>();
        owners.forEach((name, owner) -> keys.add(new LeaseKeys.Key(name, owner)));
        int renewed = 0;
        for (int from = 0; from < keys.size(); from += BATCH) {
            LeaseKeys some = new LeaseKeys(keys.subList(from, Math.min(keys.size(), from + BATCH)));
            renewed += LeaseKind.LOCK.renew(asked, some, LEASE_MILLIS, TIMEOUT).size();
        }
        if (renewed != keys.size()) {
            throw new IllegalStateException("Not all were renewed; the figures would mean nothing");
        }
    }
}
