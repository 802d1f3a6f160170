package dev.dibs.internal.schema;

import dev.dibs.Capability;
import dev.dibs.DatabaseFailureException;
import dev.dibs.internal.retry.Patience;
import dev.dibs.internal.retry.RetryPolicy;
import dev.dibs.internal.sql.call.Call;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.call.Params;
import dev.dibs.internal.sql.call.Protocol;
import dev.dibs.internal.sql.errors.Secrets;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.files.ColumnInfo;
import dev.dibs.internal.sql.files.SchemaTables;
import dev.dibs.internal.sql.files.Statements;
import dev.dibs.internal.sql.files.TableSql;
import dev.dibs.internal.values.Arguments;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The tables: creates them, and reports a missing table or column. A capability without any table counts as unused, which is no
 * error. Capabilities have their names of the schema file.
 */
public final class Schema {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final String ADD_COLUMN = "add_column";

    private final Database database;
    /** The capabilities whose tables existed when the catalog was last asked. */
    private volatile Set<String> present = Set.of();

    public Schema(Database database) {
        this.database = database;
    }

    /** The dialect's name. */
    String dialect() {
        return database.statements().dialect().name();
    }

    private SchemaTables tables() {
        return database.statements().schema();
    }

    /**
     * Creates the missing tables, and adds the missing columns to those of an earlier version. If several nodes do so at the same
     * instant, one may get an error from the database even with IF NOT EXISTS. Then it looks again what is missing.
     *
     * @param capabilities those whose tables are created, with the tables that these need; all if none is named
     * @throws DatabaseFailureException if one of these tables is of a later protocol; then nothing is created. Or if one has drifted
     */
    public void create(Collection<String> capabilities) throws SqlFailure {
        Patience patience = RetryPolicy.CREATION.begin();
        while (true) {
            try {
                for (Call<?> change : changes(capabilities)) {
                    database.transact(List.of(change), TIMEOUT);
                }
                requireSound(capabilities);
                return;
            } catch (SqlFailure e) {
                if (e.isRightMissing() && isThere(capabilities)) {
                    // Some databases refuse CREATE TABLE even if the table exists.
                    requireSound(capabilities);
                    return;
                }
                if (isUnasked(e) || e.isRightMissing() || !patience.pausesForAnother()) {
                    throw e;
                }
            }
        }
    }

    private void requireSound(Collection<String> capabilities) {
        String wrong = tables().of(capabilities).stream()
                .map(table -> database.problem(table, TIMEOUT))
                .filter(problem -> !problem.isEmpty())
                .collect(Collectors.joining(". "));
        if (!wrong.isEmpty()) {
            throw new DatabaseFailureException(wrong);
        }
    }

    /**
     * The texts that {@link #create} would send now, in order.
     *
     * @throws DatabaseFailureException if one of these tables is of a later protocol
     */
    public List<String> pendingDdl(Collection<String> capabilities) throws SqlFailure {
        return changes(capabilities).stream().map(Call::lastText).toList();
    }

    private List<Call<?>> changes(Collection<String> capabilities) throws SqlFailure {
        TablesThere there = look();
        requireKnown(there, capabilities);
        List<Call<?>> changes = new ArrayList<>();
        for (TableSql table : tables().of(capabilities)) {
            if (there.has(table)) {
                for (String column : missingColumns(table, columns(there, table))) {
                    changes.add(addition(table, column));
                }
            } else {
                changes.add(Call.of(database.statements(), table.createStatement(), Params.none(), row -> true));
            }
        }
        return changes;
    }

    private Call<?> addition(TableSql table, String column) {
        Map<String, String> texts = Map.of("table", table.name(), "definition", table.definition(column));
        return Call.of(database.statements().only(ADD_COLUMN, texts), ADD_COLUMN, Params.none(), row -> true);
    }

    private void requireKnown(TablesThere there, Collection<String> capabilities) {
        for (TableSql table : tables().of(capabilities)) {
            String newer = Protocol.problem(table.name(), there.columns(table));
            if (!newer.isEmpty()) {
                throw new DatabaseFailureException(newer);
            }
        }
    }

    private boolean isThere(Collection<String> capabilities) throws SqlFailure {
        return whatIsMissing(look(), capabilities.isEmpty() ? tables().capabilities() : capabilities, false)
                .isEmpty();
    }

