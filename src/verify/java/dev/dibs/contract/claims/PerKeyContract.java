package dev.dibs.contract.claims;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.Finding.Level;
import dev.dibs.claims.Claim;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.database.FullRun;
import dev.dibs.internal.sql.files.Features;
import dev.dibs.runs.RunWorkers;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Rows of a customer in their order, not too many of them at a time, and customers by turns. */
@FullRun(except = "postgresql")
class PerKeyContract extends ContractFixture {
    private static final boolean[] WAYS = {false, true};

    private interface Scene {
        void run(PerKeyTable table, RowClaims<RowKey> claims, boolean besides) throws Exception;
    }

    private void inBothWays(int most, Scene scene) throws Exception {
        for (boolean besides : WAYS) {
            PerKeyTable table = closing(new PerKeyTable(pool(), "bigint"));
            Dibs dibs = dibs();
            scene.run(
                    table, table.claims(dibs, besides).perKey("customer", most).build(), besides);
        }
    }

    @Test
    void aCustomerHasOneRowInWorkAndTheOldestFirst() throws Exception {
        inBothWays(1, (table, claims, besides) -> {
            table.add("7", 3);
            table.add("8", 1);
            Claim<RowKey> first = claims.claim(10);
            assertThat(first.keys()).containsExactlyInAnyOrder(RowKey.of(1), RowKey.of(4));
            first.complete(keys(4));
            assertThat(claims.claim(10).isEmpty()).isTrue();
            first.complete();
            Claim<RowKey> second = claims.claim(10);
            assertThat(second.keys()).isEqualTo(keys(2));
            assertThat(second.completeAndClaim(5).next().keys()).isEqualTo(keys(3));
        });
    }

    @Test
    void aCustomerHasAsManyRowsInWorkAsItMay() throws Exception {
        inBothWays(3, (table, claims, besides) -> {
            table.add("7", 9);
            Claim<RowKey> two = claims.claim(2);
            assertThat(two.keys()).isEqualTo(keys(1, 2));
            Claim<RowKey> third = claims.claim(10);
            assertThat(third.keys()).isEqualTo(keys(3));
            assertThat(claims.claim(10).isEmpty()).isTrue();
            two.complete(keys(2));
            assertThat(claims.claim(10).keys()).isEqualTo(keys(4));
            third.release(third.keys());
            assertThat(claims.claim(10).keys()).isEqualTo(keys(3));
        });
    }

    @Test
    void customersTakeTurns() throws Exception {
        inBothWays(1, (table, claims, besides) -> {
            table.add("50", 400);
            for (int i = 1; i <= 20; i++) {
                table.add(String.valueOf(i * 5), 2);
            }
            Set<Long> served = new HashSet<>();
            for (int i = 0; i < 20; i++) {
                Claim<RowKey> claim = claims.claim(1);
                assertThat(served.add(table.customer(claim.keys().get(0)))).isTrue();
                claim.complete();
            }
            assertThat(claims.claim(30).size()).isEqualTo(20);
        });
    }

    @Test
    void aSetUpThatCannotKeepTheLimitIsRefused() throws Exception {
        Jobs jobs = jobs(1);
        assertRejected(() -> jobs.ranges(here()).perKey("what", 1).build(), "perKey(..) does not go with ranges(..)");
        assertFails(() -> jobs.claims(here()).perKey("nowhere", 1).build(), "has no column nowhere");
        assertRejected(() -> jobs.claims(here()).perKey("what", 0));
        assertRejected(() -> jobs.claims(here()).perKey(List.of(), 1));
        assertRejected(() -> jobs.claims(here()).skipDead());
    }

    @Test
    void connectionsThatReadUncommittedRowsAreRefused() throws Exception {
        Features features = asked(pool(), "dibs_").statements().features();
        assumeFalse(features.claimsPerKeyAtOnce(), "one statement sees one state");
        assumeFalse(features.needsReadCommitted(), "Dibs sets the isolation");
        PerKeyTable table = closing(new PerKeyTable(pool(), "bigint"));
        HikariDataSource dirty =
                closing(database().pool(config -> config.setTransactionIsolation("TRANSACTION_READ_UNCOMMITTED")));
        Dibs dibs = dibs(dirty);
        try (Connection connection = dirty.getConnection()) {
            assumeTrue(connection.getTransactionIsolation() == Connection.TRANSACTION_READ_UNCOMMITTED);
        }
        assertFails(() -> table.perCustomer(dibs, false), "set their isolation to READ COMMITTED");
    }

    @Test
    void theDoctorAsksForAnIndexThatLeadsFromCustomerToCustomer() throws Exception {
        PerKeyTable table = closing(new PerKeyTable(pool(), "bigint"));
        RowClaims<RowKey> claims = table.claims(here(), false)
                .perKey(List.of("region", "customer"), 1)
                .build();
        assertThat(finding(claims.doctor(), "claims index"))
                .satisfies(
                        missing -> assertThat(missing.level()).isEqualTo(Level.WARNING),
                        missing -> assertThat(missing.remedy()).containsIgnoringCase("--per-key region,customer"));
        assertLevel(Level.OK, table.perCustomer(here(), true).doctor(), "claims index");
    }

    @Test
    void theNextRowOfACustomerIsClaimedInTheTransactionThatCompletesTheOneBefore() throws Exception {
        inBothWays(1, (table, claims, besides) -> {
            table.add("7", 3);
            Claim<RowKey> next = claims.claim(1).completeAndClaim(1).next();
            assertThat(next.keys()).isEqualTo(keys(2));
            Connection connection = transaction();
            next.complete(connection, next.keys());
            assertThat(claims.claim(connection, 1).keys()).isEqualTo(keys(3));
            connection.rollback();
        });
    }

