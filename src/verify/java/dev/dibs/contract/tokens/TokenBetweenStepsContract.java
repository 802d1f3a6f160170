package dev.dibs.contract.tokens;

import static dev.dibs.contract.support.LeaseStatements.OWNER;
import static dev.dibs.contract.support.LeaseStatements.STRANGER;

import dev.dibs.contract.support.BetweenSteps;
import dev.dibs.contract.support.BetweenSteps.Scene;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.LeaseTable;
import dev.dibs.internal.sql.run.Database;
import dev.dibs.internal.sql.run.Params;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Another caller acts between any two steps of a caller that uses a token or a code: it is used once. */
@Tag("steps")
class TokenBetweenStepsContract extends Fixture {

    static final Duration PATIENCE = Duration.ofSeconds(20);

    /** What another caller does with the token of the subject, or how the two ended. */
    private interface Other {
        void with(Database theirs, String subject, List<String> ended) throws Exception;
    }

    private void meanwhile(String issue, String use, Other other, Other check) throws Exception {
        BetweenSteps steps = closing(new BetweenSteps(this));
        Database mine = asked(steps.stepped, "dibs_");
        Database theirs = asked(steps.impatient, "dibs_");
        List<String> ended = new ArrayList<>();
        steps.each(use, () -> {
            ended.clear();
            String subject = fresh("used");
            theirs.call(issue, params(subject, STRANGER), PATIENCE);
            return new Scene(
                    () -> ended.addAll(uses(mine, use, subject, OWNER)),
                    () -> other.with(theirs, subject, ended),
                    () -> check.with(theirs, subject, ended));
        });
    }

    @ParameterizedTest
    @CsvSource({"issue_token, consume_token", "issue_code, try_code"})
    void betweenStepsATokenOrACodeIsUsedByOne(String issue, String use) throws Exception {
        meanwhile(
                issue,
                use,
                (theirs, subject, users) -> users.addAll(uses(theirs, use, subject, STRANGER)),
                (theirs, subject, users) -> {
                    assertThat(users).hasSize(1);
                    assertThat(owners(theirs, "peek_token", subject, OWNER)).containsExactlyElementsOf(users);
                });
    }

    @Test
    void betweenStepsATokenIsUsedOrRevoked() throws Exception {
        meanwhile(
                "issue_token",
                "consume_token",
                (theirs, subject, ended) -> {
                    if (theirs.call("revoke_token", params(subject, STRANGER), PATIENCE)
                            .hit()) {
                        ended.add("revoked");
                    }
                },
                (theirs, subject, ended) -> assertThat(ended).hasSize(1));
    }

    /** On a database that changes the row and reads it by two statements, a purge may come in between. */
    @Test
    void betweenStepsAUsedTokenIsNotPurged() throws Exception {
        meanwhile(
                "issue_token",
                "consume_token",
                (theirs, subject, users) -> theirs.call("purge_tokens", params(subject, STRANGER), PATIENCE),
                (theirs, subject, users) -> assertThat(users).containsExactly(OWNER));
    }

    /** The user of the token, if that is the caller. */
    private static List<String> uses(Database by, String statement, String subject, String owner) throws Exception {
        return owners(by, statement, subject, owner).contains(owner) ? List.of(owner) : List.of();
    }

    private static List<String> owners(Database by, String statement, String subject, String owner) throws Exception {
        return by.call(statement, params(subject, owner), PATIENCE, LeaseTable::owner)
                .rows();
    }

    private static Params params(String subject, String owner) {
        byte[] digest = Arrays.copyOf(subject.getBytes(StandardCharsets.UTF_8), 32);
        return Params.of("purpose", "between")
                .with("subject", subject)
                .with("digest", digest)
                .with("id", subject)
                .with("payload", "none")
                .with("ttl", 600_000)
                .with("window", 600_000)
                .with("tries", 3)
                .with("retention", 0)
                .with("batch", 100)
                .with("since", 0)
                .with("owner", owner)
                .with("attempt", owner);
    }
}
