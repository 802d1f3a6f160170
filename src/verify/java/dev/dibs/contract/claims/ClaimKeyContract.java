package dev.dibs.contract.claims;

import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.claims.Claim;
import dev.dibs.claims.ClaimResult;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.NextClaim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.contract.support.Warnings;
import dev.dibs.database.FullTest;
import dev.dibs.database.KeyType;
import dev.dibs.database.Trait;
import dev.dibs.internal.sql.files.Features.IndexFilter;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;

/**
 * Claims by keys of any type, in tables and columns of any name. A caller names rows by keys: those of the claim, or equal ones. Any other
 * key is lost, and its row is not changed.
 */
class ClaimKeyContract extends ContractFixture {
    /** Strings that differ in little. Blanks at the end are left out: several collations ignore them. */
    static final List<String> TEXTS = List.of(
            "a", "b c", " d", "e,f", "g\\", "h\\,i", "j'k", "\"l\"", "m{now}", ":n", "?", "öäü", "日本", "p\tq", "[r]",
            "x--");

    @Test
    void aTextIsAKey() throws Exception {
        completesEverything(closing(texts(TEXTS.toArray(String[]::new))), TEXTS.size());
    }

    @FullTest(except = "postgresql")
    void severalColumnsAreAKey() throws Exception {
        KeyTable table = closing(new KeyTable(
                this,
                "part " + database().textType() + " NOT NULL, no int NOT NULL, id bigint NOT NULL",
                "part, no, id"));
        for (String text : TEXTS) {
            table.insert(text, 1, Long.MAX_VALUE);
            table.insert(text, 1, 9007199254740993L);
            table.insert(text, 2, Long.MIN_VALUE);
        }
        completesEverything(table, 3 * TEXTS.size());
    }

    @FullTest(except = "h2")
    void ofOneFirstColumnOnlyTheRowsThatAreNamedAreChanged() throws Exception {
        KeyTable table =
                closing(new KeyTable(this, "part " + database().textType() + " NOT NULL, no int NOT NULL", "part, no"));
        for (int i = 1; i <= 6; i++) {
            table.insert(i <= 3 ? "a" : "b", i);
        }
        RowClaims<RowKey> claims = table.claims(here()).build();
        try (Claim<RowKey> claim = claims.claim(6)) {
            List<RowKey> some = List.of(RowKey.of("a", 2), RowKey.of("b", 4));
            assertThat(claim.release(some).done()).containsExactlyElementsOf(some);
            assertThat(claims.claim(6).keys()).containsExactlyElementsOf(some);
            assertThat(claim.complete(List.of(RowKey.of("a", 1), RowKey.of("b", 1)))
                            .done())
                    .containsExactly(RowKey.of("a", 1));
            assertThat(claim.renew().done()).hasSize(3);
        }
        assertThat(table.countDone()).isEqualTo(1);
    }

    @Test
    void reservedWordsAreNames() throws Exception {
        String table = database().quoted(fresh("order by"));
        Jobs jobs = closing(new Jobs(pool(), table, database().quoted("select"), 5));
        // In every way of quoting them.
        RowClaims<RowKey> claims = jobs.claims(here()).build();
        try (Claim<RowKey> claim = claims.claim(2)) {
            NextClaim<RowKey> turn = claim.completeAndClaim(2);
            assertThat(turn.completed().done()).isEqualTo(keys(1, 2));
            assertThat(turn.next().complete().done()).isEqualTo(keys(3, 4));
        }
        assertThat(claims.count()).isEqualTo(1);
    }

    @FullTest(except = "postgresql")
    void namesMayBeQuotedInAnyOfTheWays() throws Exception {
        String name = fresh("any quotes");
        Jobs jobs = closing(new Jobs(pool(), database().quoted(name), database().quoted("from"), 3));
        Dibs dibs = dibs();
        for (String[] pair : new String[][] {{"\"", "\""}, {"`", "`"}, {"[", "]"}}) {
            RowClaims<RowKey> claims = dibs.claims(pair[0] + name + pair[1])
                    .key(pair[0] + "from" + pair[1])
                    .token("request_token")
                    .where("done_at IS NULL")
                    .build();
            try (Claim<RowKey> claim = claims.claim(1)) {
                assertThat(claim.keys()).isEqualTo(keys(1));
            }
        }
        assertThat(jobs.done()).isEmpty();
    }

