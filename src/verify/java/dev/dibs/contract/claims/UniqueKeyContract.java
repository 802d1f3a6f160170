package dev.dibs.contract.claims;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.Warnings;
import dev.dibs.database.OnEachDatabase;
import dev.dibs.internal.sql.files.Features.IndexFilter;
import java.sql.SQLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Claims need a key that is unique in the whole table. */
@Tag("contract")
@OnEachDatabase
class UniqueKeyContract extends Fixture {

    private static final String COLUMNS =
            " (a bigint NOT NULL, b bigint NOT NULL, request_token varchar(32), claimed_until bigint";

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
        String table = "bare_" + COUNT.incrementAndGet();
        sql().run("CREATE TABLE " + table + COLUMNS + ")", "CREATE INDEX " + table + "_a ON " + table + " (a)");
        try (Dibs dibs = dibs()) {
            assertRefused(claims(dibs, table, "a"));
            assertRefused(dibs.claims(table).key("a").sideTable());
            assertRefused(dibs.claims(table).key("a").ranges(table));
            sql().run("CREATE UNIQUE INDEX " + table + "_u ON " + table + " (a)");
            assertAccepted(claims(dibs, table, "a"));
            assertAccepted(claims(dibs, table, "b", "a"));
        }
    }

    @Test
    void keyMustHaveAllColumnsOfAUniqueIndex() throws SQLException {
        String table = "both_" + COUNT.incrementAndGet();
        sql().run("CREATE TABLE " + table + COLUMNS + ", PRIMARY KEY (a, b))");
        try (Dibs dibs = dibs()) {
            assertRefused(claims(dibs, table, "a"));
            assertRefused(claims(dibs, table, "b"));
            assertAccepted(claims(dibs, table, "b", "a"));
        }
    }

    @Test
    void indexOfSomeRowsMakesNoKeyUnique() throws SQLException {
        String table = "part_" + COUNT.incrementAndGet();
        sql().run("CREATE TABLE " + table + COLUMNS + ")");
        try (Dibs dibs = dibs()) {
            if (asked(pool(), "dibs_").statements().features().indexFilter() != IndexFilter.NONE) {
                sql().run("CREATE UNIQUE INDEX " + table + "_u ON " + table + " (a) WHERE b = 1");
            }
            assertRefused(claims(dibs, table, "a"));
        }
    }

    @Test
    void warningAboutAnIndexSaysItOnce() throws SQLException {
        String table = "slow_" + COUNT.incrementAndGet();
        sql().run("CREATE TABLE " + table + COLUMNS + ", PRIMARY KEY (a))");
        try (Dibs dibs = dibs();
                Warnings warnings = new Warnings(table)) {
            claims(dibs, table, "a").where("b = 1").orderBy("a").build();
            assertThat(warnings.heard())
                    .singleElement()
                    .asString()
                    .containsOnlyOnce("claims on")
                    .containsOnlyOnce("dibs doctor --claims " + table)
                    .doesNotContain("WARNING");
        }
    }
}
