package dev.dibs.contract.claims;

import static org.awaitility.Awaitility.await;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.claims.Claim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.database.FullRun;
import dev.dibs.database.FullTest;
import dev.dibs.database.KeyType;
import dev.dibs.runs.RunWorkers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Groups of each type and of several columns take turns, and each one's rows go in the order that was asked for, in a run, too. */
@FullRun(except = "postgresql")
class KeyGroupContract extends ContractFixture {
    private static final boolean[] WAYS = {false, true};

    @Test
    void eachGroupOfSeveralColumnsIsServedInOrder() throws Exception {
        List<String> values = List.of("NULL", "1", "2", "3");
        for (boolean besides : WAYS) {
            for (int n : List.of(1, 3, 50)) {
                PerKeyTable table = closing(new PerKeyTable(pool(), "bigint"));
                Dibs dibs = dibs();
                List<Integer> groupOf = new ArrayList<>();
                for (int group = 0; group < 16; group++) {
                    int jobs = 1 + (group * 7) % 12;
                    table.add(values.get(group / 4), values.get(group % 4), jobs);
                    groupOf.addAll(Collections.nCopies(jobs, group));
                }
                RowClaims<RowKey> claims = table.claims(dibs, besides)
                        .perKey(List.of("customer", "region"), 2)
                        .build();
                List<Long> next = new ArrayList<>(Collections.nCopies(16, 0L));
                int done = 0;
                for (Claim<RowKey> claim = claims.claim(n); !claim.isEmpty(); claim = claims.claim(n)) {
                    Map<Integer, Integer> together = new HashMap<>();
                    for (RowKey key : claim.keys().stream()
                            .sorted(Comparator.comparing(RowKey::asLong))
                            .toList()) {
                        int group = groupOf.get((int) key.asLong() - 1);
                        assertThat(together.merge(group, 1, Integer::sum)).isLessThanOrEqualTo(2);
                        assertThat(key.asLong()).isGreaterThan(next.set(group, key.asLong()));
                    }
                    done += claim.complete().done().size();
                }
                assertThat(done).as("rows done, %s at once", n).isEqualTo(groupOf.size());
            }
        }
    }

    @Test
    void aGroupThatNeverEndsLetsTheOthersPass() throws Exception {
        for (boolean besides : WAYS) {
            PerKeyTable table = closing(new PerKeyTable(pool(), "bigint"));
            table.add("1", "5", 1);
            table.add("1", "6", 1);
            table.add("2", "1", 1);
            RowClaims<RowKey> claims = table.claims(here(), besides)
                    .perKey(List.of("customer", "region"), 1)
                    .build();
            Set<Long> customers = new HashSet<>();
            for (int i = 0; i < 5; i++) {
                Claim<RowKey> claim = claims.claim(1);
                customers.add(table.customer(claim.keys().get(0)));
                table.add("1", "6", 1);
                claim.complete();
            }
            assertThat(customers).containsExactlyInAnyOrder(1L, 2L);
        }
    }

    @FullTest
    void customersOfEachTypeTakeTurns() throws Exception {
        KeyTypeContract.createTypes(this);
        for (KeyType type : database().keys().types()) {
            if (type.names().isEmpty()) {
                continue;
            }
            PerKeyTable table = closing(new PerKeyTable(pool(), type.type()));
            boolean isLabel = type.type().matches("(enum|set)\\(.*");
            // More rows than a claim looks at, so that it must find the next customer.
            int jobs = isLabel ? 100 : 3;
            for (String value : type.values()) {
                table.add(value, jobs);
            }
            int groups = type.values().size();
            RowClaims<RowKey> claims;
            try {
                claims = table.perCustomer(here(), false);
            } catch (DatabaseFailureException e) {
                assertThat(e).hasMessageContaining("cannot be a column of perKey(..)");
                assertThat(isLabel).as(type.type()).isTrue();
                continue;
            }
            List<RowKey> first = new ArrayList<>();
            for (int i = 0; i < groups; i++) {
                first.addAll(claims.claim(1).keys());
            }
            assertThat(first).as(type.type()).hasSize(groups).allMatch(key -> key.asLong() % jobs == 1);
            assertThat(claims.claim(1).isEmpty()).as(type.type()).isTrue();
        }
    }

    @Test
    void theRowsOfACustomerGoInTheOrderThatWasAskedAndEqualOnesByTheirKey() throws Exception {
        for (boolean besides : WAYS) {
            PerKeyTable table = closing(new PerKeyTable(pool(), "bigint"));
            table.add("7", "1", 2);
            table.add("7", "2", 2);
            table.add("8", "2", 1);
            RowClaims<RowKey> claims = table.claims(dibs(), besides)
                    .orderBy("region DESC")
                    .perKey("customer", 1)
                    .build();
            List<RowKey> done = new ArrayList<>();
            for (Claim<RowKey> claim = claims.claim(1); !claim.isEmpty(); claim = claims.claim(1)) {
                done.addAll(claim.complete().done());
            }
            done.remove(RowKey.of(5));
            assertThat(done).isEqualTo(keys(3, 4, 1, 2));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRowThatIsTriedAgainHoldsItsCustomerBack(boolean besides) throws Exception {
        PerKeyTable table = closing(new PerKeyTable(pool(), "bigint"));
        table.add("7", 3);
        Queue<Long> worked = new ConcurrentLinkedQueue<>();
        try (RunWorkers<RowKey> workers = here().run(fresh("turn"))
                .over(table.perCustomer(here(), besides))
                .threads(2)
                .backoff(Duration.ofMillis(50), Duration.ofMillis(50))
                .workInTransaction((key, connection) -> {
                    worked.add(key.asLong());
                    failIf(worked.size() < 3);
                })
                .start()) {
            await().until(() -> worked.size() == 5);
        }
        assertThat(worked).containsExactly(1L, 1L, 1L, 2L, 3L);
    }
}
