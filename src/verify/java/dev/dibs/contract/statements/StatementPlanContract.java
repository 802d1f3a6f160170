package dev.dibs.contract.statements;

import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.dibs.Dibs;
import dev.dibs.Finding;
import dev.dibs.Finding.Level;
import dev.dibs.advice.IndexAdvice;
import dev.dibs.advice.IndexAdvice.Claimed;
import dev.dibs.claims.Claim;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.contract.support.OpenTable;
import dev.dibs.contract.support.Warnings;
import dev.dibs.database.FullRun;
import dev.dibs.database.FullTest;
import dev.dibs.database.Plans;
import dev.dibs.internal.claims.store.PlannedClaims;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.call.Params;
import dev.dibs.internal.sql.connect.Connections;
import dev.dibs.internal.sql.files.ColumnInfo;
import dev.dibs.internal.sql.files.Products;
import dev.dibs.internal.sql.files.Statements;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * With 100,000 rows in each table of Dibs, no statement reads a whole table except those that are named here. With the indexes that the
 * doctor names, a claim does not read the rows that are finished.
 */
@Tag("plan")
class StatementPlanContract extends Fixture {
    /** They list everything, for people. */
    static final Set<String> LISTS =
            Set.of(("list_locks list_held_locks list_permits list_gates list_readers list_tickets"
                            + " list_onces list_runs list_all_workers count_all_tokens")
                    .split(" ", -1));

    /** They look for old rows, now and then: each acquire and renewal would have to write an index for that. */
    static final Set<String> PURGES = Set.of(
            ("purge_locks purge_held_locks purge_permits purge_gates purge_readers purge_tickets" + " purge_onces")
                    .split(" ", -1));

    /** They add a row, and must not find one. */
    static final Set<String> ADDING =
            Set.of(("issue_new_token issue_token acquire_ticket acquire_reader enter_worker fail_run_row"
                            + " add_run_error claim_side claim_range claim_scattered")
                    .split(" ", -1));

    /**
     * They read only the catalog, or no row of a table, or are sent to one database only; or are never sent, since a release deletes rows
     * of these kinds.
     */
    static final Set<String> OTHERS =
            Set.of(("find_columns find_conditions check_cleanup mark_transaction find_mark listen unlisten"
                            + " notify_listener mark_waiting unmark_waiting break_reader break_ticket")
                    .split(" ", -1));

    static final int FINISHED = 30_000;
    static final int OPEN = 1_000;
    static final int CLAIMED = 10;

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

    @FullTest(except = "postgresql")
    void aClaimThatEndsByTimeReadsOpenRowsOnly() throws Exception {
        readsOpenRowsOnly(table -> table.claimed("done_at IS NULL", "id"));
    }

    @FullTest(except = "postgresql")
    void aMarkReadsOpenRowsOnly() throws Exception {
        readsOpenRowsOnly(table -> new Claimed(
                table.name(), List.of("id"), "request_token", null, "kind = 'a' AND (done_at IS NULL)", "what, id"));
    }

    /** With any other rows in the table, and only the index of the key, which is a part of the claim's key. */
    @ParameterizedTest
    @ValueSource(strings = {"id", "id, kind"})
    void changesReadTheirOwnRowsOnly(String key) throws Exception {
        assumeTrue(database().plans() == Plans.POSTGRESQL, "only there is a plan made for values that are not known");
        OpenTable table = closing(new OpenTable(pool(), "id bigint NOT NULL PRIMARY KEY"));
        Connection connection = connection();
        table.fill(FINISHED, OPEN);
        table.run("CREATE INDEX " + table.name() + "_open ON " + table.name() + " (id) WHERE done_at IS NULL");
        table.run(database().analyze(table.name()));
        ClaimsBuilder builder = table.claims(here()).key(key.split(", "));
        for (ClaimsBuilder each : List.of(builder.completeSet("done_at = 1"), builder.completeDelete())) {
            for (boolean generic : List.of(true, false)) {
                try (Claim<RowKey> claim = each.build().claim(CLAIMED)) {
                    assertThat(RowsRead.by(
                                    connection,
                                    generic,
                                    () -> assertThat(claim.complete(connection, claim.keys())
                                                    .done())
                                            .hasSize(CLAIMED)))
                            .as("generic: %s", generic)
                            .isLessThan(OPEN);
                }
            }
        }
    }

    /** H2 reads a subquery anew for each row of a list, which takes seconds for a thousand rows, and counts none of these reads. */
    @ParameterizedTest
    @ValueSource(strings = {"change_rows", "change_side"})
    void aChangeReadsTheListOfItsRowsOnce(String statement) throws Exception {
        assumeTrue(database().plans() == Plans.H2, "only H2 explains the source of its MERGE");
        Jobs jobs = jobs(3);
        Dibs dibs = dibs(counting());
        RowClaims<RowKey> claims = statement.equals("change_rows")
                ? jobs.claims(dibs).build()
                : dibs.claims(jobs.table())
                        .key("id")
                        .sideTable()
                        .where("done_at IS NULL")
                        .completeSet("done_at = 1")
                        .build();
        Claim<RowKey> claim = claims.claim(2);
        counting().reset();
        assertThat(claim.renew().isComplete()).isTrue();
        assertThat(RowsRead.planOfSource(pool(), counting().statements().get(0)))
                .as("each row of the list is looked up by the primary key")
                .containsOnlyOnce("SELECT")
                .containsSubsequence("FROM TABLE(", "INNER JOIN", "PRIMARY_KEY", "K.DIBS_KEY1");
    }

