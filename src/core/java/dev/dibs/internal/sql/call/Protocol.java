package dev.dibs.internal.sql.call;

import dev.dibs.internal.sql.catalog.Drift;
import dev.dibs.internal.sql.files.BoundSql;
import dev.dibs.internal.sql.files.ColumnInfo;
import dev.dibs.internal.sql.files.PreparedSql;
import dev.dibs.internal.sql.files.Statements;
import dev.dibs.internal.sql.files.TableSql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Refuses the tables of a later, incompatible protocol. Such a table has a column {@code protocol_N}, N from 2 on; one of protocol 1 has
 * none. Refuses a table that has drifted, too: see {@link Drift}.
 *
 * <p>Each table is checked once an instance, right before the first statement that names it. On the caller's connection only the protocol
 * is; the rest waits for the first connection of our own. Safe for use by many threads; two that come first at the same instant both check.
 */
public final class Protocol {

    /** The protocol of this library. */
    public static final int SPOKEN = 1;

    /** The table is of a later protocol, or has drifted. */
    public static final class Unusable extends SQLException {

        private static final long serialVersionUID = 1;

        /** Every dialect reads this SQLSTATE as refused. */
        private static final String NOT_SUPPORTED = "0A000";

        private Unusable(String message) {
            super(message, NOT_SUPPORTED);
        }
    }

    private static final Pattern MARK = Pattern.compile("protocol_([1-9][0-9]{0,8})");
    private static final String LOOK = "look_at_table";

    /** It names all tables, and must not fail if one is missing. */
    private static final String CATALOG = "find_columns";

    private final Statements statements;
    /** The statements whose tables have all been checked. */
    private final Set<String> passed = ConcurrentHashMap.newKeySet();
    /** The same, but for drift. */
    private final Set<String> spoken = ConcurrentHashMap.newKeySet();
    /** The tables that have been checked. */
    private final Set<String> good = ConcurrentHashMap.newKeySet();

    /** For one instance, with its statements. */
    public Protocol(Statements statements) {
        this.statements = statements;
    }

    /**
     * The problem of a table with these columns, in one or two sentences; an empty text if there is none.
     *
     * @param columns in lower case
     */
    public static String problem(String table, Collection<String> columns) {
        int newest = columns.stream()
                .map(MARK::matcher)
                .filter(Matcher::matches)
                .mapToInt(mark -> Integer.parseInt(mark.group(1)))
                .max()
                .orElse(SPOKEN);
        return newest <= SPOKEN
                ? ""
                : "The table " + table + " is of protocol " + newest + ", and this Dibs speaks protocol " + SPOKEN
                        + ". Update Dibs in this program; nothing was written";
    }

    boolean hasPassed(Call<?> call) {
        return passed.contains(call.name());
    }

    /**
     * Throws {@link Unusable} if a table that the statement names is.
     *
     * @param own whether the connection is our own, without a transaction
     */
    void require(Connection connection, Call<?> call, boolean own) throws SQLException {
        String name = call.name();
        if (passed.contains(name) || (!own && spoken.contains(name))) {
            return;
        }
        if (!TableSql.isOne(name) && !name.equals(CATALOG)) {
            for (BoundSql step : call.steps()) {
                for (TableSql table : step.tables()) {
                    if (!good.contains(table.name())) {
                        examine(connection, table, own);
                    }
                }
            }
        }
        (own ? passed : spoken).add(name);
    }

    /** Throws {@link Unusable} if the table is. */
    void examine(Connection connection, TableSql table, boolean own) throws SQLException {
        PreparedSql query =
                statements.only(LOOK, Map.of("table", table.name())).steps(LOOK).get(0);
        List<ColumnInfo> columns = Runner.columns(connection, query);
        String wrong = problem(
                table.name(),
                columns.stream()
                        .map(column -> column.name().toLowerCase(Locale.ROOT))
                        .toList());
        if (own && wrong.isEmpty()) {
            wrong = new Drift(connection, statements, table).problem(columns);
        }
        if (!wrong.isEmpty()) {
            throw new Unusable(wrong);
        }
        if (own) {
            good.add(table.name());
        }
    }
}