    /** The existing tables, by one statement. None if the database refuses it: then the tables themselves are asked. */
    public TablesThere look() throws SqlFailure {
        try {
            TablesThere there = TablesThere.ask(database);
            present = Set.copyOf(there.capabilities());
            return there;
        } catch (SqlFailure e) {
            if (isUnasked(e)) {
                throw e;
            }
            return TablesThere.none(tables());
        }
    }

    /** The same without the catalog, by a query of each table. One that may not be read counts as there. */
    TablesThere lookAtEach() throws SqlFailure {
        TablesThere none = TablesThere.none(tables());
        TablesThere there = TablesThere.none(tables());
        for (TableSql table : tables().all()) {
            try {
                there.add(table, columns(none, table));
            } catch (SqlFailure e) {
                if (isUnasked(e)) {
                    throw e;
                }
                if (e.isRightMissing()) {
                    there.add(table, Set.of());
                }
            }
        }
        return there;
    }

    /**
     * Throws if anything is missing, and says what.
     *
     * @param required the capabilities that must have their tables; the others may have none, but not only some
     */
    public void check(Collection<String> required) throws SqlFailure {
        String wrong = problem(look(), required);
        if (!wrong.isEmpty()) {
            throw new DatabaseFailureException(wrong);
        }
    }

    /** Returns the missing tables and columns and the statement that adds them, or an empty text. If there is no table at all, all are missing. */
    public String problem(TablesThere there, Collection<String> required) throws SqlFailure {
        Set<String> expected = new LinkedHashSet<>(required);
        expected.addAll(there.capabilities());
        return whatIsMissing(there, expected.isEmpty() ? tables().capabilities() : expected, true);
    }

    /**
     * The same for the tables of a refused statement, without the database's reason, which is that of the refusal. Returns an empty
     * text if the statement names no table of Dibs.
     */
    String problemOf(String statement) throws SqlFailure {
        Set<String> needed = needed(statement);
        return needed.isEmpty() ? "" : whatIsMissing(look(), needed, false);
    }

    /** The dialect's remedy for an error, or null. */
    @Nullable
    String remedy(Throwable error) {
        return database.errors().remedy(error);
    }

    /** Whether a statement that lists things can be sent: see {@link #listable}. */
    public boolean isListable(String statement) {
        return !listable(List.of(statement)).isEmpty();
    }

    /**
     * Returns the listing statements that can be sent. If a capability has no tables yet, while others have, its statement has
     * nothing to list. Asks the catalog once, unless all of these tables existed before.
     */
    public List<String> listable(List<String> statements) {
        if (statements.stream().allMatch(statement -> present.containsAll(needed(statement)))) {
            return statements;
        }
        try {
            TablesThere there = look();
            Set<String> absent = there.absent();
            return there.isEmpty()
                    ? statements
                    : statements.stream()
                            .filter(statement -> needed(statement).stream().noneMatch(absent::contains))
                            .toList();
        } catch (SqlFailure e) {
            // The statement itself will report the problem.
            return statements;
        }
    }

    private Set<String> needed(String statement) {
        return database.statements().capabilitiesOf(statement);
    }

    /** Such a failure says nothing about the tables. */
    private static boolean isUnasked(SqlFailure e) {
        return e.isWithoutConnection() || e.outcome() == SqlFailure.Outcome.NOT_SENT;
    }

    private String whatIsMissing(TablesThere there, Collection<String> capabilities, boolean withReason)
            throws SqlFailure {
        List<TableSql> missing = new ArrayList<>();
        List<TableSql> unreadable = new ArrayList<>();
        List<String> wrong = new ArrayList<>();
        String reason = "";
        for (TableSql table : tables().of(capabilities)) {
            try {
                List<String> found = new ArrayList<>(problem(table, columns(there, table)));
                found.addAll(form(table, there.form(table)));
                wrong.addAll(found.isEmpty() ? List.of(database.problem(table, TIMEOUT)) : found);
            } catch (SqlFailure e) {
                if (isUnasked(e)) {
                    throw e;
                }
                (e.isRightMissing() ? unreadable : missing).add(table);
                reason = withReason ? " (" + Secrets.masked(e.getCause()).strip() + ")" : "";
            }
        }
        if (!unreadable.isEmpty()) {
            wrong.add(0, named(unreadable) + " may not be read" + reason + ". " + Rights.advice(dialect()));
        }
        if (!missing.isEmpty()) {
            wrong.add(0, missingTables(missing, unreadable.isEmpty() ? reason : ""));
        }
        wrong.removeIf(String::isEmpty);
        return String.join(". ", wrong);
    }

