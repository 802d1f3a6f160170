package dev.dibs.contract.claims;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Dibs;
import dev.dibs.claims.Claim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.database.ErrorLog;
import dev.dibs.database.FullRun;
import dev.dibs.database.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many claims of ranges of keys: each row is completed once, and none is left out. */
@Tag("race")
class RangeClaimRaceContract extends Fixture {

    @Test
    @FullRun
    void eightThreadsCompleteEachRowOfARangeOnce() throws Exception {
        int rows = 2000;
        // Other tests cause errors on the same server meanwhile, in tables of other names.
        String prefix = prefix();
        try (Jobs jobs = new Jobs(pool(), rows);
                Dibs dibs = builder(pool()).tablePrefix(prefix).build()) {
            dibs.admin().createSchema();
            Optional<ErrorLog> log = Optional.of(database())
                    .filter(TestDatabase::canReadErrorLog)
                    .map(TestDatabase::errorLog);
            RowClaims<RowKey> claims =
                    jobs.ranges(dibs).leaseLength(Duration.ofSeconds(30)).build();
            Queue<Long> completed = new ConcurrentLinkedQueue<>();
            long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
            inThreads(8, seed -> {
                Random random = new Random(seed);
                while (completed.size() < rows && System.nanoTime() < end) {
                    workOff(claims.claim(1 + random.nextInt(40)), random, completed);
                }
            });
            assertThat(completed).hasSize(rows).doesNotHaveDuplicates();
            assertThat(claims.claim(1).isEmpty()).isTrue();
            assertThat(log.map(ErrorLog::entries).orElse(List.of()))
                    .filteredOn(entry -> entry.contains(prefix))
                    .as("no deadlock and no error")
                    .hasSizeLessThanOrEqualTo(database().rolledBackInARace());
        }
    }

    /** A part is completed from the beginning, a row out of order, one is postponed, the rest is completed or released. */
    private static void workOff(Claim<RowKey> claim, Random random, Queue<Long> completed) {
        try (claim) {
            List<RowKey> rest = new ArrayList<>(claim.keys());
            if (rest.size() > 2 && random.nextInt(2) == 0) {
                List<RowKey> first = rest.subList(0, 1 + random.nextInt(rest.size() - 1));
                complete(claim, first, completed);
                first.clear();
            }
            if (rest.size() > 1 && random.nextInt(6) == 0) {
                List<RowKey> last = rest.subList(rest.size() - 1, rest.size());
                complete(claim, last, completed);
                last.clear();
            }
            if (rest.size() > 1 && random.nextInt(6) == 0) {
                List<RowKey> one = rest.subList(rest.size() / 2, rest.size() / 2 + 1);
                assertThat(claim.postpone(one, Duration.ofMillis(5)).isComplete())
                        .isTrue();
                one.clear();
            }
            if (!rest.isEmpty() && random.nextInt(3) > 0) {
                complete(claim, rest, completed);
            }
        }
    }

    private static void complete(Claim<RowKey> claim, List<RowKey> keys, Queue<Long> completed) {
        assertThat(claim.complete(keys).lost()).isEmpty();
        keys.forEach(key -> completed.add(key.asLong()));
    }

    /** The holder's lease expires while it completes the beginning of its range, or scatters it. */
    @Test
    @FullRun(except = "postgresql")
    void aLateHolderAndATakeoverShareARangeWithoutARowTwice() throws Exception {
        int rounds = 30;
        try (Jobs jobs = new Jobs(pool(), 6 * rounds);
                Dibs dibs = dibs()) {
            RowClaims<RowKey> claims =
                    jobs.ranges(dibs).leaseLength(Duration.ofSeconds(30)).build();
            Queue<Long> completed = new ConcurrentLinkedQueue<>();
            for (int i = 0; i < rounds; i++) {
                Claim<RowKey> late = claims.claim(6);
                int half = late.size() / 2;
                List<RowKey> keys = late.keys();
                List<RowKey> part = keys.subList(i % 2 == 0 ? 0 : half, i % 2 == 0 ? half : keys.size());
                jobs.run("UPDATE dibs_range SET held_until = 1 WHERE token = '" + late.token() + "'");
                inThreads(2, seed -> {
                    if (seed == 0) {
                        late.complete(part).done().forEach(key -> completed.add(key.asLong()));
                    } else {
                        Claim<RowKey> next = claims.claim(6);
                        next.complete().done().forEach(key -> completed.add(key.asLong()));
                    }
                });
                late.close();
            }
            long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
            while (completed.size() < 6 * rounds && System.nanoTime() < end) {
                jobs.run("UPDATE dibs_claim SET held_until = 1 WHERE scope = '" + jobs.table() + "'");
                claims.claim(100).complete().done().forEach(key -> completed.add(key.asLong()));
            }
            assertThat(completed).hasSize(6 * rounds).doesNotHaveDuplicates();
        }
    }
}
