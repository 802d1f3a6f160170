package dev.dibs.contract.claims;

import static org.awaitility.Awaitility.await;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.JumpingClock;
import dev.dibs.claims.Claim;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.NextClaim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.database.CountingDataSource;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullRun;
import dev.dibs.database.Sql;
import dev.dibs.database.Trait;
import dev.dibs.runs.RunWorkers;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A claim per key that passes thousands of keys whose rows wait. By the clock of its instance each search takes so long that a claim has time
 * for a few only.
 */
@FullRun(except = "postgresql")
class PerKeySearchContract extends ContractFixture {
    private static final Duration SEARCH = Duration.ofMillis(300);
    private static final int WAITING = 5_000;
    /** A claim sends a search, others for 500 ms, and further ones only if these pass few keys. */
    private static final int SEARCHES = 6;

    private static final int CALLS = 40;
    private static final int KEYS_OF_A_SEARCH = 1_001;
    /** Of each customer with free rows. */
    private static final int ROWS = 4;

    static boolean searches(String sql) {
        return sql.contains("row_number") || sql.contains("dibs_groups");
    }

    /** Customers whose rows wait, and those whose rows are free: none, one before the others, and two behind them. */
    private final class Scene {
        final PerKeyTable table = closing(new PerKeyTable(pool(), "bigint"));
        final JumpingClock clock = JumpingClock.standing();
        final CountingDataSource counting = new CountingDataSource(pool());
        final FaultyDataSource faulty = new FaultyDataSource(counting);
        final Dibs dibs = closing(clock.by(builder(faulty)).build());
        final RowClaims<RowKey> claims;
        /** Those of another process remember a place of their own. */
        final RowClaims<RowKey> others;

        Scene(boolean besides, String... free) throws SQLException {
            ClaimsBuilder builder = table.claims(dibs, besides).perKey("customer", 1);
            RowClaims<RowKey> unused = builder.build();
            table.addWaiting(WAITING, besides);
            for (String customer : free) {
                table.add(customer, ROWS);
            }
            table.run(database().analyze(table.name()));
            claims = builder.build();
            others = builder.build();
            faulty.on(PerKeySearchContract::searches).always().actAfter(() -> clock.jump(SEARCH));
        }

        long searches() {
            return counting.statements().stream()
                    .filter(PerKeySearchContract::searches)
                    .count();
        }

        /** Claims until there is a row. Returns how many claims that took. */
        int find(RowKey expected) {
            for (int calls = 1; calls < CALLS; calls++) {
                Claim<RowKey> claim = claims.claim(1);
                if (!claim.isEmpty()) {
                    assertThat(claim.complete().done()).containsExactly(expected);
                    return calls;
                }
                assertThat(claim.hasSearchedAll()).isFalse();
            }
            throw new AssertionError("no claim has found the row");
        }
    }

    /** The first of the free rows behind the waiting ones is done. */
    private Scene begun(boolean besides) throws SQLException {
        Scene scene = new Scene(besides, LAST);
        scene.find(free(1));
        return scene;
    }

    private static RowKey free(int number) {
        return RowKey.of(WAITING + number);
    }

