package dev.dibs.cdi.quarkus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.junit.Threads;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.util.Map;
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
        for (int i = 0; i < 2; i++) {
            Threads.run(CALLERS, caller -> ledger.addWithoutALease(FIRST + caller));
        }
        for (int i = 0; i < CALLERS; i++) {
            assertThat(ledger.state(FIRST + i)).startsWith("2 of ");
        }
        Threads.run(CALLERS, caller -> ledger.addWithoutALease(FIRST + CALLERS));
        assertThat(ledger.state(FIRST + CALLERS)).isEqualTo(CALLERS + " of " + CALLERS);
    }
}
