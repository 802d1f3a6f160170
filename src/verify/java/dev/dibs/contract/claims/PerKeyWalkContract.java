package dev.dibs.contract.claims;

import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.dibs.Capability;
import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.JumpingClock;
import dev.dibs.claims.Claim;
import dev.dibs.claims.NextClaim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullTest;
import dev.dibs.database.SqliteDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A claim per key that goes from group to group by several statements, and then marks rows. */
class PerKeyWalkContract extends ContractFixture {
    private static final Duration LEASE_LENGTH = Duration.ofMinutes(10);

    private static boolean looks(String sql) {
        return sql.contains("row_number");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aSearchThatTakesLongerThanALeaseDoesNotShortenIt(boolean besides) throws Exception {
        JumpingClock clock = new JumpingClock();
        PerKeyTable table = closing(new PerKeyTable(pool(), "bigint"));
        table.add("7", 2);
        table.add("8", 2);
        RowClaims<RowKey> claims =
                table.perCustomer(closing(clock.by(builder(faulty())).build()), besides);
        faulty().on(PerKeyWalkContract::looks).always().actBefore(() -> clock.jump(LEASE_LENGTH));
        assertThat(claims.claim(2).keys()).containsExactlyInAnyOrder(RowKey.of(1), RowKey.of(3));
        Connection connection = closing(faulty().getConnection());
        connection.setAutoCommit(false);
        table.expire();
        int before = faulty().struck().size();
        Claim<RowKey> joined = claims.claim(connection, 2);
        boolean looked = faulty().struck().size() > before;
        assertThat(joined.keys())
                .as("the database may count from the first look")
                .hasSize(2)
                .allMatch(key -> joined.isHeld(key) != looked);
        connection.rollback();
        Claim<RowKey> next = claims.claim(2).completeAndClaim(2).next();
        assertThat(next.keys())
                .containsExactlyInAnyOrder(RowKey.of(2), RowKey.of(4))
                .allMatch(next::isHeld);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aLookWithoutAnAnswerIsSentAgain(boolean besides) throws Exception {
        PerKeyTable table = closing(new PerKeyTable(pool(), "bigint"));
        table.add("7", 3);
        table.add("8", 3);
        RowClaims<RowKey> claims = table.perCustomer(overFaulty(), besides);
        faulty().on(PerKeyWalkContract::looks).loseAnswer();
        Claim<RowKey> first = claims.claim(2);
        assertThat(first.keys()).containsExactlyInAnyOrder(RowKey.of(1), RowKey.of(4));
        // It looks behind the last customer, and then from the first one on.
        faulty().on(PerKeyWalkContract::looks).time(2).loseStatement();
        Claim<RowKey> second = first.completeAndClaim(2).next();
        assertThat(second.keys()).containsExactlyInAnyOrder(RowKey.of(2), RowKey.of(5));
        faulty().on(PerKeyWalkContract::looks).loseAnswer();
        second.complete();
        try (Claim<RowKey> third = claims.claim(RowClaims.newToken(), 2)) {
            assertThat(third.keys()).containsExactlyInAnyOrder(RowKey.of(3), RowKey.of(6));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCompletionIsKnownThoughTheNextClaimFails(boolean besides) throws Exception {
        assumeFalse(asked(pool(), "dibs_").statements().features().claimsPerKeyAtOnce(), "one statement does both");
        JumpingClock clock = new JumpingClock();
        PerKeyTable table = closing(new PerKeyTable(pool(), "bigint"));
        table.add("7", 3);
        RowClaims<RowKey> claims =
                table.perCustomer(closing(clock.by(builder(faulty())).build()), besides);
        Claim<RowKey> first = claims.claim(1);
        faulty().on(PerKeyWalkContract::looks).time(2).actBefore(() -> {
            clock.jump(LEASE_LENGTH);
            throw new SQLException("planted failure", "42501", 1142);
        });
        NextClaim<RowKey> next = first.completeAndClaim(1);
        assertThat(next.completed().isComplete()).isTrue();
        assertThat(next.next().keys()).isEqualTo(keys(2));
        faulty().on(PerKeyWalkContract::looks).time(2).always().fail("42501", 1142);
        assertFails(
                () -> next.next().completeAndClaim(1),
                "the rows [2] are completed, but the claim of the next ones failed");
        faulty().heal();
        assertThat(claims.claim(1).keys()).isEqualTo(keys(3));
    }

    @Test
    void aSearchEndsWhereItBegan() throws Exception {
        PerKeyTable table = closing(new PerKeyTable(pool(), "bigint"));
        table.addWaiting(900, false);
        table.add("0", 2);
        RowClaims<RowKey> claims = table.perCustomer(dibs(counting()), false);
        claims.claim(1).complete();
        claims.claim(1).complete();
        counting().reset();
        assertThat(claims.claim(1).isEmpty()).isTrue();
        assertThat(counting().statements().stream().filter(PerKeyWalkContract::looks))
                .as("512 rows, the rest, and the first rows")
                .hasSizeLessThanOrEqualTo(3);
    }

    /** Claims on a new claim table in which a second claim by the same token is an error. */
    private RowClaims<RowKey> clashing(FaultyDataSource faulty, boolean perKey, String prefix) throws SQLException {
        assumeTrue(
                asked(pool(), "dibs_").statements().features().completesInTransaction(),
                "elsewhere a statement that fails leaves nothing");
        PerKeyTable table = closing(new PerKeyTable(pool(), "bigint"));
        table.add("7", 1);
        table.add("8", 1);
        Dibs dibs = dibs(faulty, prefix);
        dibs.admin().createSchema(Capability.CLAIMS);
        var claims = table.claims(dibs, true);
        RowClaims<RowKey> built = perKey ? claims.perKey("customer", 1).build() : claims.build();
        sql().run("CREATE UNIQUE INDEX " + prefix + "clash ON " + prefix + "claim (token)");
        return built;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCollisionInTheClaimTableLeavesNoRowClaimed(boolean perKey) throws Exception {
        String prefix = ownPrefix();
        RowClaims<RowKey> claims = clashing(faulty(), perKey, prefix);
        faulty().on(sql -> sql.contains("MERGE INTO " + prefix + "claim"))
                .time(2)
                .actBefore(() -> sql().change("DROP INDEX " + prefix + "clash"));
        assertThat(claims.claim(2).size()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCollisionInATransactionOfTheCallerIsReported(boolean perKey) throws Exception {
        RowClaims<RowKey> claims = clashing(new FaultyDataSource(pool()), perKey, ownPrefix());
        Connection connection = transaction();
        assertFails(() -> claims.claim(connection, 2));
        connection.rollback();
    }

    /** Programs that run for a short time, each of which claims one row. */
    @FullTest
    void newBuildsReachEachCustomer() throws Exception {
        String numbers = database() instanceof SqliteDatabase ? "bigint" : "decimal(10, 2)";
        for (String type : List.of("varchar(20)", numbers)) {
            PerKeyTable table = closing(new PerKeyTable(pool(), type));
            for (int customer = 1; customer <= 3; customer++) {
                table.add(type.startsWith("varchar") ? "'" + "abc".charAt(customer - 1) + "'" : "" + customer, "5", 1);
            }
            Set<RowKey> first = new HashSet<>();
            for (int build = 0; build < 45; build++) {
                try (Claim<RowKey> claim = table.claims(here(), false)
                        .perKey(List.of("region", "customer"), 1)
                        .build()
                        .claim(1)) {
                    first.addAll(claim.keys());
                }
            }
            assertThat(first).as(type).hasSize(3);
        }
    }

    /** On all databases but PostgreSQL a claim may mark rows in several transactions. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aClaimWhoseAnswerWasLostLeavesNoRowMarked(boolean besides) throws Exception {
        PerKeyTable table = closing(new PerKeyTable(pool(), "bigint"));
        table.add("7", 1);
        table.add("8", 1);
        RowClaims<RowKey> claims = table.perCustomer(overFaulty(), besides);
        faulty().on(sql -> sql.equals("COMMIT") || (sql.contains("turns_") && !sql.contains("row_number")))
                .loseAnswer();
        try (Claim<RowKey> claim = claims.claim(2)) {
            assertThat(claim.size()).isEqualTo(2);
        } catch (DatabaseFailureException e) {
            assertThat(e).hasMessageContaining("its token is");
        }
        assertThat(faulty().struck()).hasSize(1);
        Awaitility.await().until(() -> claims.claim(2).size() == 2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theOtherCustomersGetTheirTurn(boolean besides) throws Exception {
        assumeRowLocks();
        PerKeyTable table = closing(new PerKeyTable(pool(), "bigint"));
        table.add("7", 2);
        table.add("8", 2);
        RowClaims<RowKey> claims = table.perCustomer(dibs(impatient()), besides);
        Connection other = transaction();
        table.lock(other, 1);
        assertThat(claims.claim(10).keys()).isEqualTo(keys(3));
        other.rollback();
        assertThat(claims.claim(10).keys()).isEqualTo(keys(1));
    }

    /** Another caller with the same token claims after the look. The answers of some databases have its rows. */
    @Test
    void theLeaseOfAChosenTokenCountsFromBeforeTheLook() throws Exception {
        PerKeyTable table = closing(new PerKeyTable(pool(), "bigint"));
        table.add("7", 1);
        JumpingClock clock = JumpingClock.standing();
        RowClaims<RowKey> claims =
                table.perCustomer(closing(clock.by(builder(faulty())).build()), false);
        RowClaims<RowKey> others = table.perCustomer(dibs(), false);
        String token = RowClaims.newToken();
        faulty().on(PerKeySearchContract::searches).actAfter(() -> {
            Claim<RowKey> unused = others.claim(token, 1);
            clock.jump(Duration.ofMinutes(6));
        });
        Claim<RowKey> claim = claims.claim(token, 1);
        clock.jump(Duration.ofMinutes(6));
        assertThat(claim.keys()).noneMatch(claim::isHeld);
    }
}
