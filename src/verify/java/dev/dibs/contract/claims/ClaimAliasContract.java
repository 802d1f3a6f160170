package dev.dibs.contract.claims;

import dev.dibs.claims.Claim;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.database.FullRun;
import dev.dibs.database.OnEachDatabase;
import dev.dibs.runs.RunWorkers.End;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The user's SQL names the row as t in every statement, and no name of ours hides a name of the user's. */
@OnEachDatabase
class ClaimAliasContract extends ContractFixture {
    /** The names of columns of our own tables, and short names of statements. */
    private static final List<String> COLUMNS =
            List.of("scope token held_until first_key last_key row_key k r c n m front mine".split(" ", -1));

    /** Where claims are kept. */
    @SuppressWarnings("ImmutableEnumChecker")
    enum Place {
        TOKEN(claims -> claims.token("request_token")),
        LEASE(claims -> claims.token("request_token").until("claimed_until")),
        SIDE(ClaimsBuilder::sideTable);

        private final Function<ClaimsBuilder, ClaimsBuilder> added;

        Place(Function<ClaimsBuilder, ClaimsBuilder> added) {
            this.added = added;
        }
    }

    /** Twelve rows of three customers. */
    private void create(String table) throws SQLException {
        sql().run("CREATE TABLE " + table + " (id bigint NOT NULL PRIMARY KEY, customer int, done int,"
                + " request_token varchar(32), claimed_until bigint)");
        for (int i = 1; i <= 12; i++) {
            sql().run("INSERT INTO " + table + " (id, customer) VALUES (" + i + ", " + i % 3 + ")");
        }
    }

    private static String isFirst(String table) {
        return "t.done IS NULL AND NOT EXISTS (SELECT 1 FROM " + table
                + " o WHERE o.customer = t.customer AND o.id < t.id AND o.done IS NULL)";
    }

    private static String plain(String table) {
        return table + COUNT.incrementAndGet();
    }

