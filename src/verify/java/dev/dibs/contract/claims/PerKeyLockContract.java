package dev.dibs.contract.claims;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.JumpingClock;
import dev.dibs.claims.Claim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.database.FaultyDataSource;
import java.sql.Connection;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A claim per key waits for no row that another transaction has locked. */
class PerKeyLockContract extends ContractFixture {

    /** On all databases but PostgreSQL a claim may mark rows in several transactions. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aClaimWhoseAnswerWasLostLeavesNoRowMarked(boolean besides) throws Exception {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        PerKeyTable table = closing(new PerKeyTable(pool(), "bigint"));
        table.add("7", 1);
        table.add("8", 1);
        RowClaims<RowKey> claims =
                table.claims(dibs(faulty), besides).perKey("customer", 1).build();
        faulty.on(sql -> sql.equals("COMMIT") || (sql.contains("turns_") && !sql.contains("row_number")))
                .loseAnswer();
        try (Claim<RowKey> claim = claims.claim(2)) {
            assertThat(claim.size()).isEqualTo(2);
        } catch (DatabaseFailureException e) {
            assertThat(e).hasMessageContaining("its token is");
        }
        assertThat(faulty.struck()).hasSize(1);
        Awaitility.await().until(() -> claims.claim(2).size() == 2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theOtherCustomersGetTheirTurn(boolean besides) throws Exception {
        assumeRowLocks();
        PerKeyTable table = closing(new PerKeyTable(pool(), "bigint"));
        table.add("7", 2);
        table.add("8", 2);
        RowClaims<RowKey> claims =
                table.claims(dibs(impatient()), besides).perKey("customer", 1).build();
        Connection other = transaction();
        table.lock(other, 1);
        assertThat(claims.claim(10).keys()).containsExactly(RowKey.of(3));
        other.rollback();
        assertThat(claims.claim(10).keys()).containsExactly(RowKey.of(1));
    }

    /** Another caller with the same token claims after the look. The answers of some databases have its rows. */
    @Test
    void theLeaseOfAChosenTokenCountsFromBeforeTheLook() throws Exception {
        PerKeyTable table = closing(new PerKeyTable(pool(), "bigint"));
        table.add("7", 1);
        JumpingClock clock = JumpingClock.standing();
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Dibs dibs = closing(clock.by(builder(faulty)).build());
        RowClaims<RowKey> claims =
                table.claims(dibs, false).perKey("customer", 1).build();
        RowClaims<RowKey> others =
                table.claims(dibs(), false).perKey("customer", 1).build();
        String token = RowClaims.newToken();
        faulty.on(PerKeySearchContract::searches).actAfter(() -> {
            Claim<RowKey> unused = others.claim(token, 1);
            clock.jump(Duration.ofMinutes(6));
            return null;
        });
        Claim<RowKey> claim = claims.claim(token, 1);
        clock.jump(Duration.ofMinutes(6));
        assertThat(claim.keys()).noneMatch(claim::isHeld);
    }
}
