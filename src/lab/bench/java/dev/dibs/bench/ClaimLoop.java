package dev.dibs.bench;

import dev.dibs.claims.Claim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;

/** Threads that complete their current rows and claim the next ones, without a run around them: no switches, no count, no retry. */
record ClaimLoop(RowClaims<RowKey> claims) {

    /** Returns the seconds until all threads found no more rows. */
    double run(int threads, int batch) throws Exception {
        return Crew.seconds(threads, () -> work(batch));
    }

    private void work(int batch) {
        Claim<RowKey> claim = claims.claim(batch);
        while (!claim.isEmpty()) {
            try (Claim<RowKey> done = claim) {
                claim = done.completeAndClaim(batch).next();
            }
        }
    }
}
