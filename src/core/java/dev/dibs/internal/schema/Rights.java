package dev.dibs.internal.schema;

import dev.dibs.internal.sql.call.Call;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.call.Params;
import dev.dibs.internal.sql.errors.Secrets;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.files.Statements;
import dev.dibs.internal.sql.files.TableSql;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The rights that the database's user needs: reports which are missing, and how to grant them. */
public record Rights(Database database) {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final String FILE = "rights";

    /** The statements that try a right each, which their names end with. */
    private static final List<String> TRIES = List.of("may_select", "may_insert", "may_update", "may_delete");

    /** The remedy for a refused right, in one sentence. */
    public static String advice(String dialect) {
        return "The database's user lacks a right: it needs the rights select, insert, update and delete on the tables of Dibs ('dibs schema "
                + dialect
                + " --grant-to USER' prints the statements), and select and update on a table of yours whose rows"
                + " are claimed";
    }

    /**
     * The statements that grant the rights on the tables of these capabilities and on those that they need. If none is named, on
     * all tables.
     */
    public static String grants(Statements statements, String role, Collection<String> capabilities) {
        return statements.schema().of(capabilities).stream()
                .map(table -> about(statements, table, role).text("grant") + ";\n")
                .collect(Collectors.joining());
    }

    private static Statements about(Statements statements, TableSql table, String role) {
        List<String> columns = table.columns();
        Map<String, String> texts = Map.of(
                "table", table.name(),
                "columns", String.join(", ", columns),
                "column", columns.get(columns.size() - 1),
                "role", role);
        return statements.about(FILE, Map.of(), texts);
    }

    /**
     * Tries to read and write each table, without touching a row. Returns the missing rights with the database's message, or an
     * empty text.
     */
    public String whatIsMissing(List<TableSql> tables) throws SqlFailure {
        Map<String, List<String>> missing = new LinkedHashMap<>();
        String reason = "";
        for (TableSql table : tables) {
            Statements statements = about(database.statements(), table, "");
            for (String attempt : TRIES) {
                try {
                    database.transact(List.of(Call.of(statements, attempt, Params.none(), row -> true)), TIMEOUT);
                } catch (SqlFailure e) {
                    if (!e.isKnownRefusal()) {
                        throw e;
                    }
                    String right = attempt.substring("may_".length()).toUpperCase(Locale.ROOT);
                    missing.computeIfAbsent(right, any -> new ArrayList<>()).add(table.name());
                    reason = Secrets.masked(e.getCause()).strip();
                }
            }
        }
        return missing.isEmpty() ? "" : inWords(missing) + " (" + reason + ")";
    }

    private static String inWords(Map<String, List<String>> missing) {
        return missing.entrySet().stream()
                .map(right -> "no " + right.getKey() + " on " + String.join(", ", right.getValue()))
                .collect(Collectors.joining("; "));
    }
}
