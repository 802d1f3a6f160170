package dev.dibs.bench;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.claims.Claim;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.database.Sql;
import dev.dibs.database.TestDatabase;
import dev.dibs.database.TestDatabases;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** What a claim costs whose customers take turns, beside a plain claim, and beside the condition that one would write by hand. */
final class PerKeyBench extends Measurement {
    private static final int CLAIMED = 50;
    private static final int WARM_UP = 20;
    private static final double MOST = 1.5;
    /** The condition reads all rows of a customer each time: with one large customer it takes seconds. */
    private static final int FEW = 5;

    PerKeyBench(Settings settings, Report report) {
        super(settings, report);
    }

    void run() throws Exception {
        report.section("Claims per key", """
                One thread claims %d rows; only the claim is measured, not the release that follows. The table has a
                million open rows of 10,000 customers on PostgreSQL, and 100,000 rows of 1,000 customers elsewhere. Even:
                each customer has as many. Skewed: one has nine tenths of them. By key: `perKey("customer", 1)`. By condition:
                `NOT EXISTS (an earlier open row of the customer)`. All take turns; the ratio is of medians.
                """.formatted(CLAIMED));
        for (TestDatabase database : TestDatabases.all()) {
            if (database.available()) {
                on(database);
            }
        }
        report.table(List.of("database", "rows", "claim", "p50 ms", "p99 ms", "ratio"), rows);
    }

    private void on(TestDatabase database) throws Exception {
        boolean isLarge = database.name().equals("postgresql");
        try (HikariDataSource pool = database.pool(config -> config.setMaximumPoolSize(BenchDatabase.POOL));
                Dibs dibs =
                        Dibs.builder(pool).leaseLength(Duration.ofMinutes(1)).build()) {
            dibs.admin().createSchema();
            for (boolean even : new boolean[] {true, false}) {
                String table = even ? "bench_even" : "bench_skewed";
                fill(pool, table, isLarge ? 6 : 5, even, isLarge);
                Map<String, RowClaims<RowKey>> contenders = new LinkedHashMap<>();
                contenders.put("plain", claims(dibs, table, "").build());
                contenders.put(
                        "by key", claims(dibs, table, "").perKey("customer", 1).build());
                contenders.put(
                        "by condition",
                        claims(
                                        dibs,
                                        table,
                                        " AND NOT EXISTS (SELECT 1 FROM " + table + " o WHERE o.customer = t.customer"
                                                + " AND o.id < t.id AND o.done_at IS NULL)")
                                .build());
                measure(database.name(), even ? "even" : "skewed", contenders);
            }
        }
    }

    static ClaimsBuilder claims(Dibs dibs, String table, String more) {
        return dibs.claims(table)
                .key("id")
                .token("request_token")
                .until("claimed_until")
                .where("done_at IS NULL" + more)
                .orderBy("id")
                .completeSet("done_at = 1");
    }

    /** A subquery of the numbers n from 0 on, as many as have so many digits. */
    static String numbers(int digits) {
        String number = IntStream.range(0, digits)
                .mapToObj(i -> "d" + i + ".d * " + (int) Math.pow(10, i))
                .collect(Collectors.joining(" + "));
        String ten = IntStream.range(0, 10)
                .mapToObj(i -> "SELECT " + i + " AS d")
                .collect(Collectors.joining(" UNION ALL "));
        String from =
                IntStream.range(0, digits).mapToObj(i -> "(" + ten + ") d" + i).collect(Collectors.joining(", "));
        return "(SELECT " + number + " AS n FROM " + from + ") numbers";
    }

    private static void fill(HikariDataSource pool, String table, int digits, boolean even, boolean filters)
            throws SQLException {
        int customers = (int) Math.pow(10, digits - 2);
        String customer = even
                ? "n % " + customers
                : "CASE WHEN n % 10 = 0 THEN ((n - n % 10) / 10) % " + customers + " ELSE " + customers / 2 + " END";
        Sql.on(pool)
                .run(
                        "DROP TABLE IF EXISTS " + table,
                        "CREATE TABLE " + table
                                + " (id bigint NOT NULL PRIMARY KEY, customer int NOT NULL, what varchar(200),"
                                + " done_at bigint, request_token varchar(32), claimed_until bigint)",
                        "INSERT INTO " + table + " (id, customer, what) SELECT n, " + customer
                                + ", 'a job with a text' FROM " + numbers(digits),
                        filters
                                ? "CREATE INDEX " + table + "_turn ON " + table
                                        + " (customer, id) WHERE done_at IS NULL"
                                : "CREATE INDEX " + table + "_turn ON " + table + " (done_at, customer, id)",
                        filters
                                ? "CREATE INDEX " + table + "_open ON " + table + " (id) WHERE done_at IS NULL"
                                : "CREATE INDEX " + table + "_open ON " + table + " (done_at, id)",
                        "CREATE INDEX " + table + "_token ON " + table + " (request_token)");
        if (filters) {
            Sql.on(pool).run("VACUUM ANALYZE " + table);
        }
    }

    private void measure(String database, String table, Map<String, RowClaims<RowKey>> contenders) {
        Map<String, Timings> timings = new LinkedHashMap<>();
        int turns = WARM_UP + 3 * settings.rounds();
        for (int turn = 0; turn < turns; turn++) {
            for (Map.Entry<String, RowClaims<RowKey>> contender : contenders.entrySet()) {
                boolean isSlow = contender.getKey().equals("by condition");
                if (isSlow && turn >= FEW) {
                    continue;
                }
                long start = System.nanoTime();
                try (Claim<RowKey> claim = contender.getValue().claim(CLAIMED)) {
                    long nanos = System.nanoTime() - start;
                    if (claim.size() != CLAIMED) {
                        throw new IllegalStateException("Not all were claimed; the figures would mean nothing");
                    }
                    if (isSlow || turn >= WARM_UP) {
                        timings.computeIfAbsent(contender.getKey(), name -> new Timings())
                                .add(nanos);
                    }
                }
            }
        }
        double plain = timings.get("plain").median();
        timings.forEach((name, timing) -> rows.add(List.of(
                database,
                table,
                name,
                Report.number(timing.median()),
                Report.number(timing.quantile(0.99)),
                name.equals("plain") ? "1" : "**" + Report.number(timing.median() / plain) + "**")));
        if (database.equals("postgresql")) {
            double ratio = timings.get("by key").median() / plain;
            report.target(
                    "claim per key, " + table + ", PostgreSQL",
                    Report.number(ratio) + "x",
                    "at most " + Report.number(MOST) + "x",
                    ratio <= MOST);
        }
        System.out.println(
                String.format(Locale.ROOT, "%s %s %s", database, table, rows.subList(rows.size() - 3, rows.size())));
    }
}
