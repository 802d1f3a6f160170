package dev.dibs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.database.CountingDataSource;
import dev.dibs.database.FullRun;
import dev.dibs.rows.Claim;
import dev.dibs.rows.RowClaims;
import dev.dibs.rows.RowKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Of many threads that complete their claims together, each row is completed once. */
@Tag("race")
class CompletionCoalesceRaceContract extends Fixture {

    @Test
    @FullRun(except = "postgresql")
    void crowdsOfSeveralInstancesCompleteEachRowOnce() throws Exception {
        int rows = 600;
        HikariDataSource few = few();
        CountingDataSource counting = new CountingDataSource(few);
        List<Dibs> instances = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            instances.add(database().together(builder(counting)).build());
        }
        AtomicInteger done = new AtomicInteger();
        try (Jobs jobs = new Jobs(pool(), rows)) {
            List<RowClaims<RowKey>> claims = instances.stream()
                    .map(dibs -> CompletionCoalesceContract.counted(jobs)
                            .apply(dibs)
                            .lease(Duration.ofSeconds(1))
                            .build())
                    .toList();
            RaceContract.inThreads(3 * 16, number -> {
                Claim<RowKey> claim = claims.get(number % 3).claim(1 + number % 3);
                while (!claim.isEmpty()) {
                    done.addAndGet(claim.complete().done().size());
                    claim.close();
                    claim = claims.get(number % 3).claim(1 + number % 3);
                }
            });
            // One may have been passed over, as its row was locked, or be claimed until its lease ends.
            await().atMost(Duration.ofMinutes(1)).until(() -> {
                done.addAndGet(claims.get(0).claim(10).complete().done().size());
                return jobs.done().size() == rows;
            });
            CompletionCoalesceContract.assertCompletedOnce(jobs, rows);
            assertThat(done.get()).isEqualTo(rows);
        } finally {
            instances.forEach(Dibs::close);
            few.close();
        }
        if (Set.of("h2", "postgresql").contains(database().name())) {
            assertThat(counting.statements()).anyMatch(CompletionCoalesceContract.COMPLETES);
        }
    }
}
