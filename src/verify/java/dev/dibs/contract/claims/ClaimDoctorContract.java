package dev.dibs.contract.claims;

import dev.dibs.Dibs;
import dev.dibs.Finding;
import dev.dibs.Finding.Level;
import dev.dibs.advice.IndexAdvice.Claimed;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.OpenTable;
import dev.dibs.contract.support.Warnings;
import dev.dibs.database.CountingDataSource;
import dev.dibs.database.FullTest;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The doctor's findings about a table whose rows are claimed. */
class ClaimDoctorContract extends ContractFixture {
    @FullTest(except = "postgresql")
    void namesTheIndexThatMakesTheWarningGo() throws Exception {
        OpenTable table = closing(new OpenTable(pool(), "id bigint NOT NULL PRIMARY KEY"));
        Dibs dibs = dibs();
        for (Claimed claims : List.of(
                table.claimed("done_at IS NULL", "id"),
                table.claimed("done_at IS NULL AND kind IN ('a', 'b')", "id"),
                table.claimed("done_at IS NULL AND (kind = 'a' OR id > 7)", "id"),
                table.claimed("kind = 'it''s; done_at' AND lower(kind) <> 'b'", "id"),
                table.claimed("kind <> 'done'", "done_at DESC, id DESC"),
                new Claimed(table.name(), List.of("id"), "request_token", null, "", "kind, id"))) {
            Finding missing = finding(OpenTable.advice(pool(), dibs, claims), "claims index");
            assertThat(missing.level()).as(missing.toString()).isEqualTo(Level.WARNING);
            assertThat(missing.remedy()).startsWith("CREATE INDEX " + table.name() + "_open ON " + table.name());
            table.run(missing.remedy());
            assertThat(finding(OpenTable.advice(pool(), dibs, claims), "claims index"))
                    .as(missing.remedy())
                    .satisfies(
                            there -> assertThat(there.level()).isEqualTo(Level.OK),
                            there -> assertThat(there.remedy()).isEmpty());
            table.run(database().dropIndex(table.name() + "_open", table.name()));
        }
    }

    @Test
    void anIndexOfOtherRowsOrInAnotherOrderIsNone() throws Exception {
        OpenTable table = closing(new OpenTable(pool(), "id bigint NOT NULL PRIMARY KEY"));
        Claimed claims = table.claimed("done_at IS NULL", "kind, id");
        table.run("CREATE INDEX " + table.name() + "_open ON " + table.name() + " (id, kind)");
        table.run("CREATE INDEX " + table.name() + "_other ON " + table.name() + " (done_at, id, kind)");
        Finding missing = finding(OpenTable.advice(pool(), here(), claims), "claims index");
        assertThat(missing.level()).isEqualTo(Level.WARNING);
        assertThat(missing.remedy()).as("a name that is free").contains(table.name() + "_open2 ON");
        table.run("CREATE INDEX " + table.name() + "_more ON " + table.name() + " (done_at, kind, id, what)");
        assertLevel(Level.OK, OpenTable.advice(pool(), here(), claims), "claims index");
    }

    @Test
    void warnsOnceWhenClaimsAreBuilt() throws Exception {
        OpenTable table = closing(new OpenTable(pool(), "id bigint NOT NULL PRIMARY KEY"));
        Warnings warnings = closing(new Warnings(table.name(), java.util.logging.Level.INFO));
        table.run("CREATE INDEX " + table.name() + "_t ON " + table.name() + " (request_token)");
        RowClaims<RowKey> unused = table.claims(here()).build();
        assertThat(warnings.heard())
                .singleElement()
                .asString()
                .contains("no index besides the key's", "'dibs doctor --claims " + table.name() + " ..'");
        table.run("CREATE INDEX " + table.name() + "_open ON " + table.name() + " (done_at, id)");
        RowClaims<RowKey> unusedToo = table.claims(here()).build();
        assertThat(warnings.heard()).hasSize(1);
    }

    /** Only a table without transactions is refused for the way that it is stored. */
    @Test
    void onlyStorageThatMayBeRefusedIsAskedForAtTheStart() throws Exception {
        OpenTable table = closing(new OpenTable(pool(), "id bigint NOT NULL PRIMARY KEY"));
        CountingDataSource counting = new CountingDataSource(pool());
        RowClaims<RowKey> unused = table.claims(dibs(counting)).build();
        assertThat(counting.statements())
                .filteredOn(sql -> sql.contains("AS until_when") || sql.contains("'claims fillfactor'"))
                .allMatch(sql -> sql.contains("'error' AS level, 'claims storage'"));
    }

