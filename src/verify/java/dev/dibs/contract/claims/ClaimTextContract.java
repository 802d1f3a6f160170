package dev.dibs.contract.claims;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Dibs;
import dev.dibs.claims.Claim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.database.CountingDataSource;
import dev.dibs.database.OnEachDatabase;
import dev.dibs.internal.sql.files.DialectFolder;
import dev.dibs.statements.ClaimTexts;
import dev.dibs.statements.Placeholders;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The statements that {@code dibs statements --claims} prints without a database are those that claims send. */
@Tag("contract")
@OnEachDatabase
class ClaimTextContract extends Fixture {

    /** A number that no statement contains otherwise. */
    private static final int MANY = 4_711;

    @Test
    void claimsWithLeasesArePrintedAsSent() throws SQLException {
        try (Jobs jobs = new Jobs(pool(), 4)) {
            CountingDataSource counting = new CountingDataSource(pool());
            List<String> sent;
            String dialect;
            try (Dibs dibs = builder(counting).build()) {
                dialect = dibs.dialect().name();
                RowClaims<RowKey> claims = jobs.claims(dibs).build();
                counting.reset();
                try (Claim<RowKey> claim = claims.claim(MANY)) {
                    claim.renew();
                    claim.postpone(List.of(1), Duration.ofSeconds(1));
                    claim.complete(List.of(2));
                    claim.release(List.of(3));
                }
                sent = alike(counting.statements());
            }
            ClaimTexts texts = ClaimTexts.of(
                    jobs.table(),
                    List.of("id:bigint"),
                    "request_token",
                    "claimed_until",
                    "done_at IS NULL",
                    "id",
                    "done_at = 1",
                    false);
            assertThat(sent).hasSizeGreaterThanOrEqualTo(6);
            assertThat(printed(texts, dialect)).containsAll(sent);
        }
    }

    @Test
    void claimsWithoutLeasesArePrintedAsSent() throws SQLException {
        try (Jobs jobs = new Jobs(pool(), 4)) {
            CountingDataSource counting = new CountingDataSource(pool());
            List<String> sent;
            String dialect;
            try (Dibs dibs = builder(counting).build()) {
                dialect = dibs.dialect().name();
                RowClaims<RowKey> claims = jobs.markers(dibs).completeDelete().build();
                counting.reset();
                try (Claim<RowKey> claim = claims.claim(MANY)) {
                    claim.complete(List.of(2));
                }
                sent = alike(counting.statements());
            }
            ClaimTexts texts = ClaimTexts.of(
                    jobs.table(), List.of("id"), "request_token", null, "done_at IS NULL", null, null, true);
            assertThat(sent).hasSizeGreaterThanOrEqualTo(3);
            assertThat(printed(texts, dialect)).containsAll(sent);
        }
    }

    private static List<String> printed(ClaimTexts texts, String dialect) {
        return alike(texts.in(DialectFolder.named(dialect), "dibs_", Placeholders.QUESTION).stream()
                .flatMap(text -> text.steps().stream())
                .map(step -> step.sql())
                .toList());
    }

    /** A driver writes the key's type in capitals, and a number of rows may stand in the text. */
    private static List<String> alike(List<String> statements) {
        return statements.stream()
                .map(text -> text.toLowerCase(Locale.ROOT).replace(String.valueOf(MANY), "?"))
                .toList();
    }
}
