package dev.dibs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.dibs.Dibs;
import dev.dibs.Finding;
import dev.dibs.rows.ClaimsBuilder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;

/** With the indexes that the doctor names, a claim does not read the rows that are finished. */
public interface ClaimPlanContract extends Fixture {

    int FINISHED = 100_000;
    int OPEN = 1_000;
    int CLAIMED = 10;

    @Test
    default void aClaimThatEndsByTimeReadsOpenRowsOnly() throws Exception {
        readsOpenRowsOnly(OpenTable::claims);
    }

    @Test
    default void aMarkReadsOpenRowsOnly() throws Exception {
        readsOpenRowsOnly((table, dibs) -> dibs.claims(table.name())
                .key("id")
                .token("request_token")
                .where("kind = 'a' AND (done_at IS NULL)")
                .orderBy("what, id"));
    }

    private void readsOpenRowsOnly(BiFunction<OpenTable, Dibs, ClaimsBuilder> told) throws Exception {
        String name = database().name();
        assumeFalse(name.equals("sqlserver"), "how SQL Server counts rows is not known here");
        assumeTrue(name.equals("h2") || Files.exists(Path.of("dialects", name, "claims.sql")), "no claims there yet");
        RowsRead read = new RowsRead(pool(), name);
        try (OpenTable table = new OpenTable(pool(), "id bigint NOT NULL PRIMARY KEY");
                Dibs dibs = dibs(read.dataSource())) {
            table.fill(FINISHED, OPEN);
            table.analyze(name);
            assertThat(read.byClaim(told.apply(table, dibs).build(), CLAIMED))
                    .as("without an index")
                    .isGreaterThan(FINISHED);
            for (Finding finding : told.apply(table, dibs).build().doctor()) {
                if (finding.level() == Finding.Level.WARNING) {
                    table.run(finding.remedy());
                }
            }
            table.analyze(name);
            assertThat(read.byClaim(told.apply(table, dibs).build(), CLAIMED))
                    .as("with the index")
                    .isLessThan(10L * OPEN);
        }
    }
}