    /** Without a condition, the index of the key leads to the open rows; of claims without an end, that of the token. */
    @Test
    void doesNotWarnWhereEveryRowIsOpen() throws Exception {
        OpenTable table = closing(new OpenTable(pool(), "id bigint NOT NULL PRIMARY KEY"));
        ClaimsBuilder claims = here().claims(table.name()).key("id").token("request_token");
        assertLevel(Level.WARNING, claims.build().doctor(), "claims index");
        assertLevel(Level.OK, claims.until("claimed_until").build().doctor(), "claims index");
        table.run("CREATE INDEX " + table.name() + "_t ON " + table.name() + " (request_token)");
        assertLevel(Level.OK, claims.build().doctor(), "claims index");
        assertLevel(Level.WARNING, claims.where("done_at IS NULL").build().doctor(), "claims index");
    }

    @Test
    void looksAtTheKey() throws Exception {
        try (OpenTable table = new OpenTable(pool(), "id bigint");
                Dibs dibs = dibs()) {
            assertThat(table.claims(dibs).uniqueKey().build().doctor())
                    .filteredOn(finding -> finding.subject().equals("claims key"))
                    .extracting(Finding::message)
                    .satisfiesExactly(
                            message -> assertThat(message).containsIgnoringCase("nothing makes id unique"),
                            message -> assertThat(message).containsIgnoringCase("id may be null"));
        }
        OpenTable table = closing(new OpenTable(pool(), "id bigint NOT NULL"));
        table.run("CREATE UNIQUE INDEX " + table.name() + "_key ON " + table.name() + " (id, kind)");
        assertLevel(Level.WARNING, table.claims(here()).uniqueKey().build().doctor(), "claims key");
        table.run("CREATE UNIQUE INDEX " + table.name() + "_id ON " + table.name() + " (id)");
        assertLevel(Level.OK, table.claims(here()).uniqueKey().build().doctor(), "claims key");
    }

    @FullTest(except = {"postgresql", "h2", "mariadb"})
    void findsATableOfAnyName() throws Exception {
        assumeSchemas();
        String schema = sql().schema();
        String done = database().quoted(sql().stored("done_at"));
        for (String asTold : List.of(schema + ".\"#\"", schema + ".[#]", "`#`")) {
            String bare = fresh("Mail_out %");
            String name = schema + "." + database().quoted(bare);
            OpenTable table = closing(new OpenTable(pool(), name, "id bigint NOT NULL PRIMARY KEY"));
            Claimed claims =
                    new Claimed(asTold.replace("#", bare), List.of("ID"), "Request_Token", null, done + " IS NULL", "");
            Finding missing = finding(OpenTable.advice(pool(), here(), claims), "claims index");
            assertThat(missing.level()).as(missing.toString()).isEqualTo(Level.WARNING);
            assertLevel(Level.OK, OpenTable.advice(pool(), here(), claims), "claims key");
            table.run(missing.remedy());
            assertLevel(Level.OK, OpenTable.advice(pool(), here(), claims), "claims index");
        }
    }

    @Test
    void doctorSkipsConditionsItCannotRead() throws Exception {
        OpenTable table = closing(new OpenTable(pool(), "id bigint NOT NULL PRIMARY KEY"));
        Claimed claims = table.claimed("done_at IS NULL", "coalesce(done_at, id)");
        assertLevel(Level.NOTE, OpenTable.advice(pool(), here(), claims), "claims index");
    }

    @FullTest(except = {"postgresql", "h2", "mariadb"})
    void namesTheIndexThatLeadsFromATokenToItsRows() throws Exception {
        OpenTable table = closing(new OpenTable(pool(), "id bigint NOT NULL PRIMARY KEY"));
        Claimed claims = table.claimed("done_at IS NULL", "id");
        Finding missing = finding(OpenTable.advice(pool(), here(), claims), "claims token");
        assertThat(missing.level()).isNotEqualTo(Level.OK);
        table.run(missing.remedy().replace("If you call them often: ", ""));
        assertThat(finding(OpenTable.advice(pool(), here(), claims), "claims token")
                        .level())
                .isEqualTo(Level.OK);
    }
}
