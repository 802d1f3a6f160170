package dev.dibs.contract.claims;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.dibs.Dibs;
import dev.dibs.claims.Claim;
import dev.dibs.claims.ClaimResult;
import dev.dibs.claims.NextClaim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.database.FullRun;
import dev.dibs.database.KeyType;
import java.sql.Connection;
import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A caller may spell a key otherwise than the database. What a call answers is what the table says. */
@Tag("contract")
class KeySpellingContract extends Fixture {

    private final SoftAssertions softly = new SoftAssertions();

    @BeforeEach
    void createTypes() throws Exception {
        KeyTypeContract.createTypes(this);
    }

    @Test
    @FullRun(except = "postgresql")
    @Tag("slow")
    void aKeyIsFoundByEachOfItsSpellings() throws Exception {
        assumeTypes();
        try (Dibs dibs = dibs()) {
            for (KeyType type : database().keys().types()) {
                if (!type.values().isEmpty()) {
                    named(dibs, type);
                }
            }
        }
        softly.assertAll();
    }

    private void named(Dibs dibs, KeyType type) throws Exception {
        try (KeyTable table = new KeyTable(
                pool(),
                fresh("spelled"),
                database()::quoted,
                "no int DEFAULT 7 NOT NULL, id " + type.type() + " NOT NULL",
                "id")) {
            table.insertText(type.values().get(0));
            RowClaims<RowKey> composite = table.claims(dibs).key("no", "id").build();
            RowClaims<RowKey> single = table.claims(dibs).build();
            for (Object spelling : type.spellings()) {
                String what = type + ", a " + spelling.getClass().getSimpleName() + " '" + spelling + "'";
                changes(table, single, spelling, what);
                completes(table, composite, List.of(7, spelling), what + " with a number");
                completes(table, composite, RowKey.of("7", spelling), what + " in a RowKey");
            }
        }
    }

    private void changes(KeyTable table, RowClaims<RowKey> claims, Object spelling, String what) throws Exception {
        table.reopen();
        try (Claim<RowKey> claim = claims.claim(1)) {
            List<RowKey> keys = claim.keys();
            softly.assertThat(claim.isHeld(spelling)).as(what).isTrue();
            softly.assertThat(claim.release(List.of(spelling))).as(what).isEqualTo(new ClaimResult(keys, List.of()));
            softly.assertThat(claim.isHeld(spelling)).as(what).isFalse();
        }
        try (Claim<RowKey> claim = claims.claim(1)) {
            softly.assertThat(claim.postpone(List.of(spelling), Duration.ZERO).done())
                    .as(what)
                    .isEqualTo(claim.keys());
        }
        try (Claim<RowKey> claim = claims.claim(1)) {
            NextClaim<RowKey> turn = claim.completeAndClaim(List.of(spelling), 1);
            softly.assertThat(turn.completed().done()).as(what).isEqualTo(claim.keys());
            softly.assertThat(table.countDone()).as(what).isEqualTo(1);
            softly.assertThat(claim.complete(List.of(spelling)).lost())
                    .as(what + ", again")
                    .isEqualTo(claim.keys());
        }
        table.reopen();
        try (Connection connection = pool().getConnection()) {
            connection.setAutoCommit(false);
            try (Claim<RowKey> claim = claims.claim(connection, 1)) {
                softly.assertThat(claim.complete(connection, List.of(spelling)).done())
                        .as(what)
                        .isEqualTo(claim.keys())
                        .hasSize(1);
            }
            connection.commit();
            connection.setAutoCommit(true);
        }
        softly.assertThat(table.countDone()).as(what).isEqualTo(1);
        completes(table, claims, spelling, what);
    }

    private void completes(KeyTable table, RowClaims<RowKey> claims, Object spelling, String what) throws Exception {
        table.reopen();
        try (Claim<RowKey> claim = claims.claim(1)) {
            List<Object> twice =
                    Stream.concat(claim.keys().stream(), Stream.of(spelling)).toList();
            softly.assertThat(claim.complete(twice)).as(what).isEqualTo(new ClaimResult(claim.keys(), List.of()));
            softly.assertThat(table.countDone()).as(what).isEqualTo(1);
        }
    }

    @Test
    void aKeyThatTheClaimNeverReturnedIsLostAndItsRowIsNotChanged() throws Exception {
        try (KeyTable table = new KeyTable(
                        pool(),
                        fresh("others"),
                        database()::quoted,
                        "id " + database().textType() + " NOT NULL",
                        "id");
                Dibs dibs = dibs()) {
            for (String text : List.of("a", "b", "c")) {
                table.insert(text);
            }
            RowClaims<RowKey> claims = table.claims(dibs).build();
            try (Claim<RowKey> claim = claims.claim(1);
                    Claim<RowKey> other = claims.claim(1)) {
                assertThat(claim.complete(List.of("b", "nowhere")))
                        .isEqualTo(new ClaimResult(List.of(), List.of(RowKey.of("b"), RowKey.of("nowhere"))));
                assertThat(claim.complete(List.of("b", "a")))
                        .isEqualTo(new ClaimResult(List.of(RowKey.of("a")), List.of(RowKey.of("b"))));
                assertThat(claim.complete(List.of("a")).lost()).containsExactly(RowKey.of("a"));
                assertThat(claim.isHeld("b")).isFalse();
                assertThat(other.isHeld("b")).isTrue();
            }
            assertThat(table.countDone()).isEqualTo(1);
        }
    }

    @Test
    void aValueOfAWrongTypeIsRefused() throws Exception {
        try (Jobs jobs = new Jobs(pool(), 2);
                Dibs dibs = dibs()) {
            try (Claim<RowKey> claim = jobs.claims(dibs).build().claim(2)) {
                for (Object wrong : List.of("x", LocalDate.EPOCH, Double.NaN, new byte[] {1})) {
                    assertThatThrownBy(() -> claim.complete(List.of(1, wrong)))
                            .isInstanceOf(IllegalArgumentException.class)
                            .hasMessageContainingAll("the key column", "of the kind whole");
                    assertThatThrownBy(() -> claim.isHeld(wrong)).isInstanceOf(IllegalArgumentException.class);
                }
                assertThatThrownBy(() -> claim.complete(List.of(List.of(1, 2))))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("2 values");
                assertThat(claim.complete().done()).hasSize(2);
            }
        }
    }
}
