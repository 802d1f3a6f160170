package dev.dibs.internal.sql.run;

import dev.dibs.internal.sql.files.SlottedText;
import dev.dibs.internal.sql.files.SqlText;
import dev.dibs.internal.sql.files.Statements;
import dev.dibs.internal.sql.files.TableText;
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
 * none.
 *
 * <p>Each table is checked once an instance, on the connection, right before the first statement that names it. Safe for use by many
 * threads; two that come first at the same instant both check.
 */
public final class Protocol {

    /** The protocol of this library. */
    public static final int SPOKEN = 1;

    /** The table is of a later protocol. */
    public static final class Newer extends SQLException {

        private static final long serialVersionUID = 1;

        /** Every dialect reads this SQLSTATE as refused. */
        private static final String NOT_SUPPORTED = "0A000";

        private Newer(String message) {
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

    /** Throws {@link Newer} if a table that the statement names is of a later protocol. */
    void require(Connection connection, Call<?> call) throws SQLException {
        String name = call.name();
        if (passed.contains(name)) {
            return;
        }
        if (!TableText.isOne(name) && !name.equals(CATALOG)) {
            for (SlottedText step : call.steps()) {
                for (TableText table : step.tables()) {
                    look(connection, table.name());
                }
            }
        }
        passed.add(name);
    }

    private void look(Connection connection, String table) throws SQLException {
        if (good.contains(table)) {
            return;
        }
        SqlText query =
                statements.only(LOOK, Map.of("table", table)).steps(LOOK).get(0);
        List<String> columns = Runner.columns(connection, query).stream()
                .map(column -> column.name().toLowerCase(Locale.ROOT))
                .toList();
        String wrong = problem(table, columns);
        if (!wrong.isEmpty()) {
            throw new Newer(wrong);
        }
        good.add(table);
    }
}
