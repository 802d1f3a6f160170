package dev.dibs.contract.statements;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.dibs.Dibs;
import dev.dibs.Finding;
import dev.dibs.advice.IndexAdvice.Claimed;
import dev.dibs.claims.Claim;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.contract.support.OpenTable;
import dev.dibs.database.CountingDataSource;
import dev.dibs.database.FullRun;
import dev.dibs.database.Plans;
import dev.dibs.internal.claims.store.PlannedClaims;
import dev.dibs.internal.sql.files.ColumnInfo;
import dev.dibs.internal.sql.files.Statements;
import dev.dibs.internal.sql.run.Database;
import dev.dibs.internal.sql.run.Params;
import java.sql.Connection;
import java.sql.Types;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** With the indexes that the doctor names, a claim does not read the rows that are finished. */
@Tag("plan")
class ClaimPlanContract extends Fixture {

    static final int FINISHED = 30_000;
    static final int OPEN = 1_000;
    static final int CLAIMED = 10;

    @Test
    @FullRun(except = "postgresql")
    void aClaimThatEndsByTimeReadsOpenRowsOnly() throws Exception {
        readsOpenRowsOnly(table -> table.claimed("done_at IS NULL", "id"));
    }

    @Test
    @FullRun(except = "postgresql")
    void aMarkReadsOpenRowsOnly() throws Exception {
        readsOpenRowsOnly(table -> new Claimed(
                table.name(), List.of("id"), "request_token", null, "kind = 'a' AND (done_at IS NULL)", "what, id"));
    }

    /** With any other rows in the table, and only the index of the key, which is a part of the claim's key. */
    @ParameterizedTest
    @ValueSource(strings = {"id", "id, kind"})
    void changesReadTheirOwnRowsOnly(String key) throws Exception {
        assumeTrue(database().plans() == Plans.POSTGRESQL, "only there is a plan made for values that are not known");
        try (OpenTable table = new OpenTable(pool(), "id bigint NOT NULL PRIMARY KEY");
                Dibs dibs = dibs();
                Connection connection = pool().getConnection()) {
            table.fill(FINISHED, OPEN);
            table.run("CREATE INDEX " + table.name() + "_open ON " + table.name() + " (id) WHERE done_at IS NULL");
            table.run(database().analyze(table.name()));
            ClaimsBuilder builder = table.claims(dibs).key(key.split(", "));
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
    }

    /** H2 reads a subquery anew for each row of a list, which takes seconds for a thousand rows, and counts none of these reads. */
    @ParameterizedTest
    @ValueSource(strings = {"change_rows", "change_side"})
    void aChangeReadsTheListOfItsRowsOnce(String statement) throws Exception {
        assumeTrue(database().plans() == Plans.H2, "only H2 explains the source of its MERGE");
        CountingDataSource counting = new CountingDataSource(pool());
        try (Jobs jobs = new Jobs(pool(), 3);
                Dibs dibs = dibs(counting)) {
            RowClaims<RowKey> claims = statement.equals("change_rows")
                    ? jobs.claims(dibs).build()
                    : dibs.claims(jobs.table())
                            .key("id")
                            .sideTable()
                            .where("done_at IS NULL")
                            .completeSet("done_at = 1")
                            .build();
            try (Claim<RowKey> claim = claims.claim(2)) {
                counting.reset();
                assertThat(claim.renew().isComplete()).isTrue();
                assertThat(RowsRead.planOfSource(pool(), counting.statements().get(0)))
                        .as("each row of the list is looked up by the primary key")
                        .containsOnlyOnce("SELECT")
                        .containsSubsequence("FROM TABLE(", "INNER JOIN", "PRIMARY_KEY", "K.DIBS_KEY1");
            }
        }
    }

    /** Even if all rows come after the one from which it looks. */
    @Test
    @FullRun(except = "postgresql")
    void aClaimFromARowOnReadsOpenRowsOnly() throws Exception {
        Statements statements = asked(pool(), "dibs_").statements();
        assumeTrue(statements.hasFragment("from_front"), "elsewhere a claim looks at all");
        ColumnInfo key = new ColumnInfo("id", Types.BIGINT, "bigint", 19, 0, false);
        try (OpenTable table = new OpenTable(pool(), "id bigint NOT NULL PRIMARY KEY");
                Connection connection = pool().getConnection()) {
            table.fill(FINISHED, OPEN);
            table.run("CREATE INDEX " + table.name() + "_open ON " + table.name() + " (id) WHERE done_at IS NULL");
            table.run(database().analyze(table.name()));
            Database database = asked(
                    pool(),
                    PlannedClaims.fromFront(
                            statements,
                            table.name(),
                            key,
                            "request_token",
                            "claimed_until",
                            "done_at IS NULL",
                            CLAIMED));
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
    }

    private void readsOpenRowsOnly(Function<OpenTable, Claimed> described) throws Exception {
        assumeFalse(
                Set.of(Plans.UNKNOWN, Plans.SQLITE).contains(database().plans()),
                "how it counts rows is not known here");
        RowsRead read = new RowsRead(pool(), database().plans());
        try (OpenTable table = new OpenTable(pool(), "id bigint NOT NULL PRIMARY KEY");
                Dibs dibs = dibs(read.dataSource())) {
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
    }
}
