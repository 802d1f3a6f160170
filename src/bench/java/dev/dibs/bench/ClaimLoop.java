package dev.dibs.bench;

import dev.dibs.rows.Claim;
import dev.dibs.rows.RowClaims;
import dev.dibs.rows.RowKey;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Threads that complete the rows in hand and claim the next ones, without a run around them: no switches, no count, no retry. */
final class ClaimLoop {

    private final RowClaims<RowKey> claims;

    ClaimLoop(RowClaims<RowKey> claims) {
        this.claims = claims;
    }

    /** Returns the seconds until all threads found nothing more. */
    double run(int threads, int batch) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Callable<Boolean>> tasks = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                tasks.add(() -> work(batch));
            }
            long start = System.nanoTime();
            for (Future<Boolean> task : pool.invokeAll(tasks)) {
                task.get();
            }
            return (System.nanoTime() - start) / 1e9;
        } finally {
            pool.shutdownNow();
        }
    }

    private boolean work(int batch) {
        Claim<RowKey> claim = claims.claim(batch);
        while (!claim.isEmpty()) {
            try (Claim<RowKey> done = claim) {
                claim = done.completeAndClaim(batch).next();
            }
        }
        return true;
    }
}
