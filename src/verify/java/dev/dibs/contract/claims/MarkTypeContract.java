package dev.dibs.contract.claims;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.claims.Claim;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.database.MarkTypes;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The columns for a claim's end and token may have each type that stores such values, however it is declared. */
class MarkTypeContract extends ContractFixture {

    @BeforeEach
    void createTypes() throws Exception {
        KeyTypeContract.createTypes(this);
    }

    @Test
    void aTypeThatStoresTheValuesWorks() throws Exception {
        MarkTypes types = database().markTypes();
        Dibs dibs = dibs();
        for (String time : types.times()) {
            works(dibs, types.tokens().get(0), time);
        }
        for (String token : types.tokens()) {
            works(dibs, token, types.times().get(0));
        }
    }

    private void works(Dibs dibs, String token, String time) throws Exception {
        String table = table("id int NOT NULL PRIMARY KEY, done_at int, mark " + token + ", ends_at " + time);
        sql().run("INSERT INTO " + table + " (id) VALUES (1)");
        sql().run("INSERT INTO " + table + " (id) VALUES (2)");
        RowClaims<RowKey> claims = claims(dibs, table);
        Claim<RowKey> claim = claims.claim(1);
        assertThat(claim.keys()).as(token + ", " + time).containsExactly(RowKey.of(1));
        assertThat(claim.renew().isComplete()).as(token + ", " + time).isTrue();
        assertThat(claims.find(claim.token()).keys()).as(token).isEqualTo(claim.keys());
        assertThat(claim.postpone(claim.keys(), Duration.ZERO).isComplete())
                .as(time)
                .isTrue();
        assertThat(claims.claim(2).complete().done()).as(token + ", " + time).hasSize(2);
    }

    private static RowClaims<RowKey> claims(Dibs dibs, String table) {
        return dibs.claims(table)
                .key("id")
                .token("mark")
                .until("ends_at")
                .where("done_at IS NULL")
                .completeSet("done_at = 1")
                .build();
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
        Dibs dibs = dibs();
        assertThatThrownBy(() -> claims(dibs, table))
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