    /**
     * The catalog may hide columns that the user may not read. If it does not show all, a query of the table itself shows the
     * columns, or the reason for the refusal.
     */
    private Set<String> columns(TablesThere there, TableSql table) throws SqlFailure {
        Set<String> shown = there.columns(table);
        if (missingColumns(table, shown).isEmpty()) {
            return shown;
        }
        Statements about = database.statements().only("look_at_table", Map.of("table", table.name()));
        return database.columns(about, "look_at_table", TIMEOUT).stream()
                .map(ColumnInfo::name)
                .map(name -> name.toLowerCase(Locale.ROOT))
                .collect(Collectors.toSet());
    }

    private String missingTables(List<TableSql> missing, String reason) {
        boolean one = missing.size() == 1;
        Set<String> capabilities =
                missing.stream().map(TableSql::capability).collect(Collectors.toCollection(LinkedHashSet::new));
        boolean all = capabilities.containsAll(tables().capabilities());
        return named(missing) + (one ? " is" : " are") + " missing" + reason + ". Make " + (one ? "it" : "them")
                + " with "
                + howToMake(
                        all ? List.of() : capabilities,
                        "run what 'dibs schema " + dialect() + only(all ? List.of() : capabilities) + "' prints");
    }

    /**
     * How to create the tables of these capabilities, or all tables if none is named.
     *
     * @param byHand what a user with more rights can do
     */
    private static String howToMake(Collection<String> capabilities, String byHand) {
        return "Dibs.admin().createSchema(" + inJava(capabilities) + "), with the command 'dibs init"
                + only(capabilities) + "', or " + byHand;
    }

    /** As an option of the command, if any is named. */
    static String only(Collection<String> capabilities) {
        return capabilities.isEmpty() ? "" : " --only " + inWords(capabilities, ",");
    }

    private static String inJava(Collection<String> capabilities) {
        return capabilities.stream()
                .map(name -> "Capability." + name.toUpperCase(Locale.ROOT))
                .collect(Collectors.joining(", "));
    }

    /** Capabilities by their names in the schema file; an empty set for none, which means all. */
    public static Set<String> names(Capability... capabilities) {
        return Stream.of(Arguments.required("capability", capabilities))
                .map(capability ->
                        Arguments.required("capability", capability).name().toLowerCase(Locale.ROOT))
                .collect(Collectors.toSet());
    }

    /** The capabilities' names as the command writes them. */
    public static String inWords(Collection<String> capabilities, String separator) {
        return capabilities.stream().map(name -> name.replace('_', '-')).collect(Collectors.joining(separator));
    }

    private static String named(List<TableSql> tables) {
        return (tables.size() == 1 ? "The table " : "The tables ")
                + tables.stream().map(TableSql::name).collect(Collectors.joining(", "));
    }

    private static List<String> form(TableSql table, String form) {
        return form.isEmpty()
                ? List.of()
                : List.of("The table " + table.name() + " is no ordinary table (" + form
                        + "), and Dibs keeps its promises"
                        + " in ordinary tables only. Rename it, and make it again with Dibs.admin().createSchema()");
    }

    /** We cannot judge the columns of a later protocol. */
    private List<String> problem(TableSql table, Set<String> columns) {
        String newer = Protocol.problem(table.name(), columns);
        if (!newer.isEmpty()) {
            return List.of(newer);
        }
        List<String> missing = missingColumns(table, columns);
        return missing.isEmpty() ? List.of() : List.of(withoutColumns(table, missing));
    }

    private String withoutColumns(TableSql table, List<String> missing) {
        String texts = missing.stream()
                .map(column -> addition(table, column).lastText())
                .collect(Collectors.joining("; "));
        return "The table " + table.name() + " has no column " + String.join(", ", missing) + ". Add "
                + (missing.size() == 1 ? "it" : "them") + " with "
                + howToMake(List.of(table.capability()), "run: " + texts);
    }

    private static List<String> missingColumns(TableSql table, Set<String> columns) {
        return table.columns().stream()
                .filter(column -> !columns.contains(column))
                .toList();
    }
}
