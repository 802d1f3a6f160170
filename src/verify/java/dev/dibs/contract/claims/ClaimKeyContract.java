package dev.dibs.contract.claims;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.claims.Claim;
import dev.dibs.claims.NextClaim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.database.FullRun;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Claims by keys of any type, in tables and columns of any name. */
@Tag("contract")
class ClaimKeyContract extends Fixture {

    /** Texts that differ in little. Blanks at the end are left out: several collations ignore them. */
    static final List<String> TEXTS = List.of(
            "a", "b c", " d", "e,f", "g\\", "h\\,i", "j'k", "\"l\"", "m{now}", ":n", "?", "öäü", "日本", "p\tq", "[r]",
            "x--");

    @Test
    void aTextIsAKey() throws Exception {
        try (KeyTable table = new KeyTable(
                pool(), fresh("texts"), database()::quoted, "id " + database().textType() + " NOT NULL", "id")) {
            for (String text : TEXTS) {
                table.insert(text);
            }
            completesEverything(table, TEXTS.size());
        }
    }

    @Test
    void aUuidIsAKey() throws Exception {
        assumeTypes();
        try (KeyTable table = new KeyTable(
                pool(), fresh("uuids"), database()::quoted, "id " + database().uuidType() + " NOT NULL", "id")) {
            for (int i = 0; i < 20; i++) {
                table.insertText("'" + UUID.randomUUID() + "'");
            }
            completesEverything(table, 20);
        }
    }

    @Test
    void aDecimalOrADateIsAKey() throws Exception {
        assumeTypes();
        try (KeyTable table = new KeyTable(
                pool(),
                fresh("decimals"),
                database()::quoted,
                "on_day date NOT NULL, part decimal(12, 3) NOT NULL",
                "on_day, part")) {
            for (int i = 1; i <= 9; i++) {
                table.insertText("'2024-02-0" + i + "', " + i + ".125");
            }
            completesEverything(table, 9);
        }
    }

    @Test
    @FullRun(except = "postgresql")
    void severalColumnsAreAKey() throws Exception {
        try (KeyTable table = new KeyTable(
                pool(),
                fresh("several"),
                database()::quoted,
                "part " + database().textType() + " NOT NULL, no int NOT NULL, id bigint NOT NULL",
                "part, no, id")) {
            for (String text : TEXTS) {
                table.insert(text, 1, Long.MAX_VALUE);
                table.insert(text, 1, 9007199254740993L);
                table.insert(text, 2, Long.MIN_VALUE);
            }
            completesEverything(table, 3 * TEXTS.size());
        }
    }