    @ParameterizedTest
    @EnumSource(Place.class)
    void conditionMayCompareTheRowWithOthers(Place place) throws SQLException {
        String table = plain("fifo_");
        create(table);
        String first = isFirst(table);
        RowClaims<RowKey> claims = place.added
                .apply(here().claims(table).key("id"))
                .where(first)
                .orderBy("t.customer, t.id")
                .completeSet("done = t.customer + 1")
                .build();
        assertThat(claims.count()).isEqualTo(3);
        String token = RowClaims.newToken();
        Claim<RowKey> claim = claims.claim(token, 10);
        Claim<RowKey> second = claims.claim(10);
        assertThat(claim.keys()).isEqualTo(keys(3, 1, 2));
        assertThat(second.isEmpty()).isTrue();
        assertThat(claims.claim(token, 10).keys()).isEqualTo(claim.keys());
        if (place != Place.TOKEN) {
            claim.renew();
        }
        assertThat(claim.complete(keys(1)).isComplete()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(names = "TOKEN", mode = EnumSource.Mode.EXCLUDE)
    void runDoesTheRowsOfEachCustomerInOrder(Place place) throws SQLException, InterruptedException {
        String table = plain("fifo_");
        create(table);
        String first = isFirst(table);
        RowClaims<RowKey> claims = place.added
                .apply(here().claims(table).key("id"))
                .where(first)
                .completeSet("done = 1")
                .build();
        List<Long> order = Collections.synchronizedList(new ArrayList<>());
        String name = fresh("run");
        assertEnds(
                End.FINISHED, here().run(name).over(claims).batch(2).threads(2).work(key -> order.add(key.asLong())));
        assertThat(order).hasSize(12).doesNotHaveDuplicates().containsSubsequence(1L, 4L, 7L, 10L);
        assertThat(order).containsSubsequence(2L, 5L, 8L, 11L).containsSubsequence(3L, 6L, 9L, 12L);
        here().run(name).over(claims).ensureFinished();
        assertThat(here().run(name).isFinished(table, first)).isTrue();
        sql().run("UPDATE " + table + " SET done = NULL WHERE id = 4");
        assertThat(here().run(name).isFinished(table, first)).isFalse();
    }

    @Test
    void conditionOfRangesMayCompareTheRowWithOthers() throws SQLException, InterruptedException {
        String table = plain("fifo_");
        create(table);
        RowClaims<RowKey> claims = here().claims(table)
                .key("id")
                .ranges(table)
                .where("NOT EXISTS (SELECT 1 FROM " + table + " o WHERE o.customer = t.customer AND o.id < t.id)")
                .build();
        assertThat(claims.count()).isEqualTo(3);
        Claim<RowKey> claim = claims.claim(2);
        assertThat(claim.keys()).isEqualTo(keys(1, 2));
        assertThat(claim.complete(keys(2)).isComplete()).isTrue();
        assertThat(claim.complete().isComplete()).isTrue();
        here().run(fresh("run")).over(claims).work(key -> {}).start().await();
        assertThat(claims.count()).isZero();
    }

    @ParameterizedTest
    @EnumSource(Place.class)
    void conditionMayHaveColumnsThatAreCalledAsOurs(Place place) throws SQLException {
        String table = plain("names_");
        createNamed(table);
        RowClaims<RowKey> claims = place.added
                .apply(here().claims(table).key("id"))
                .where(named())
                .orderBy("n, k, id")
                .completeSet("done = 1, n = n + 1")
                .build();
        doAll(claims, place != Place.TOKEN);
    }

    @Test
    void conditionOfRangesMayHaveColumnsThatAreCalledAsOurs() throws SQLException {
        String table = plain("names_");
        createNamed(table);
        doAll(
                here().claims(table)
                        .key("id")
                        .ranges(table)
                        .where("id > 0 AND " + named())
                        .build(),
                true);
    }

    private static String named() {
        return "done IS NULL AND " + String.join(" = 7 AND ", COLUMNS) + " = 7";
    }

    private void createNamed(String table) throws SQLException {
        sql().run("CREATE TABLE " + table + " (id bigint NOT NULL PRIMARY KEY, done int, request_token varchar(32),"
                + " claimed_until bigint, " + String.join(" int, ", COLUMNS) + " int)");
        String sevens = ", 7".repeat(COLUMNS.size());
        for (int i = 1; i <= 4; i++) {
            sql().run("INSERT INTO " + table + " (id, " + String.join(", ", COLUMNS) + ") VALUES (" + i + sevens + ")");
        }
    }

    /** Four rows. */
    private static void doAll(RowClaims<RowKey> claims, boolean ends) {
        assertThat(claims.count()).isEqualTo(4);
        try (Claim<RowKey> claim = claims.claim(3)) {
            assertThat(claim.keys()).hasSize(3);
            assertThat(claims.find(claim.token()).keys()).isEqualTo(claim.keys());
            if (ends) {
                claim.renew();
            }
            assertThat(claim.complete(keys(2)).isComplete()).isTrue();
            assertThat(claim.release(keys(1)).isComplete()).isTrue();
            assertThat(claim.complete(keys(3)).isComplete()).isTrue();
        }
        try (Claim<RowKey> claim = claims.claim(4)) {
            assertThat(claim.isEmpty()).isFalse();
        }
    }

    @FullRun(except = "postgresql")
    @ParameterizedTest
    @ValueSource(
            strings = {
                "k", "t", "r", "c", "m", "asked", "pick", "picked", "taken", "mine", "settled", "locked", "late",
                "ahead", "made", "moved", "whole"
            })
    void tableMayBeCalledAsSomethingOfOurs(String table) throws SQLException {
        sql().run("DROP TABLE IF EXISTS " + table);
        create(table);
        closing(() -> sql().run("DROP TABLE " + table));
        for (Place place : Place.values()) {
            sql().run(
                            "UPDATE " + table + " SET done = NULL, request_token = NULL, claimed_until = NULL",
                            "DELETE FROM " + table + " WHERE id > 4");
            doAll(
                    place.added
                            .apply(here().claims(table).key("id"))
                            .where("done IS NULL AND EXISTS (SELECT 1 FROM " + table + " other WHERE other.id = t.id)")
                            .completeSet("done = 1")
                            .build(),
                    place != Place.TOKEN);
        }
        sql().run("UPDATE " + table + " SET done = NULL");
        doAll(
                here().claims(table)
                        .key("id")
                        .ranges(fresh("pass"))
                        .where("EXISTS (SELECT 1 FROM " + table + " other WHERE other.id = t.id)")
                        .build(),
                true);
    }

    @ParameterizedTest
    @ValueSource(strings = {"id", "id, customer"})
    void viewIsClaimedOrRefusedByBuild(String key) throws SQLException {
        String table = plain("behind_");
        create(table);
        sql().run("DELETE FROM " + table + " WHERE id > 4");
        String view = plain("k_view_");
        sql().run("CREATE VIEW " + view + " AS SELECT * FROM " + table);
        List<String> columns = List.of(key.split(", "));
        closing(() -> sql().run("DROP VIEW " + view));
        ClaimsBuilder claims = here().claims(view)
                .key(columns.toArray(String[]::new))
                .uniqueKey()
                .token("request_token")
                .until("claimed_until")
                .where("done IS NULL")
                .completeSet("done = 1");
        if (!database().claimsViews(columns.size())) {
            assertFails(claims::build, "view");
            return;
        }
        Claim<RowKey> claim = claims.build().claim(3);
        claim.renew();
        assertThat(claim.release(claim.keys().subList(0, 1)).isComplete()).isTrue();
        assertThat(claim.complete().done()).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"jobs", "o"})
    void buildRefusesAnotherNameOfTheRow(String name) throws SQLException {
        Jobs jobs = jobs(1);
        ClaimsBuilder claims = jobs.claims(here()).where("done_at IS NULL AND " + name + ".id > 0");
        assertFails(claims::build, "where(");
    }
}