    private static final String LAST = String.valueOf(WAITING + 1);

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFreeKeyBehindThousandsOfWaitingOnesIsFoundStepByStep(boolean besides) throws Exception {
        Scene scene = begun(besides);
        for (int row = 2; row <= ROWS; row++) {
            scene.counting.reset();
            int calls = scene.find(free(row));
            assertThat(calls).isGreaterThan(1);
            assertThat(scene.searches())
                    .isLessThanOrEqualTo((long) calls * SEARCHES)
                    .isGreaterThanOrEqualTo(WAITING / KEYS_OF_A_SEARCH);
        }
        int all = 0;
        scene.counting.reset();
        while (!scene.claims.claim(1).hasSearchedAll()) {
            assertThat(++all).isLessThan(CALLS);
        }
        assertThat(scene.searches()).isGreaterThanOrEqualTo(WAITING / KEYS_OF_A_SEARCH);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void threadsThatClaimUntilAllIsSearchedGetEachFreeRow(boolean besides) throws Exception {
        Scene scene = new Scene(besides, "0", "NULL", LAST, "-7");
        Set<RowKey> done = ConcurrentHashMap.newKeySet();
        inThreads(3, number -> {
            int calls = 0;
            boolean isLast = false;
            while (!isLast) {
                assertThat(++calls).isLessThan(4 * CALLS);
                Claim<RowKey> claim = (number == 0 ? scene.others : scene.claims).claim(2);
                isLast = claim.isEmpty() && claim.hasSearchedAll();
                claim.complete().done().forEach(key -> assertThat(done.add(key)).isTrue());
            }
        });
        // Another thread may have completed the row that held back the last ones.
        while (done.size() < 4 * ROWS) {
            done.addAll(scene.claims.claim(4).complete().done());
        }
    }

    @Test
    void aLateAnswerDoesNotSetTheSearchBack() throws Exception {
        Scene scene = begun(false);
        // It asks for more rows at a time.
        scene.find(free(2));
        int calls = scene.find(free(3));
        assertThat(calls).isGreaterThan(1);
        CountDownLatch isSent = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        List<Claim<RowKey>> late = Collections.synchronizedList(new ArrayList<>());
        scene.faulty.on(PerKeySearchContract::searches).actAfter(() -> {
            isSent.countDown();
            return gate.await(1, TimeUnit.MINUTES);
        });
        Thread other = new Thread(() -> late.add(scene.claims.claim(1)));
        other.start();
        assertThat(isSent.await(1, TimeUnit.MINUTES)).isTrue();
        for (int call = 1; call < calls; call++) {
            assertThat(scene.claims.claim(1).isEmpty()).isTrue();
        }
        gate.countDown();
        other.join();
        assertThat(scene.claims.claim(1).keys()).containsExactly(free(4));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theLeaseCountsFromTheStatementThatFindsTheRow(boolean besides) throws Exception {
        Scene scene = begun(besides);
        scene.counting.reset();
        scene.find(free(2));
        long searches = scene.searches();
        scene.counting.reset();
        scene.faulty.heal();
        scene.faulty.on(PerKeySearchContract::searches).actAfter(() -> scene.clock.jump(Duration.ofMinutes(10)));
        Claim<RowKey> claim = scene.claims.claim(1);
        assertThat(claim.keys()).containsExactly(free(3)).allMatch(claim::isHeld);
        // A row that counts as late is released, and a further search must find it.
        assertThat(scene.searches()).isLessThanOrEqualTo(searches + 1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCompletionIsCommittedBeforeTheSearchGoesOn(boolean besides) throws Exception {
        Scene scene = begun(besides);
        scene.faulty.heal();
        Claim<RowKey> second = scene.claims.claim(1);
        assertThat(second.keys()).containsExactly(free(2));
        List<Long> open = Collections.synchronizedList(new ArrayList<>());
        scene.faulty
                .on(PerKeySearchContract::searches)
                .time(2)
                .always()
                .actBefore(() -> open.add(Sql.on(pool())
                        .number("SELECT count(*) FROM " + scene.table.name() + " WHERE done_at IS NULL AND id > "
                                + WAITING)));
        NextClaim<RowKey> next = second.completeAndClaim(1);
        assertThat(next.completed().isComplete()).isTrue();
        assertThat(next.next().keys()).containsExactly(free(3));
        assertThat(open).isNotEmpty().allMatch(rows -> rows == ROWS - 2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aClaimInATransactionOfTheCallerIsBoundedToo(boolean besides) throws Exception {
        Scene scene = begun(besides);
        Connection connection = closing(scene.faulty.getConnection());
        connection.setAutoCommit(false);
        int calls = 0;
        Claim<RowKey> claim = scene.claims.claim(connection, 1);
        assertThat(claim.isEmpty()).isTrue();
        while (claim.isEmpty()) {
            assertThat(claim.hasSearchedAll()).isFalse();
            assertThat(++calls).isLessThan(CALLS);
            claim = scene.claims.claim(connection, RowClaims.newToken(), 1);
        }
        assertThat(claim.keys()).containsExactly(free(2));
        connection.rollback();
        scene.find(free(2));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aLostAnswerWithinASearchLeavesNothingBehind(boolean besides) throws Exception {
        Scene scene = begun(besides);
        scene.faulty.on(PerKeySearchContract::searches).time(2).loseAnswer();
        scene.faulty.on(PerKeySearchContract::searches).time(4).loseStatement();
        scene.faulty.on(PerKeySearchContract::searches).time(6).fail("40001", 1213);
        String token = RowClaims.newToken();
        Claim<RowKey> claim = null;
        for (int calls = 0; claim == null || claim.isEmpty(); calls++) {
            assertThat(calls).isLessThan(CALLS);
            try {
                claim = scene.claims.claim(token, 1);
            } catch (DatabaseFailureException e) {
                assertThat(e).hasMessageContaining(token);
            }
        }
        assertThat(claim.keys()).containsExactly(free(2));
        assertThat(scene.claims.claim(token, 1).complete().done()).containsExactly(free(2));
        scene.find(free(3));
    }

    /** The statement that finds the row has its answer lost. */
    @Test
    void aRowWhoseAnswerIsLostInTheMiddleOfASearchIsFoundByItsToken() throws Exception {
        Scene scene = begun(false);
        scene.faulty.heal();
        scene.faulty
                .on(sql -> sql.contains(scene.table.name()) && sql.contains("UPDATE"))
                .time((WAITING / KEYS_OF_A_SEARCH) + 1)
                .loseAnswer();
        List<RowKey> found = new ArrayList<>();
        for (int calls = 0; calls < CALLS && found.isEmpty(); calls++) {
            try {
                found.addAll(scene.claims.claim(1).complete().done());
            } catch (DatabaseFailureException e) {
                assertThat(e).hasMessageContaining("its token is");
            }
        }
        assertThat(found).containsExactly(free(2));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRunGoesOnAtOnce(boolean besides) throws Exception {
        Scene scene = begun(besides);
        AtomicInteger worked = new AtomicInteger();
        try (RunWorkers<RowKey> workers = scene.dibs
                .run(fresh("search"))
                .over(scene.claims)
                .batch(1)
                .pollEvery(Duration.ofHours(1))
                .work(key -> worked.incrementAndGet())
                .start()) {
            await().until(() -> worked.get() == ROWS - 1);
            assertThat(workers.run().errors(5)).isEmpty();
        }
    }

    @Test
    void aFreeRowThatIsLockedDoesNotKeepASearchFromItsEnd() throws Exception {
        assumeRowLocks();
        Scene scene = begun(false);
        Connection other = transaction();
        scene.table.lock(other, WAITING + 2);
        for (int rounds = 0; rounds < 2; rounds++) {
            scene.counting.reset();
            int calls = 1;
            Claim<RowKey> none = scene.claims.claim(1);
            while (!none.hasSearchedAll()) {
                assertThat(none.isEmpty()).isTrue();
                assertThat(++calls).isLessThan(CALLS);
                none = scene.claims.claim(1);
            }
            assertThat(none.isEmpty()).isTrue();
            assertThat(scene.searches()).isLessThanOrEqualTo((long) calls * SEARCHES);
        }
        other.rollback();
        scene.find(free(2));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFreeKeyIsFoundAnywhereAmongKeysOfSeveralColumns(boolean besides) throws Exception {
        PerKeyTable table = closing(new PerKeyTable(pool(), "bigint"));
        List<String> values = Stream.concat(
                        Stream.of("NULL"), IntStream.rangeClosed(1, 45).mapToObj(String::valueOf))
                .toList();
        List<String> keys = new ArrayList<>();
        values.forEach(one -> values.forEach(other -> keys.add(one + ", " + other)));
        findsEach(
                table,
                List.of("customer", "region"),
                besides,
                keys,
                List.of("NULL, NULL", "45, 45", "NULL, 45", "45, NULL", "23, 1", "1, 44", "99, NULL", "NULL, 99"));
    }

    @Test
    void aFreeKeyIsFoundAnywhereAmongTextsAndDecimalNumbers() throws Exception {
        List<String> texts = IntStream.range(0, 2_500)
                .mapToObj(i -> "'" + (i % 2 == 0 ? "m" : "M") + i + "', NULL")
                .toList();
        findsEach(
                closing(new PerKeyTable(pool(), "varchar(20)")),
                List.of("customer"),
                false,
                texts,
                List.of("'m0', NULL", "'m2498', NULL", "'M999', NULL", "'z', NULL", "'', 1", "NULL, 1"));
        if (database().has(Trait.KEEPS_TYPES)) {
            List<String> numbers = IntStream.range(0, 2_500)
                    .mapToObj(i -> (i - 1_200) + ".25, NULL")
                    .toList();
            findsEach(
                    closing(new PerKeyTable(pool(), "decimal(12, 2)")),
                    List.of("customer"),
                    false,
                    numbers,
                    List.of("-1200.25, 1", "1299.25, 1", "0.25, 1", "-5000, 1", "7000.5, 1"));
        }
    }

    /** A row comes before the one that waits, if there is one. */
    private void findsEach(
            PerKeyTable table, List<String> columns, boolean besides, List<String> waiting, List<String> free)
            throws Exception {
        RowClaims<RowKey> claims =
                table.claims(here(), besides).perKey(columns, 1).build();
        table.addWaiting(waiting, besides);
        table.run(database().analyze(table.name()));
        long id = 0;
        for (String key : free) {
            table.run("INSERT INTO " + table.name() + " (id, customer, region) VALUES (" + - ++id + ", " + key + ")");
            List<RowKey> found = new ArrayList<>();
            for (int calls = 0; calls < CALLS && found.isEmpty(); calls++) {
                found.addAll(claims.claim(3).complete().done());
            }
            assertThat(found).as(key).containsExactly(RowKey.of(-id));
        }
        Claim<RowKey> none = claims.claim(1);
        while (!none.hasSearchedAll()) {
            none = claims.claim(1);
        }
        assertThat(none.isEmpty()).isTrue();
    }
}
