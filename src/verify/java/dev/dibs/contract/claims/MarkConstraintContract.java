package dev.dibs.contract.claims;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.claims.Claim;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.database.MarkTypes;
import dev.dibs.database.Trait;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Constraints of a claim's columns that refuse what it writes there: building the claims names them. */
class MarkConstraintContract extends ContractFixture {
    private static final String COLUMNS = "id bigint NOT NULL PRIMARY KEY, kind varchar(10), done_at bigint, ";

    private ClaimsBuilder claims(String table) {
        return here().claims(table)
                .key("id")
                .token("mark")
                .until("ends_at")
                .where("done_at IS NULL")
                .completeSet("done_at = 1");
    }

    private String filled(String columns) throws SQLException {
        String table = table(COLUMNS + columns);
        sql().run("INSERT INTO " + table + " (id, kind) VALUES (1, 'a'), (2, 'a')");
        return table;
    }

    private static String refusal(ClaimsBuilder claims) {
        return catchThrowableOfType(DatabaseFailureException.class, claims::build)
                .getMessage();
    }

    private void requireWorking(ClaimsBuilder claims) {
        try (Claim<RowKey> claim = claims.build().claim(2)) {
            assertThat(claim.keys()).hasSize(2);
            assertThat(claim.complete().isComplete()).isTrue();
        }
    }

    @Test
    void aColumnThatCannotBeNullIsRefusedWithTheStatementThatCuresIt() throws SQLException {
        for (String columns : List.of(
                "mark varchar(40) DEFAULT '' NOT NULL, ends_at bigint",
                "mark varchar(40), ends_at bigint DEFAULT 0 NOT NULL")) {
            String table = filled(columns);
            String column = columns.startsWith("mark varchar(40) D") ? "mark" : "ends_at";
            String message = refusal(claims(table));
            assertThat(message)
                    .startsWith("the column " + stored(column) + " of " + table + " is NOT NULL")
                    .contains("Run: ALTER TABLE " + table);
            if (database().has(Trait.CHANGES_COLUMNS)) {
                for (String statement :
                        message.substring(message.indexOf("Run: ") + 5).split("; ", -1)) {
                    sql().run(statement);
                }
                sql().run("INSERT INTO " + table + " (id, done_at) VALUES (3, 1)");
                requireWorking(claims(table));
            }
        }
    }

    private String stored(String column) throws SQLException {
        boolean inUpperCase = connection().getMetaData().storesUpperCaseIdentifiers();
        return inUpperCase ? column.toUpperCase(Locale.ROOT) : column;
    }

    @Test
    void aGeneratedColumnIsRefused() throws SQLException {
        String table =
                table(COLUMNS + "ends_at bigint, mark varchar(40) " + database().generated("'x'"));
        assertThat(refusal(claims(table))).containsIgnoringCase("mark");
    }

    @Test
    void aColumnThatRefersToAnotherTableIsRefused() throws SQLException {
        String owners = table("name varchar(40) NOT NULL PRIMARY KEY");
        String table = filled("mark varchar(40), ends_at bigint, FOREIGN KEY (mark) REFERENCES " + owners + " (name)");
        if (database().has(Trait.SHOWS_CHECKS)) {
            assertThat(refusal(claims(table))).contains("claims on " + table, "the constraint ", "Drop it");
        }
    }

    @Test
    void anIndexThatMakesTheTokenUniqueIsRefused() throws SQLException {
        String table = filled("mark varchar(40), ends_at bigint");
        sql().run("CREATE UNIQUE INDEX " + table + "_x ON " + table + " (id, mark)");
        requireWorking(claims(table));
        for (String columns : List.of("mark", "ends_at", "kind, mark")) {
            sql().run("UPDATE " + table + " SET done_at = NULL, kind = 'k'");
            sql().run("CREATE UNIQUE INDEX " + table + "_u ON " + table + " (" + columns + ")");
            assertThat(refusal(claims(table))).as(columns).containsIgnoringCase("the unique index " + table + "_u");
            sql().run(database().dropIndex(table + "_u", table));
        }
    }

