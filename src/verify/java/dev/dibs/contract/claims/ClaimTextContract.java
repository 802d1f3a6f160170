package dev.dibs.contract.claims;

import dev.dibs.Dibs;
import dev.dibs.claims.Claim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.internal.sql.files.DialectFolder;
import dev.dibs.statements.ClaimTexts;
import dev.dibs.statements.Placeholders;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/**
 * The statements that {@code dibs statements --claims} prints without a database are those that claims send. How a transaction of several
 * statements begins is not among them.
 */
class ClaimTextContract extends ContractFixture {
    /** A number that no statement contains otherwise. */
    private static final int MANY = 4_711;

    private String dialect;

    @Test
    void claimsWithLeasesArePrintedAsSent() throws SQLException {
        Jobs jobs = jobs(4);
        List<String> sent = sent(dibs -> jobs.claims(dibs).build(), claim -> {
            claim.renew();
            claim.postpone(keys(1), Duration.ofSeconds(1));
            claim.complete(keys(2));
            claim.release(keys(3));
        });
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
        assertThat(printed(texts)).containsAll(sent);
    }

    @Test
    void claimsWithoutLeasesArePrintedAsSent() throws SQLException {
        Jobs jobs = jobs(4);
        List<String> sent = sent(dibs -> jobs.markers(dibs).completeDelete().build(), claim -> claim.complete(keys(2)));
        ClaimTexts texts =
                ClaimTexts.of(jobs.table(), List.of("id"), "request_token", null, "done_at IS NULL", null, null, true);
        assertThat(sent).hasSizeGreaterThanOrEqualTo(3);
        assertThat(printed(texts)).containsAll(sent);
    }

    private List<String> sent(Function<Dibs, RowClaims<RowKey>> claims, Consumer<Claim<RowKey>> work) {
        try (Dibs dibs = dibs(counting())) {
            dialect = dibs.dialect().name();
            RowClaims<RowKey> built = claims.apply(dibs);
            counting().reset();
            try (Claim<RowKey> claim = built.claim(MANY)) {
                work.accept(claim);
            }
            List<String> sent = new ArrayList<>(alike(counting().statements()));
            sent.removeIf(text -> text.startsWith("set transaction"));
            return sent;
        }
    }

    private List<String> printed(ClaimTexts texts) {
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