    @Test
    @FullRun(except = "h2")
    void ofOneFirstColumnOnlyTheRowsThatAreNamedAreChanged() throws Exception {
        try (KeyTable table = new KeyTable(
                        pool(),
                        fresh("pairs"),
                        database()::quoted,
                        "part " + database().textType() + " NOT NULL, no int NOT NULL",
                        "part, no");
                Dibs dibs = dibs()) {
            for (int i = 1; i <= 6; i++) {
                table.insert(i <= 3 ? "a" : "b", i);
            }
            RowClaims<RowKey> claims = table.claims(dibs).build();
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
    }

    @Test
    void reservedWordsAreNames() throws Exception {
        String table = database().quoted(fresh("order by"));
        try (Jobs jobs = new Jobs(pool(), table, database().quoted("select"), 5);
                Dibs dibs = dibs()) {
            // In every way of quoting them.
            RowClaims<RowKey> claims = jobs.claims(dibs).build();
            try (Claim<RowKey> claim = claims.claim(2)) {
                NextClaim<RowKey> turn = claim.completeAndClaim(2);
                assertThat(turn.completed().done()).containsExactly(RowKey.of(1), RowKey.of(2));
                assertThat(turn.next().complete().done()).containsExactly(RowKey.of(3), RowKey.of(4));
            }
            assertThat(claims.count()).isEqualTo(1);
        }
    }

    @Test
    @FullRun(except = "postgresql")
    void namesMayBeQuotedInAnyOfTheWays() throws Exception {
        String name = fresh("any quotes");
        try (Jobs jobs = new Jobs(pool(), database().quoted(name), database().quoted("from"), 3);
                Dibs dibs = dibs()) {
            for (String[] pair : new String[][] {{"\"", "\""}, {"`", "`"}, {"[", "]"}}) {
                RowClaims<RowKey> claims = dibs.claims(pair[0] + name + pair[1])
                        .key(pair[0] + "from" + pair[1])
                        .token("request_token")
                        .where("done_at IS NULL")
                        .build();
                try (Claim<RowKey> claim = claims.claim(1)) {
                    assertThat(claim.keys()).containsExactly(RowKey.of(1));
                }
            }
            assertThat(jobs.done()).isEmpty();
        }
    }

    @Test
    void aTableHasASchemaBeforeIt() throws Exception {
        assumeSchemas();
        try (Jobs jobs = new Jobs(pool(), 2);
                Dibs dibs = dibs()) {
            RowClaims<RowKey> claims = dibs.claims(jobs.schema() + "." + jobs.table())
                    .key("ID")
                    .token("Request_Token")
                    .build();
            try (Claim<RowKey> claim = claims.claim(2)) {
                assertThat(claim.release(claim.keys()).done()).hasSize(2);
            }
        }
    }

    /** So many rows that a plan might prefer a scan to a join. */
    @Test
    @FullRun(except = "postgresql")
    void aCompositeKeyOfALargeTableIsFoundByItsIndex() throws Exception {
        try (KeyTable table = new KeyTable(
                        pool(),
                        fresh("large"),
                        database()::quoted,
                        "part " + database().textType() + " NOT NULL, no int NOT NULL",
                        "part, no");
                Dibs dibs = dibs()) {
            table.insertMany(100_000);
            RowClaims<RowKey> claims =
                    table.claims(dibs).leaseLength(Duration.ofMinutes(1)).build();
            org.junit.jupiter.api.Assertions.assertTimeoutPreemptively(Duration.ofSeconds(30), () -> {
                try (Claim<RowKey> claim = claims.claim(10)) {
                    assertThat(claim.completeAndClaim(10).next().complete().done())
                            .hasSize(10);
                }
            });
        }
    }

    @Test
    void completingMayChangeTheKey() throws Exception {
        assumeTrue(database().returnsOldKeys(), "a completion answers with old keys");
        try (KeyTable table = moving();
                Dibs dibs = dibs()) {
            completesMovingRows(table, table.moving(dibs).build());
        }
    }

    @Test
    void sideCompletionMayChangeTheKey() throws Exception {
        try (KeyTable table = moving();
                Dibs dibs = dibs()) {
            completesMovingRows(table, table.movingBesides(dibs).build());
        }
    }

    @Test
    void aCompletionThatCannotAnswerWithOldKeysIsRefused() throws Exception {
        assumeFalse(database().returnsOldKeys(), "a completion answers with new keys");
        try (KeyTable table = moving();
                Dibs dibs = dibs()) {
            assertThatThrownBy(() -> table.moving(dibs).build())
                    .isInstanceOf(DatabaseFailureException.class)
                    .hasMessageContaining("completeSet(..) sets [state] of the key");
        }
    }

    /** Rows whose state is a part of the key, as a table that is partitioned by it needs. */
    private KeyTable moving() throws SQLException {
        KeyTable table = new KeyTable(
                pool(),
                fresh("moving"),
                database()::quoted,
                "id bigint NOT NULL, state " + database().textType() + " NOT NULL",
                "id, state");
        for (int i = 1; i <= 4; i++) {
            table.insert(i, "new");
        }
        return table;
    }

    private void completesMovingRows(KeyTable table, RowClaims<RowKey> claims) throws SQLException {
        try (Claim<RowKey> claim = claims.claim(2)) {
            assertThat(claim.complete().done()).containsExactlyInAnyOrderElementsOf(claim.keys());
        }
        try (Claim<RowKey> claim = claims.claim(2);
                Connection connection = pool().getConnection()) {
            connection.setAutoCommit(false);
            assertThat(claim.complete(connection, claim.keys()).isComplete()).isTrue();
            connection.commit();
            connection.setAutoCommit(true);
        }
        assertThat(table.countDone()).isEqualTo(4);
    }

    private void completesEverything(KeyTable table, int rows) throws Exception {
        try (Dibs dibs = dibs()) {
            RowClaims<RowKey> claims = table.claims(dibs).build();
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
    }
}