    @Test
    void aCheckThatRefusesClaimsIsRefusedByItsName() throws SQLException {
        for (String rule : List.of(
                "mark IN ('ann', 'bob')",
                "mark IS NOT NULL",
                "mark LIKE 'w-%'",
                "ends_at < 5000000000",
                "mark = 'it''s'",
                "(mark IS NULL) <> (ends_at IS NULL)")) {
            String name = prefix() + "rule";
            String table =
                    table(COLUMNS + "mark varchar(40), ends_at bigint, CONSTRAINT " + name + " CHECK (" + rule + ")");
            if (database().has(Trait.SHOWS_CHECKS)) {
                assertThatThrownBy(() -> claims(table).build())
                        .as(rule)
                        .isInstanceOf(DatabaseFailureException.class)
                        .message()
                        .containsIgnoringCase("the constraint " + name)
                        .contains("Drop it");
            }
        }
    }

    @Test
    void aCheckThatClaimsMeetIsFine() throws SQLException {
        for (String rule : List.of(
                "ends_at > 0",
                "mark <> ''",
                "kind IN ('a', 'b')",
                "mark IS NULL OR kind = 'a'",
                "(mark IS NULL) = (ends_at IS NULL)",
                "mark IS NULL OR done_at IS NULL OR id > 0")) {
            String table = filled("mark varchar(40), ends_at bigint, CHECK (" + rule + ")");
            assertThat(claims(table).build().doctor())
                    .as(rule)
                    .noneMatch(finding -> finding.subject().equals("claims constraint"));
            requireWorking(claims(table));
        }
    }

    @BeforeEach
    void createTypes() throws Exception {
        KeyTypeContract.createTypes(this);
    }

    @Test
    void aTypeThatStoresTheValuesWorks() throws Exception {
        MarkTypes types = database().markTypes();
        for (String time : types.times()) {
            works(types.tokens().get(0), time);
        }
        for (String token : types.tokens()) {
            works(token, types.times().get(0));
        }
    }

    private void works(String token, String time) throws Exception {
        String table = table("id int NOT NULL PRIMARY KEY, done_at int, mark " + token + ", ends_at " + time);
        sql().run("INSERT INTO " + table + " (id) VALUES (1), (2)");
        RowClaims<RowKey> claims = claims(table).build();
        Claim<RowKey> claim = claims.claim(1);
        assertThat(claim.keys()).as(token + ", " + time).isEqualTo(keys(1));
        assertThat(claim.renew().isComplete()).as(token + ", " + time).isTrue();
        assertThat(claims.find(claim.token()).keys()).as(token).isEqualTo(claim.keys());
        assertThat(claim.postpone(claim.keys(), Duration.ZERO).isComplete())
                .as(time)
                .isTrue();
        assertThat(claims.claim(2).complete().done()).as(token + ", " + time).hasSize(2);
    }

    @Test
    void aTypeThatIsTooSmallIsRefusedWithItsColumn() throws Exception {
        MarkTypes types = database().markTypes();
        for (String time : types.refusedTimes()) {
            refused(types.tokens().get(0), time, "ends_at");
        }
        for (String token : types.refusedTokens()) {
            refused(token, types.times().get(0), "mark");
        }
    }

    private void refused(String token, String time, String column) throws Exception {
        String table = table("id int NOT NULL PRIMARY KEY, done_at int, mark " + token + ", ends_at " + time);
        assertThatThrownBy(() -> claims(table).build())
                .as(token + ", " + time)
                .isInstanceOf(DatabaseFailureException.class)
                .hasMessageContaining("the column")
                .hasMessageMatching("(?si).*column " + column + ".*needs.*");
    }

    @Test
    void rowsWithoutAKeyArePassedOver() throws Exception {
        String table = table("no int, code " + database().textType()
                + ", done_at int, mark varchar(40), ends_at "
                + database().markTypes().times().get(0));
        sql().run("CREATE UNIQUE INDEX " + table + "_u ON " + table + " (no, code)");
        for (String row : new String[] {"NULL, 'a'", "1, NULL", "1, 'b'", "2, 'c'"}) {
            sql().run("INSERT INTO " + table + " (no, code) VALUES (" + row + ")");
        }
        for (RowClaims<RowKey> claims : List.of(
                claimsByCode(here(), table).token("mark").until("ends_at").build(),
                claimsByCode(here(), table).sideTable().build())) {
            assertThat(claims.count()).isEqualTo(2);
            try (Claim<RowKey> claim = claims.claim(1)) {
                assertThat(claim.keys()).containsExactly(RowKey.of(1, "b"));
                assertThat(claims.claim(10).release(List.of(RowKey.of(2, "c"))).isComplete())
                        .isTrue();
            }
        }
    }

    private static ClaimsBuilder claimsByCode(Dibs dibs, String table) {
        return dibs.claims(table).key("no", "code").where("done_at IS NULL").completeSet("done_at = 1");
    }
}