    @Test
    void aTableHasASchemaBeforeIt() throws Exception {
        assumeSchemas();
        Jobs jobs = jobs(2);
        RowClaims<RowKey> claims = here().claims(sql().schema() + "." + jobs.table())
                .key("ID")
                .token("Request_Token")
                .build();
        Claim<RowKey> claim = claims.claim(2);
        assertThat(claim.release(claim.keys()).done()).hasSize(2);
    }

    /** So many rows that a plan might prefer a scan to a join. */
    @FullTest(except = "postgresql")
    void aCompositeKeyOfALargeTableIsFoundByItsIndex() throws Exception {
        KeyTable table =
                closing(new KeyTable(this, "part " + database().textType() + " NOT NULL, no int NOT NULL", "part, no"));
        table.insertMany(100_000);
        RowClaims<RowKey> claims = table.claims(here()).build();
        assertTimeoutPreemptively(Duration.ofSeconds(30), () -> {
            try (Claim<RowKey> claim = claims.claim(10)) {
                assertThat(claim.completeAndClaim(10).next().complete().done()).hasSize(10);
            }
        });
    }

    /** In the table only if a completion answers with old keys. */
    @Test
    void completingMayChangeTheKey() throws Exception {
        KeyTable table = closing(moving());
        if (database().has(Trait.RETURNS_OLD_KEYS)) {
            completesMovingRows(table, table.moving(here()).build());
        } else {
            assertFails(() -> table.moving(here()).build(), "completeSet(..) sets [state] of the key");
        }
    }

    @Test
    void sideCompletionMayChangeTheKey() throws Exception {
        KeyTable table = closing(moving());
        completesMovingRows(table, table.movingBesides(here()).build());
    }

    /** Rows whose state is a part of the key, as a table that is partitioned by it needs. */
    private KeyTable moving() throws SQLException {
        KeyTable table =
                new KeyTable(this, "id bigint NOT NULL, state " + database().textType() + " NOT NULL", "id, state");
        for (int i = 1; i <= 4; i++) {
            table.insert(i, "new");
        }
        return table;
    }

    private void completesMovingRows(KeyTable table, RowClaims<RowKey> claims) throws SQLException {
        try (Claim<RowKey> claim = claims.claim(2)) {
            assertThat(claim.complete().done()).containsExactlyInAnyOrderElementsOf(claim.keys());
        }
        try (Claim<RowKey> claim = claims.claim(2)) {
            Connection connection = transaction();
            assertThat(claim.complete(connection, claim.keys()).isComplete()).isTrue();
            connection.commit();
        }
        assertThat(table.countDone()).isEqualTo(4);
    }

    private void completesEverything(KeyTable table, int rows) throws Exception {
        RowClaims<RowKey> claims = table.claims(here()).build();
        List<RowKey> seen = new ArrayList<>();
        try (Claim<RowKey> all = claims.claim(rows)) {
            assertThat(all.keys()).hasSize(rows).doesNotHaveDuplicates();
            assertThat(all.renew().done()).containsExactlyInAnyOrderElementsOf(all.keys());
            assertThat(all.release(all.keys()).lost()).isEmpty();
        }
        Claim<RowKey> claim = claims.claim(4);
        while (!claim.isEmpty()) {
            seen.addAll(claim.keys());
            NextClaim<RowKey> turn = claim.completeAndClaim(4);
            assertThat(turn.completed().lost()).isEmpty();
            claim = turn.next();
        }
        assertThat(seen).hasSize(rows).doesNotHaveDuplicates();
        assertThat(table.countDone()).isEqualTo(rows);
    }

    @FullTest(except = "postgresql")
    void aKeyOfJavaValuesNamesTheRow() throws Exception {
        assumeTypes();
        KeyTypeContract.createTypes(this);
        SoftAssertions softly = new SoftAssertions();
        for (KeyType type : database().keys().types()) {
            if (!type.names().isEmpty()) {
                named(here(), type, softly);
            }
        }
        softly.assertAll();
    }

    private void named(Dibs dibs, KeyType type, SoftAssertions softly) throws Exception {
        try (KeyTable table = new KeyTable(this, "no int DEFAULT 7 NOT NULL, id " + type.type() + " NOT NULL", "id")) {
            table.insertText(type.values().get(0));
            RowClaims<RowKey> composite = table.claims(dibs).key("no", "id").build();
            RowClaims<RowKey> single = table.claims(dibs).build();
            for (Object name : type.names()) {
                String what = type + ", a " + name.getClass().getSimpleName() + " '" + name + "'";
                completes(table, single, RowKey.of(name), what, softly);
                completes(table, composite, RowKey.of(7, name), what + " with a number", softly);
            }
        }
    }

