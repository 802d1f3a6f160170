package dev.dibs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.internal.sql.Database;
import dev.dibs.internal.sql.Features.Together;
import dev.dibs.internal.sql.Params;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Of many tokens that are consumed in a batch, uncertain ones get no answer. */
@Tag("contract")
class TokenAnswerContract extends Fixture {

    @Test
    void aTokenThatIsLockedIsNotAnsweredWithOthers() throws Exception {
        Duration limit = Duration.ofSeconds(20);
        try (Connection other = pool().getConnection();
                PreparedStatement lock =
                        other.prepareStatement("UPDATE dibs_token SET replays = replays WHERE purpose = ?")) {
            Database database = asked(pool(), "dibs_");
            Assumptions.assumeFalse(
                    database.statements().features().tokensTogether() == Together.ONE_BY_ONE,
                    "there is no such statement");
            String purpose = fresh("locked");
            byte[] digest = new byte[32];
            database.call(
                    "issue_token",
                    Params.of("purpose", purpose)
                            .with("digest", digest)
                            .with("id", "id")
                            .with("subject", "somebody")
                            .with("payload", "none")
                            .with("ttl", 600_000),
                    limit);
            Params consume = Params.none()
                    .withTokens(
                            List.of(purpose),
                            List.of(digest),
                            List.of(StrangerContract.OWNER),
                            List.of(StrangerContract.OWNER));
            other.setAutoCommit(false);
            lock.setString(1, purpose);
            assertThat(lock.executeUpdate()).isEqualTo(1);
            assertThat(database.call("consume_each_token", consume, limit, row -> row.getString("asker"))
                            .rows())
                    .isEmpty();
            other.rollback();
            other.setAutoCommit(true);
            assertThat(database.call("consume_each_token", consume, limit, row -> row.getString("ended"))
                            .rows())
                    .containsExactly("used");
        }
    }
}
