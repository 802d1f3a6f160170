package dev.dibs.cdi.quarkus;

import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many callers of a method without a lease over a pool with few connections: none waits for another one that waits for it. */
@Tag("flow")
@QuarkusTest
@TestProfile(SmallPoolTest.Profile.class)
class SmallPoolTest {

    private static final int CALLERS = 40;
    private static final int FIRST = 1_000;

    /** One connection for all. */
    public static final class Profile implements QuarkusTestProfile {

        @Override
        public Map<String, String> getConfigOverrides() {
            return Map.of(
                    "quarkus.datasource.jdbc.max-size", "1",
                    "quarkus.datasource.jdbc.acquisition-timeout", "30s",
                    "quarkus.datasource.jdbc.url", "jdbc:h2:mem:small;DB_CLOSE_DELAY=-1");
        }
    }

    @Inject
    Ledger ledger;

    @Test
    void everyCallerHasItsTurn() throws Exception {
        for (int i = 0; i <= CALLERS; i++) {
            ledger.create(FIRST + i);
        }
        atOnce(caller -> FIRST + caller);
        atOnce(caller -> FIRST + caller);
        for (int i = 0; i < CALLERS; i++) {
            assertThat(ledger.state(FIRST + i)).startsWith("2 of ");
        }
        atOnce(caller -> FIRST + CALLERS);
        assertThat(ledger.state(FIRST + CALLERS)).isEqualTo(CALLERS + " of " + CALLERS);
    }

    private void atOnce(IntUnaryOperator account) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
        try {
            List<Future<?>> calls = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                int mine = account.applyAsInt(i);
                calls.add(threads.submit(() -> add(mine)));
            }
            for (Future<?> call : calls) {
                call.get(5, TimeUnit.MINUTES);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private Void add(int account) throws SQLException {
        ledger.addWithoutALease(account);
        return null;
    }
}
