package dev.dibs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.sql.Database;
import dev.dibs.sql.Params;
import dev.dibs.sql.SqlFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A lock is free when its lease has been closed, however many try to get it at that moment. */
@Tag("contract")
class ReleaseRaceContract extends Fixture {

    /** They try without a look first, which is the hardest on the row. Who gets it lets it go again, by one statement. */
    @Test
    void aTryOnAHeldLockDoesNotHoldUpItsRelease() throws Exception {
        String name = fresh("closed");
        Database statements = asked(pool(), "dibs_");
        long end = System.nanoTime() + Duration.ofMillis(700).toNanos();
        List<CompletableFuture<int[]>> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            all.add(CompletableFuture.supplyAsync(() -> takeAndLetGo(statements, name, end)));
        }
        int taken = 0;
        int heldUp = 0;
        for (CompletableFuture<int[]> one : all) {
            taken += one.join()[0];
            heldUp += one.join()[1];
        }
        assertThat(taken).isPositive();
        assertThat(heldUp).as("releases of " + taken + " that were held up").isZero();
    }

    /** Returns how often it was taken, and how often the release did not get through at once. */
    private static int[] takeAndLetGo(Database statements, String name, long end) {
        int[] counts = new int[2];
        try {
            while (System.nanoTime() - end < 0) {
                String owner = Long.toString(ThreadLocalRandom.current().nextLong(Long.MAX_VALUE), 36);
                Params params = Params.of("name", name).with("owner", owner);
                if (takes(statements, params, owner)) {
                    counts[0]++;
                    while (!statements
                            .call("release_lock", params.with("hold", 0), LEASE)
                            .hit()) {
                        counts[1]++;
                    }
                }
            }
            return counts;
        } catch (SqlFailure e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean takes(Database statements, Params params, String owner) throws SqlFailure {
        try {
            return statements
                    .call(
                            "acquire_lock",
                            params.with("holder", "one of four").with("lease", 60_000),
                            LEASE,
                            row -> row.getString("owner"),
                            owner::equals)
                    .rows()
                    .contains(owner);
        } catch (SqlFailure e) {
            // Two first ones of a name may collide.
            assertThat(e.outcome()).isNotEqualTo(SqlFailure.Outcome.REFUSED);
            return false;
        }
    }
}
