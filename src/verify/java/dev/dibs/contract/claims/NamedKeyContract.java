package dev.dibs.contract.claims;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.claims.Claim;
import dev.dibs.claims.ClaimResult;
import dev.dibs.claims.KeyedRow;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.database.FullRun;
import dev.dibs.database.KeyType;
import java.util.List;
import java.util.UUID;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A caller names rows by keys: those of the claim, or equal ones. Any other key is lost, and its row is not changed. */
@Tag("contract")
class NamedKeyContract extends Fixture {

    @Test
    @FullRun(except = "postgresql")
    void aKeyOfJavaValuesNamesTheRow() throws Exception {
        assumeTypes();
        KeyTypeContract.createTypes(this);
        SoftAssertions softly = new SoftAssertions();
        try (Dibs dibs = dibs()) {
            for (KeyType type : database().keys().types()) {
                if (!type.names().isEmpty()) {
                    named(dibs, type, softly);
                }
            }
        }
        softly.assertAll();
    }

    private void named(Dibs dibs, KeyType type, SoftAssertions softly) throws Exception {
        try (KeyTable table = new KeyTable(
                pool(),
                fresh("named"),
                database()::quoted,
                "no int DEFAULT 7 NOT NULL, id " + type.type() + " NOT NULL",
                "id")) {
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
        try (KeyTable table = texts("a", "b", "c");
                Dibs dibs = dibs()) {
            RowClaims<RowKey> claims = table.claims(dibs).build();
            RowKey a = RowKey.of("a");
            RowKey b = RowKey.of("b");
            RowKey nowhere = RowKey.of("nowhere");
            try (Claim<RowKey> claim = claims.claim(1);
                    Claim<RowKey> other = claims.claim(1)) {
                assertThat(claim.complete(List.of(b, nowhere)))
                        .isEqualTo(new ClaimResult(List.of(), List.of(b, nowhere)));
                assertThat(claim.release(List.of(b)).lost()).containsExactly(b);
                assertThat(claim.complete(List.of(b, a, a))).isEqualTo(new ClaimResult(List.of(a), List.of(b)));
                assertThat(claim.complete(List.of(a)).lost()).containsExactly(a);
                assertThat(claim.isHeld(b)).isFalse();
                assertThat(other.isHeld(b)).isTrue();
            }
            assertThat(table.countDone()).isEqualTo(1);
        }
    }

    /** Two keys that begin alike must not become one in the claim table, which has 400 characters. */
    @Test
    void aLongKeyIsNotCut() throws Exception {
        String begin = "x".repeat(410);
        String type = database().textType().replaceAll("\\(.*\\)", "(450)");
        try (KeyTable table =
                        new KeyTable(pool(), fresh("long"), database()::quoted, "id " + type + " NOT NULL", "id");
                Dibs dibs = dibs()) {
            table.insert(begin + "a");
            table.insert(begin + "b");
            RowClaims<RowKey> claims = table.besides(dibs).build();
            try (Claim<RowKey> claim = claims.claim(1)) {
                assertThat(claim.complete().done()).hasSize(1).isEqualTo(claim.keys());
                assertThat(claims.claim(1).keys()).containsExactly(RowKey.of(begin + "b"));
            } catch (DatabaseFailureException refused) {
                assertThat(refused).as("refused at once, and not tried again").hasMessageNotContaining("kept refusing");
                assertThat(sql().number("SELECT count(*) FROM dibs_claim WHERE row_key LIKE 'xxxx%'"))
                        .isZero();
            }
        }
    }

    @Test
    void aMappedRowComesWithItsKey() throws Exception {
        try (KeyTable table = texts("a", "b", "c");
                Dibs dibs = dibs()) {
            RowClaims<String> claims = table.claims(dibs).build(row -> row.getString("id") + "!");
            try (Claim<String> claim = claims.claim(3)) {
                assertThat(claim.rows()).hasSize(3).allMatch(row -> row.row().equals(row.key() + "!"));
                for (KeyedRow<String> row : claim.rows()) {
                    assertThat(claim.complete(List.of(row.key())).isComplete()).isTrue();
                }
            }
            assertThat(table.countDone()).isEqualTo(3);
        }
    }

    private KeyTable texts(String... keys) throws Exception {
        KeyTable table = new KeyTable(
                pool(), fresh("texts"), database()::quoted, "id " + database().textType() + " NOT NULL", "id");
        for (String key : keys) {
            table.insert(key);
        }
        return table;
    }

    @Test
    void aValueThatNoRowCanHaveIsRefusedWithItsColumn() throws Exception {
        try (Jobs jobs = new Jobs(pool(), 2);
                Dibs dibs = dibs()) {
            try (Claim<RowKey> claim = jobs.claims(dibs).build().claim(2)) {
                for (Object wrong : List.of("x", UUID.randomUUID(), new byte[] {(byte) 0xab}, true, "")) {
                    RowKey key = RowKey.of(wrong);
                    assertThatThrownBy(() -> claim.complete(List.of(RowKey.of(1), key)))
                            .isInstanceOf(IllegalArgumentException.class)
                            .hasMessageContainingAll("the key column", "has no value '" + key + "'");
                    assertThatThrownBy(() -> claim.isHeld(key)).isInstanceOf(IllegalArgumentException.class);
                }
                assertThatThrownBy(() -> claim.complete(List.of(RowKey.of(1, 2))))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("2 values");
                assertThat(claim.complete().done()).hasSize(2);
            }
        }
    }
}
