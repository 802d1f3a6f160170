package dev.dibs.contract.statements;

import dev.dibs.Dibs;
import dev.dibs.Finding;
import dev.dibs.Finding.Level;
import dev.dibs.advice.IndexAdvice;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.OpenTable;
import dev.dibs.contract.support.Warnings;
import dev.dibs.database.FullTest;
import dev.dibs.database.Plans;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Tag;

/** What a claim per key costs, and what is said about that. */
@Tag("plan")
class PerKeyPlanContract extends Fixture {

    private static final int FINISHED = 20_000;
    private static final int OPEN = 500;
    private static final int CLAIMED = 10;

    @FullTest(except = "postgresql")
    void withTheIndexThatIsNamedItReadsOpenRowsOnly() throws Exception {
        RowsRead read = new RowsRead(pool(), database().plans());
        OpenTable table = closing(new OpenTable(pool(), "id bigint NOT NULL PRIMARY KEY"));
        table.fill(FINISHED, OPEN);
        Dibs dibs = dibs(read.dataSource());
        ClaimsBuilder claims = table.claims(dibs).perKey("what", 1);
        assertThat(finding(claims.build().doctor(), "claims index").level()).isEqualTo(Level.WARNING);
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
        assertThat(finding(claims.build().doctor(), "claims index").level()).isEqualTo(Level.OK);
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
