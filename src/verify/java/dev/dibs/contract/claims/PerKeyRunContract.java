package dev.dibs.contract.claims;

import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.database.FullRun;
import dev.dibs.runs.RunWorkers;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A run over claims per key. */
@FullRun(except = "postgresql")
class PerKeyRunContract extends ContractFixture {

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRowThatIsTriedAgainHoldsItsCustomerBack(boolean besides) throws Exception {
        PerKeyTable table = closing(new PerKeyTable(pool(), "bigint"));
        Dibs dibs = dibs();
        table.add("7", 3);
        Queue<Long> worked = new ConcurrentLinkedQueue<>();
        try (RunWorkers<RowKey> workers = dibs.run(fresh("turn"))
                .over(table.claims(dibs, besides).perKey("customer", 1).build())
                .threads(2)
                .backoff(Duration.ofMillis(50), Duration.ofMillis(50))
                .workInTransaction((key, connection) -> {
                    worked.add(key.asLong());
                    if (worked.size() < 3) {
                        throw new IllegalStateException("meant to fail");
                    }
                })
                .start()) {
            await().until(() -> worked.size() == 5);
        }
        assertThat(worked).containsExactly(1L, 1L, 1L, 2L, 3L);
    }
}
