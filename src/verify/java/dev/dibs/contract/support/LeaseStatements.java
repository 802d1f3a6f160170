package dev.dibs.contract.support;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.internal.sql.call.Params;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.files.DialectFolder;
import dev.dibs.internal.sql.files.Products;
import dev.dibs.internal.sql.files.Statements;
import dev.dibs.statements.Placeholders;
import dev.dibs.statements.StatementTexts;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** The statements about leases, sent alone: their names, their parameters, and two owners. */
public final class LeaseStatements {
    /** Kinds of leases, as the statements name them. */
    public static final List<String> KINDS = List.of("lock", "permit", "gate", "reader", "ticket", "once");

    public static final String OWNER = "0".repeat(31) + "1";
    public static final String STRANGER = "0".repeat(31) + "2";

    /** The largest fence but a few. */
    public static final long FAR = (1L << 53) - 1000;

    private LeaseStatements() {}

    /**
     * All but those that create the table, the guard, and a deletion of a name that only the doctor knows. For kinds with many rows of a
     * name, a break is a release of each.
     */
    public static List<String> about(Statements statements, String kind) {
        List<String> more = kind.equals("gate") || kind.equals("reader")
                ? List.of("acquire_reader", "enter_gate", "look_gate", "acquire_gate", "renew_gates")
                : List.of();
        return Stream.concat(
                        statements.names().stream().filter(name -> name.matches("[a-z]+(_each|_all)?_" + kind + "s?")),
                        more.stream())
                .filter(name -> !name.matches("(create|guard|delete)_.*|break_(reader|permit|ticket)"))
                .distinct()
                .toList();
    }

    public static boolean hasManyOfAName(String kind) {
        return kind.endsWith("reader") || kind.endsWith("ticket");
    }

    /** All parameters of statements about a lease. */
    public static Params params(String name, String owner) {
        Params params = Params.of("name", name)
                .with("owner", owner)
                .with("holder", "nobody")
                .with("known_fences", List.of(LeaseTable.FENCE))
                .with("retention", Duration.ofHours(1).toMillis())
                .with("error", "none");
        each(params, 60_000, "lease").with("known_fence", LeaseTable.FENCE);
        each(params, 0, "hold", "due").with("permits", 2).with("batch", 10).with("seen", -1);
        return each(params, 1, "every", "delay").withPairs(List.of(name), List.of(owner));
    }

    /** The same value for each of these parameters. */
    public static Params each(Params params, long value, String... names) {
        for (String name : names) {
            params.with(name, value);
        }
        return params;
    }

    /** The other columns of some kinds, without a default. */
    public static List<String> columnsBesides(String table) {
        return table.endsWith("permit")
                ? List.of(", slot")
                : table.endsWith("once") ? List.of(", retry_at", ", failures") : List.of();
    }

    /** Whether the statement itself limits its wait: it fails where others skip the row. */
    public static boolean failsSoon(HikariDataSource pool, String statement, SqlFailure failure) throws SQLException {
        DialectFolder dialect;
        try (Connection connection = pool.getConnection()) {
            dialect = Products.detect(connection.getMetaData());
        }
        boolean saysSo = StatementTexts.of(dialect, "dibs_", Placeholders.NAMED).stream()
                .filter(text -> text.name().equals(statement))
                .flatMap(text -> text.steps().stream())
                .anyMatch(step -> step.sql().matches("(?s).*set_config\\('lock_timeout', '50?', true\\).*")
                        || step.sql().startsWith("SET STATEMENT innodb_lock_wait_timeout = 0 FOR"));
        return saysSo && failure.outcome() == SqlFailure.Outcome.ROLLED_BACK;
    }
}