    private static void completes(
            KeyTable table, RowClaims<RowKey> claims, RowKey key, String what, SoftAssertions softly) throws Exception {
        table.reopen();
        try (Claim<RowKey> claim = claims.claim(1)) {
            softly.assertThat(claim.isHeld(key)).as(what).isTrue();
            softly.assertThat(claim.complete(List.of(key)))
                    .as(what)
                    .isEqualTo(new ClaimResult(List.of(key), List.of()));
            softly.assertThat(claim.isHeld(key)).as(what).isFalse();
        }
        softly.assertThat(table.countDone()).as(what).isEqualTo(1);
    }

    @Test
    void aKeyThatTheClaimNeverReturnedIsLostAndItsRowIsNotChanged() throws Exception {
        KeyTable table = closing(texts("a", "b", "c"));
        RowClaims<RowKey> claims = table.claims(here()).build();
        RowKey a = RowKey.of("a");
        RowKey b = RowKey.of("b");
        RowKey nowhere = RowKey.of("nowhere");
        try (Claim<RowKey> claim = claims.claim(1);
                Claim<RowKey> other = claims.claim(1)) {
            assertThat(claim.complete(List.of(b, nowhere))).isEqualTo(new ClaimResult(List.of(), List.of(b, nowhere)));
            assertThat(claim.release(List.of(b)).lost()).containsExactly(b);
            assertThat(claim.complete(List.of(b, a, a))).isEqualTo(new ClaimResult(List.of(a), List.of(b)));
            assertThat(claim.complete(List.of(a)).lost()).containsExactly(a);
            assertThat(claim.isHeld(b)).isFalse();
            assertThat(other.isHeld(b)).isTrue();
        }
        assertThat(table.countDone()).isEqualTo(1);
    }

    /** Two keys that begin alike must not become one in the claim table, which has 400 characters. */
    @Test
    void aLongKeyIsNotCut() throws Exception {
        String begin = "x".repeat(410);
        String type = database().textType().replaceAll("\\(.*\\)", "(450)");
        KeyTable table = closing(new KeyTable(this, "id " + type + " NOT NULL", "id"));
        table.insert(begin + "a");
        table.insert(begin + "b");
        RowClaims<RowKey> claims = table.besides(here()).build();
        try (Claim<RowKey> claim = claims.claim(1)) {
            assertThat(claim.complete().done()).hasSize(1).isEqualTo(claim.keys());
            assertThat(claims.claim(1).keys()).containsExactly(RowKey.of(begin + "b"));
        } catch (DatabaseFailureException refused) {
            assertThat(refused).as("refused at once, and not tried again").hasMessageNotContaining("kept refusing");
            assertThat(sql().number("SELECT count(*) FROM dibs_claim WHERE row_key LIKE 'xxxx%'"))
                    .isZero();
        }
    }

    private KeyTable texts(String... keys) throws Exception {
        KeyTable table = new KeyTable(this, "id " + database().textType() + " NOT NULL", "id");
        for (String key : keys) {
            table.insert(key);
        }
        return table;
    }

    @Test
    void aValueThatNoRowCanHaveIsRefusedWithItsColumn() throws Exception {
        Jobs jobs = jobs(2);
        Claim<RowKey> claim = jobs.claims(here()).build().claim(2);
        for (Object wrong : List.of("x", UUID.randomUUID(), new byte[] {(byte) 0xab}, true, "")) {
            RowKey key = RowKey.of(wrong);
            assertRejected(
                    () -> claim.complete(List.of(RowKey.of(1), key)), "the key column", "has no value '" + key + "'");
            assertRejected(() -> claim.isHeld(key));
        }
        assertRejected(() -> claim.complete(List.of(RowKey.of(1, 2))), "2 values");
        assertThat(claim.complete().done()).hasSize(2);
    }

    private static final String COLUMNS =
            "a bigint NOT NULL, b bigint NOT NULL, request_token varchar(32), claimed_until bigint";

    private static ClaimsBuilder claims(Dibs dibs, String table, String... key) {
        return dibs.claims(table).key(key).token("request_token").until("claimed_until");
    }

    private static void assertRefused(ClaimsBuilder claims) {
        assertFails(claims::build, "unique", "uniqueKey()");
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
