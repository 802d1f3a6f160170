package dev.dibs.contract.claims;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Warnings;
import dev.dibs.database.OnEachDatabase;
import dev.dibs.internal.sql.files.Features.IndexFilter;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/** Claims need a key that is unique in the whole table. */
@OnEachDatabase
class UniqueKeyContract extends ContractFixture {

    private static final String COLUMNS =
            "a bigint NOT NULL, b bigint NOT NULL, request_token varchar(32), claimed_until bigint";

    private static ClaimsBuilder claims(Dibs dibs, String table, String... key) {
        return dibs.claims(table).key(key).token("request_token").until("claimed_until");
    }

    private static void assertRefused(ClaimsBuilder claims) {
        assertThatThrownBy(claims::build)
                .isInstanceOf(DatabaseFailureException.class)
                .hasMessageContaining("unique")
                .hasMessageContaining("uniqueKey()");
        assertThatCode(() -> claims.uniqueKey().build()).doesNotThrowAnyException();
    }

    private static void assertAccepted(ClaimsBuilder claims) {
        assertThatCode(claims::build).doesNotThrowAnyException();
    }

    @Test
    void buildRefusesAKeyThatNothingMakesUnique() throws SQLException {
        String table = table(COLUMNS);
        sql().run("CREATE INDEX " + table + "_a ON " + table + " (a)");
        assertRefused(claims(here(), table, "a"));
        assertRefused(here().claims(table).key("a").sideTable());
        assertRefused(here().claims(table).key("a").ranges(table));
        sql().run("CREATE UNIQUE INDEX " + table + "_u ON " + table + " (a)");
        assertAccepted(claims(here(), table, "a"));
        assertAccepted(claims(here(), table, "b", "a"));
    }

    @Test
    void keyMustHaveAllColumnsOfAUniqueIndex() throws SQLException {
        String table = table(COLUMNS + ", PRIMARY KEY (a, b)");
        assertRefused(claims(here(), table, "a"));
        assertRefused(claims(here(), table, "b"));
        assertAccepted(claims(here(), table, "b", "a"));
    }

    @Test
    void indexOfSomeRowsMakesNoKeyUnique() throws SQLException {
        String table = table(COLUMNS);
        if (asked(pool(), "dibs_").statements().features().indexFilter() != IndexFilter.NONE) {
            sql().run("CREATE UNIQUE INDEX " + table + "_u ON " + table + " (a) WHERE b = 1");
        }
        assertRefused(claims(here(), table, "a"));
    }

    @Test
    void warningAboutAnIndexSaysItOnce() throws SQLException {
        String table = table(COLUMNS + ", PRIMARY KEY (a)");
        Warnings warnings = closing(new Warnings(table));
        RowClaims<RowKey> unused =
                claims(here(), table, "a").where("b = 1").orderBy("a").build();
        assertThat(warnings.heard())
                .singleElement()
                .asString()
                .containsOnlyOnce("claims on")
                .containsOnlyOnce("dibs doctor --claims " + table)
                .doesNotContain("WARNING");
    }
}
