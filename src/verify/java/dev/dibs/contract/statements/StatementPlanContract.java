package dev.dibs.contract.statements;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.dibs.contract.support.Fixture;
import dev.dibs.database.FullRun;
import dev.dibs.database.Plans;
import dev.dibs.internal.claims.store.PlannedClaims;
import dev.dibs.internal.sql.files.ColumnInfo;
import dev.dibs.internal.sql.files.Products;
import dev.dibs.internal.sql.files.Statements;
import dev.dibs.internal.sql.run.Connections;
import dev.dibs.internal.sql.run.Database;
import dev.dibs.internal.sql.run.Params;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** With 100,000 rows in each table of Dibs, no statement reads a whole table except those that are named here. */
@Tag("plan")
class StatementPlanContract extends Fixture {

    /** They list everything, for people. */
    static final Set<String> LISTS = Set.of(
            "list_locks",
            "list_held_locks",
            "list_permits",
            "list_gates",
            "list_readers",
            "list_tickets",
            "list_onces",
            "list_runs",
            "list_all_workers",
            "count_all_tokens");

    /** They look for old rows, now and then: each acquire and renewal would have to write an index for that. */
    static final Set<String> PURGES = Set.of(
            "purge_locks",
            "purge_held_locks",
            "purge_permits",
            "purge_gates",
            "purge_readers",
            "purge_tickets",
            "purge_onces");

    /** They add a row, and must not find one. */
    static final Set<String> ADDING = Set.of(
            "issue_new_token",
            "issue_token",
            "acquire_ticket",
            "acquire_reader",
            "enter_worker",
            "add_run_row",
            "add_run_error",
            "claim_side",
            "claim_range",
            "claim_scattered");

    /**
     * They read only the catalog, or no row of a table, or are sent to one database only; or are never sent, since a release deletes rows
     * of these kinds.
     */
    static final Set<String> OTHERS = Set.of(
            "find_columns",
            "check_cleanup",
            "mark_transaction",
            "find_mark",
            "listen",
            "unlisten",
            "notify_listener",
            "mark_waiting",
            "unmark_waiting",
            "break_reader",
            "break_ticket");

    /** One after the other: the tables are dropped after the last use, not at the last end. */
    @TestFactory
    @Execution(ExecutionMode.SAME_THREAD)
    @FullRun(except = "postgresql")
    Stream<DynamicTest> noStatementReadsAWholeTable() throws Exception {
        assumeFalse(database().plans() == Plans.UNKNOWN, "how it explains is not known here");
        PlannedTables tables = new PlannedTables(pool(), database());
        Map<String, Statements> all = statements();
        List<DynamicTest> tests = new ArrayList<>();
        all.forEach((name, statements) -> tests.add(dynamicTest(name, () -> check(name, statements))));
        tests.add(dynamicTest(
                "those that may are there",
                () -> assertThat(all.keySet()).containsAll(LISTS).containsAll(PURGES)));
        return tests.stream().onClose(() -> close(tables));
    }

    private static void close(PlannedTables tables) {
        try {
            tables.close();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** By their names. */
    private Map<String, Statements> statements() throws SQLException {
        Map<String, Statements> all = new LinkedHashMap<>();
        try (Connection connection = pool().getConnection()) {
            Statements statements = Statements.load(Products.detect(connection.getMetaData()), PlannedTables.PREFIX);
            ColumnInfo key = new ColumnInfo("id", Types.BIGINT, "bigint", 19, 0, false);
            put(all, statements);
            for (String file : List.of("side", "range")) {
                put(all, PlannedClaims.of(statements, file, PlannedTables.WORK, key, "done = 0"));
            }
        }
        return all;
    }

    private static void put(Map<String, Statements> all, Statements statements) {
        statements.names().stream()
                .filter(name -> !name.startsWith("create_") && !OTHERS.contains(name))
                .filter(name -> !name.equals("retake_each_lock")
                        || statements.features().retakesTogether())
                .forEach(name -> all.put(name, statements));
    }

    private void check(String name, Statements statements) throws Exception {
        Params params = PlannedTables.params(ADDING.contains(name) ? fresh("new") : "");
        if (name.equals("add_run_error")) {
            params.with("attempt", 1);
        }
        Database ours = new Database(Connections.forCallers(pool(), Runnable::run, statements), statements);
        try (Connection connection = pool().getConnection()) {
            Explained explained = new Explained(connection, database().plans());
            ours.callOn(explained.connection(), name, params);
            List<String> scans = new ArrayList<>(explained.scans());
            if (database().plans() == Plans.TABULAR) {
                long read = RowsRead.by(connection, () -> ours.callOn(connection, name, params));
                if (read >= PlannedTables.MANY) {
                    scans.add(read + " rows read");
                }
            }
            if (LISTS.contains(name) || PURGES.contains(name)) {
                assertThat(scans)
                        .as("it does not read a whole table any more: %s", explained.plans())
                        .isNotEmpty();
            } else {
                assertThat(scans).as(explained.plans()).isEmpty();
            }
        }
    }
}
