package dev.dibs.contract.runs;

import dev.dibs.JumpingClock;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.contract.support.Warnings;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.Sql;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** A search for rows that a trigger keeps as they are, while others have these locked: it takes no other row for such a one. */
class RefusalRaceContract extends ContractFixture {
    private static final Duration A_MINUTE = Duration.ofSeconds(61);
    private static final int ROUNDS = 20;
    private static final int CALLERS = 4;

    /** Of these the trigger keeps the rows 1 to 5. */
    private Jobs kept(int rows) throws Exception {
        Jobs jobs = jobs(rows);
        List<List<String>> ways = database().keepsRows(jobs.table(), "NEW.done_at IS NULL");
        Assumptions.assumeFalse(ways.isEmpty(), "no trigger here changes a row silently");
        jobs.run(ways.get(0).toArray(String[]::new));
        return jobs;
    }

    /** Claims that search when the clock has jumped. */
    private RowClaims<RowKey> claims(Jobs jobs, FaultyDataSource source, JumpingClock clock) {
        return jobs.claims(closing(clock.by(builder(source)).build())).build();
    }

    private static void assertNoOtherIsAccused(Warnings warnings) {
        assertThat(warnings.heard())
                .filteredOn(line -> line.contains("pass over"))
                .flatExtracting(line -> List.of(
                        line.substring(line.indexOf('[') + 1, line.indexOf(']')).split(", ")))
                .isSubsetOf("1", "2", "3", "4", "5");
    }

    /** They are locked while the search looks for rows, and no longer when it claims them. */
    @Test
    void aRowBehindThemIsNone() throws Exception {
        assumeRowLocks();
        Jobs jobs = kept(8);
        try (Warnings warnings = new Warnings(jobs.table());
                Connection other = transaction()) {
            other.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            JumpingClock clock = new JumpingClock();
            RowClaims<RowKey> claims = claims(jobs, faulty(), clock);
            clock.jump(A_MINUTE);
            faulty().on(sql -> sql.startsWith("SELECT t.id AS dibs_key1"))
                    .here()
                    .actBefore(() -> Sql.on(other)
                            .numbers("SELECT id FROM " + jobs.table() + " WHERE id IN (1, 2, 3, 4, 5) FOR UPDATE"));
            faulty().on(sql -> sql.startsWith("SELECT t.id AS dibs_key1"))
                    .here()
                    .actAfter(() -> other.rollback());
            assertThat(claims.claim(3).keys()).hasSize(3);
            assertThat(faulty().struck()).hasSize(2);
            assertNoOtherIsAccused(warnings);
        }
    }

    @Test
    void manyCallersAtOnceTakeNoOtherForOne() throws Exception {
        Jobs jobs = kept(5 + 3 * CALLERS);
        try (Warnings warnings = new Warnings(jobs.table())) {
            JumpingClock clock = new JumpingClock();
            List<RowClaims<RowKey>> callers = new ArrayList<>();
            for (int caller = 0; caller < CALLERS; caller++) {
                callers.add(claims(jobs, new FaultyDataSource(pool()), clock));
            }
            for (int round = 0; round < ROUNDS; round++) {
                clock.jump(A_MINUTE);
                CompletableFuture<?>[] all = callers.stream()
                        .flatMap(claims -> Stream.of(claims, claims))
                        .map(claims ->
                                CompletableFuture.runAsync(() -> claims.claim(3).close()))
                        .toArray(CompletableFuture[]::new);
                CompletableFuture.allOf(all).get();
                assertNoOtherIsAccused(warnings);
            }
        }
    }
}