    /** Even if all rows come after the one from which it looks. */
    @FullTest(except = "postgresql")
    void aClaimFromARowOnReadsOpenRowsOnly() throws Exception {
        Statements statements = asked(pool(), "dibs_").statements();
        assumeTrue(statements.hasFragment("from_front"), "elsewhere a claim looks at all");
        ColumnInfo key = new ColumnInfo("id", Types.BIGINT, "bigint", 19, 0, false);
        OpenTable table = closing(new OpenTable(pool(), "id bigint NOT NULL PRIMARY KEY"));
        Connection connection = connection();
        table.fill(FINISHED, OPEN);
        table.run("CREATE INDEX " + table.name() + "_open ON " + table.name() + " (id) WHERE done_at IS NULL");
        table.run(database().analyze(table.name()));
        Database database = asked(
                pool(),
                PlannedClaims.fromFront(
                        statements, table.name(), key, "request_token", "claimed_until", "done_at IS NULL", CLAIMED));
        Params params = Params.of("token", "mine").with("lease", 60_000L).with("front", 1L);
        for (boolean generic : List.of(true, false)) {
            assertThat(RowsRead.by(
                            connection,
                            generic,
                            () -> assertThat(database.callOn(connection, "claim_rows", params)
                                            .rows())
                                    .hasSize(CLAIMED)))
                    .isLessThan(10L * OPEN);
        }
    }

    private void readsOpenRowsOnly(Function<OpenTable, Claimed> described) throws Exception {
        assumeFalse(
                Set.of(Plans.UNKNOWN, Plans.SQLITE).contains(database().plans()),
                "how it counts rows is not known here");
        RowsRead read = new RowsRead(pool(), database().plans());
        OpenTable table = closing(new OpenTable(pool(), "id bigint NOT NULL PRIMARY KEY"));
        Dibs dibs = dibs(read.dataSource());
        Claimed claims = described.apply(table);
        table.fill(FINISHED, OPEN);
        table.run(database().analyze(table.name()));
        assertThat(read.byClaim(OpenTable.claims(dibs, claims).build(), CLAIMED))
                .as("without an index")
                .isGreaterThan(FINISHED);
        for (Finding finding : OpenTable.advice(pool(), dibs, claims)) {
            if (finding.level() == Finding.Level.WARNING) {
                table.run(finding.remedy());
            }
        }
        table.run(database().analyze(table.name()));
        assertThat(read.byClaim(OpenTable.claims(dibs, claims).build(), CLAIMED))
                .as("with the index")
                .isLessThan(10L * OPEN);
    }

    @FullTest(except = "postgresql")
    void withTheIndexThatIsNamedItReadsOpenRowsOnly() throws Exception {
        RowsRead read = new RowsRead(pool(), database().plans());
        OpenTable table = closing(new OpenTable(pool(), "id bigint NOT NULL PRIMARY KEY"));
        table.fill(FINISHED, OPEN);
        ClaimsBuilder claims = table.claims(dibs(read.dataSource())).perKey("what", 1);
        assertLevel(Level.WARNING, claims.build().doctor(), "claims index");
        for (Finding finding : IndexAdvice.complete(
                claims.build().doctor(),
                pool(),
                asked(pool(), "dibs_").statements(),
                table.claimed("done_at IS NULL", "what, id"))) {
            if (finding.level() == Level.WARNING) {
                table.run(finding.remedy());
            }
        }
        table.run(database().analyze(table.name()));
        assertLevel(Level.OK, claims.build().doctor(), "claims index");
        if (!Set.of(Plans.UNKNOWN, Plans.SQLITE, Plans.H2).contains(database().plans())) {
            assertThat(read.byClaim(claims.build(), CLAIMED)).isLessThan(10L * OPEN);
        }
    }

    @FullTest(except = "postgresql")
    void severalStatementsAreWorthAWarning() throws Exception {
        boolean atOnce = asked(pool(), "dibs_").statements().features().claimsPerKeyAtOnce();
        OpenTable table = closing(new OpenTable(pool(), "id bigint NOT NULL PRIMARY KEY"));
        Warnings warnings = closing(new Warnings("claims on " + table.name() + ":"));
        assertThat(table.claims(here()).perKey("what", 1).build()).isNotNull();
        assertThat(warnings.heard().stream().filter(text -> text.contains("takes a statement for each")))
                .hasSize(atOnce ? 0 : 1);
    }

    @FullTest(except = "postgresql")
    void eachInstanceBeginsAnywhere() throws Exception {
        OpenTable table = closing(new OpenTable(pool(), "id bigint NOT NULL PRIMARY KEY"));
        table.fill(0, 100);
        Set<String> first = new HashSet<>();
        for (int i = 0; i < 8; i++) {
            try (var claim = table.claims(dibs()).perKey("id", 1).build().claim(1)) {
                first.add(claim.keys().toString());
            }
        }
        assertThat(first).hasSizeGreaterThan(1);
    }
}
