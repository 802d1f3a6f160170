package dev.dibs.contract.statements;

import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.Fixture;
import dev.dibs.database.CountingDataSource;
import dev.dibs.database.Plans;
import dev.dibs.database.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/** How many rows of tables and indexes the database reads for a claim, by its own counters. */
final class RowsRead {
    private static final Pattern SCAN_COUNT = Pattern.compile("scanCount: (\\d+)");

    /** The counters of this session; those of an earlier transaction may be among them. */
    private static final String BY_TABLE =
            "SELECT relname, coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) FROM pg_stat_xact_user_tables";

    private static final String HANDLER = "SHOW SESSION STATUS LIKE 'Handler_read%'";

    private final CountingDataSource dataSource;
    private final Plans how;

    RowsRead(DataSource dataSource, Plans how) {
        this.dataSource = new CountingDataSource(dataSource);
        this.how = how;
    }

    DataSource dataSource() {
        return dataSource;
    }

    /** By a claim of n rows, which is rolled back. */
    long byClaim(RowClaims<RowKey> claims, int n) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            try {
                return switch (how) {
                    case H2 -> explained(connection, claims, n);
                    case POSTGRESQL -> planned(connection, claims, n);
                    default -> counted(connection, HANDLER, claims, n);
                };
            } finally {
                connection.rollback();
                connection.setAutoCommit(true);
            }
        }
    }

    private static void claim(Connection connection, RowClaims<RowKey> claims, int n) {
        if (claims.claim(connection, n).keys().size() != n) {
            throw new AssertionError("not " + n + " rows were claimed");
        }
    }

    /** By any statement, on MariaDB or MySQL. */
    static long by(Connection connection, Action action) throws Exception {
        long before = sum(connection, HANDLER);
        action.run();
        return sum(connection, HANDLER) - before;
    }

    /** The action whose reads are counted. */
    interface Action {
        void run() throws Exception;
    }

    /** By a statement on PostgreSQL that is rolled back, with the plan of the long run if it is generic. */
    static long by(Connection connection, boolean generic, Action action) throws Exception {
        connection.setAutoCommit(false);
        try {
            if (generic) {
                Fixture.run(connection, "SET LOCAL plan_cache_mode = force_generic_plan");
            }
            long before = sum(connection, BY_TABLE);
            action.run();
            return sum(connection, BY_TABLE) - before;
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }

    /** H2 does not explain the source of a MERGE, so its text is cut out and explained. */
    private long explained(Connection connection, RowClaims<RowKey> claims, int n) throws SQLException {
        dataSource.reset();
        claim(connection, claims, n);
        connection.rollback();
        return SCAN_COUNT
                .matcher(planOfSource(
                        connection, "EXPLAIN ANALYZE ", dataSource.statements().get(0), n))
                .results()
                .map(MatchResult::group)
                .mapToLong(found -> Long.parseLong(found.substring("scanCount: ".length())))
                .sum();
    }

    /** How H2 finds the rows of a MERGE: the plan of its source. */
    static String planOfSource(DataSource dataSource, String merge) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            return planOfSource(connection, "EXPLAIN ", merge, 1);
        }
    }

    private static String planOfSource(Connection connection, String explain, String merge, int n) throws SQLException {
        try (PreparedStatement plan = connection.prepareStatement(explain + candidates(merge))) {
            for (int i = 1; i <= plan.getParameterMetaData().getParameterCount(); i++) {
                plan.setString(i, String.valueOf(n));
            }
            try (ResultSet rows = plan.executeQuery()) {
                rows.next();
                return rows.getString(1);
            }
        }
    }

    /** The text in the parentheses after USING. */
    private static String candidates(String merge) {
        return Explained.upToClosing(merge.substring(merge.indexOf("USING (") + "USING (".length()));
    }

    /** Planned without the values of the parameters, as PostgreSQL does in the long run. */
    private static long planned(Connection connection, RowClaims<RowKey> claims, int n) throws SQLException {
        Fixture.run(connection, "SET LOCAL plan_cache_mode = force_generic_plan");
        return counted(connection, BY_TABLE, claims, n);
    }

    private static long counted(Connection connection, String counters, RowClaims<RowKey> claims, int n)
            throws SQLException {
        long before = sum(connection, counters);
        claim(connection, claims, n);
        return sum(connection, counters) - before;
    }

    private static long sum(Connection connection, String query) throws SQLException {
        return Sql.on(connection).rows(row -> row.getLong(2), query).stream()
                .mapToLong(Long::longValue)
                .sum();
    }
}