    @Test
    void aClaimUnderTheCallersTokenIsTheSameWhenItIsRepeated() throws Exception {
        inBothWays(1, (table, claims, besides) -> {
            table.add("7", 2);
            table.add("8", 2);
            String token = RowClaims.newToken();
            Claim<RowKey> first = claims.claim(token, 5);
            assertThat(first.keys()).containsExactlyInAnyOrder(RowKey.of(1), RowKey.of(3));
            assertThat(claims.claim(token, 5).keys()).containsExactlyInAnyOrderElementsOf(first.keys());
            first.complete(keys(3));
            assertThat(claims.claim(token, 5).keys()).isEqualTo(keys(1));
            assertThat(claims.claim(5).keys()).isEqualTo(keys(4));
        });
    }

    @Test
    void rowsThatWaitOrAreDeadHoldTheirCustomerBack() throws Exception {
        inBothWays(1, (table, claims, besides) -> {
            table.add("7", 2);
            Claim<RowKey> claim = claims.claim(1);
            claim.postpone(claim.keys(), Duration.ofHours(1));
            assertThat(claims.claim(1).isEmpty()).isTrue();
            table.expire();
            assertThat(claims.claim(5).keys()).isEqualTo(keys(1));
        });
        for (boolean besides : WAYS) {
            for (boolean skips : WAYS) {
                PerKeyTable table = closing(new PerKeyTable(pool(), "bigint"));
                Dibs dibs = dibs();
                table.add("7", 3);
                ClaimsBuilder builder = table.claims(dibs, besides).perKey("customer", 1);
                RowClaims<RowKey> claims = (skips ? builder.skipDead() : builder).build();
                Queue<Long> worked = new ConcurrentLinkedQueue<>();
                try (RunWorkers<RowKey> workers = dibs.run(fresh("turn"))
                        .over(claims)
                        .maxAttempts(1)
                        .work(key -> {
                            worked.add(key.asLong());
                            failIf(key.asLong() == 1);
                        })
                        .start()) {
                    await().until(() -> workers.run().dead(5).size() == 1 && (!skips || worked.size() == 3));
                    assertThat(claims.claim(5).isEmpty()).isTrue();
                }
                assertThat(worked).containsExactlyElementsOf(skips ? List.of(1L, 2L, 3L) : List.of(1L));
            }
        }
    }

    @Test
    void callersAtOnceGetAllRowsThatAreFree() throws Exception {
        inBothWays(2, (table, claims, besides) -> {
            for (int customer = 1; customer <= 12; customer++) {
                table.add(String.valueOf(customer), 4);
            }
            AtomicInteger got = new AtomicInteger();
            inThreads(8, number -> {
                int size = claims.claim(3).size();
                // Beside the table, a caller may choose rows that another one has just claimed.
                assertThat(besides || size > 0).isTrue();
                got.addAndGet(size);
            });
            assertThat(got.get() + claims.claim(24).size()).isEqualTo(24);
        });
    }

    @Test
    void underLoadNoCustomerHasMoreThanItMayAndTheOrderHolds() throws Exception {
        for (int most : List.of(1, 2)) {
            inBothWays(most, (table, claims, besides) -> {
                int customers = 6;
                for (int customer = 1; customer <= customers; customer++) {
                    table.add(String.valueOf(customer), 20);
                }
                try (Dibs other = dibs()) {
                    List<RowClaims<RowKey>> instances = List.of(
                            claims,
                            claims,
                            table.claims(other, besides)
                                    .perKey("customer", most)
                                    .build());
                    Map<Long, Set<Long>> inWork = new ConcurrentHashMap<>();
                    Map<Long, List<Long>> order = new ConcurrentHashMap<>();
                    LongStream.rangeClosed(1, customers).forEach(customer -> {
                        inWork.put(customer, ConcurrentHashMap.newKeySet());
                        order.put(customer, Collections.synchronizedList(new ArrayList<>()));
                    });
                    inThreads(6, number -> work(instances.get(number % 3), new Random(number), most, inWork, order));
                    for (List<Long> done : order.values()) {
                        assertThat(done).hasSize(20).doesNotHaveDuplicates();
                        if (most == 1) {
                            assertThat(done).isSorted();
                        }
                    }
                }
            });
        }
    }

    private static void work(
            RowClaims<RowKey> claims, Random random, int most, Map<Long, Set<Long>> inWork, Map<Long, List<Long>> order)
            throws Exception {
        int empty = 0;
        while (empty < 20) {
            try (Claim<RowKey> claim = claims.claim(1 + random.nextInt(5))) {
                empty = claim.isEmpty() ? empty + 1 : 0;
                for (RowKey key : claim.keys()) {
                    long customer = (key.asLong() - 1) / 20 + 1;
                    Set<Long> now = inWork.get(customer);
                    now.add(key.asLong());
                    assertThat(now).hasSizeLessThanOrEqualTo(most);
                    boolean completes = random.nextInt(3) > 0;
                    if (completes) {
                        order.get(customer).add(key.asLong());
                    }
                    now.remove(key.asLong());
                    if (completes) {
                        assertThat(claim.complete(List.of(key)).isComplete()).isTrue();
                    } else {
                        claim.release(List.of(key));
                    }
                }
                if (claim.isEmpty()) {
                    Thread.sleep(5);
                }
            }
        }
    }
}
