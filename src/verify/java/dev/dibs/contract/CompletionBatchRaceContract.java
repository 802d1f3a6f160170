package dev.dibs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.claims.Claim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.database.CountingDataSource;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullRun;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many threads complete their claims in batches; each row is completed once. */
@Tag("race")
class CompletionBatchRaceContract extends Fixture {

    private static final int INSTANCES = 3;
    private static final int THREADS = 16;

    @Test
    @FullRun(except = "postgresql")
    void crowdsOfSeveralInstancesCompleteEachRowOnce() throws Exception {
        int rows = 600;
        HikariDataSource few = few();
        CountingDataSource counting = new CountingDataSource(few);
        FaultyDataSource gated = new FaultyDataSource(counting);
        // Claims are sent alone and take longer: without the gate there may be no batch of completions.
        CountDownLatch gate = new CountDownLatch(THREADS);
        boolean together = Set.of("h2", "postgresql").contains(database().name());
        if (together) {
            gated.on(sql -> sql.contains("coalesce(done_at, 0)") && !sql.contains("1 = 0"))
                    .always()
                    .holdBefore(gate);
        }
        List<Dibs> instances = new ArrayList<>();
        for (int i = 0; i < INSTANCES; i++) {
            instances.add(
                    database().together(builder(i == 0 ? gated : counting)).build());
        }
        AtomicInteger done = new AtomicInteger();
        AtomicLong slowest = new AtomicLong();
        try (Jobs jobs = new Jobs(pool(), rows)) {
            List<RowClaims<RowKey>> claims = instances.stream()
                    .map(dibs -> CompletionBatchContract.counted(jobs)
                            .apply(dibs)
                            .lease(Duration.ofSeconds(10))
                            .build())
                    .toList();
            List<Claim<RowKey>> first = IntStream.range(0, INSTANCES * THREADS)
                    .mapToObj(number -> claims.get(number % INSTANCES).claim(1 + number % INSTANCES))
                    .toList();
            RaceContract.inThreads(INSTANCES * THREADS, number -> {
                RowClaims<RowKey> own = claims.get(number % INSTANCES);
                Claim<RowKey> claim = first.get(number);
                if (number % INSTANCES == 0) {
                    gate.countDown();
                }
                while (!claim.isEmpty()) {
                    long before = System.nanoTime();
                    done.addAndGet(claim.complete().done().size());
                    slowest.accumulateAndGet(System.nanoTime() - before, Math::max);
                    claim.close();
                    claim = own.claim(1 + number % INSTANCES);
                }
            });
            // A row may have been skipped because it was locked, or be claimed until its lease ends.
            await().atMost(Duration.ofMinutes(1)).until(() -> {
                done.addAndGet(claims.get(0).claim(10).complete().done().size());
                return jobs.done().size() == rows;
            });
            CompletionBatchContract.assertCompletedOnce(jobs, rows);
            assertThat(done.get()).isEqualTo(rows);
        } finally {
            instances.forEach(Dibs::close);
            few.close();
        }
        // Nobody queues for longer than two seconds.
        if (together && slowest.get() < Duration.ofSeconds(2).toNanos()) {
            assertThat(counting.statements()).anyMatch(CompletionBatchContract.COMPLETES);
        }
    }
}
