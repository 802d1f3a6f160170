package dev.dibs;

import dev.dibs.sql.SqlFailure;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/** What becomes of rows that failed: another attempt later, or none. For one worker's thread. */
final class RunFailures<T> {

    private static final String RETRY = "retry";
    private static final String DEAD = "dead";
    private static final String AGAIN = "again";
    private static final int MOST_DOUBLINGS = 30;
    private static final int REVIVED_AT_ONCE = 100;

    private final RunTable table;
    private final RowClaims<T> claims;
    private final String worker;
    private final String label;
    private final int maxAttempts;
    private final Duration firstPause;
    private final Duration longestPause;

    RunFailures(RunBuilder<T> told, String worker, String label) {
        this.table = told.table;
        this.claims = told.claims;
        this.worker = worker;
        this.label = label;
        this.maxAttempts = told.maxAttempts;
        this.firstPause = told.firstPause;
        this.longestPause = told.longestPause;
    }

    /**
     * Before a row is begun that somebody left over who vanished: the row may be the reason, so that the attempt is written down
     * first. Returns false if there were enough of them.
     */
    boolean begin(Claim<T> claim, ClaimedRow<T> row) throws SqlFailure {
        long attempts = attempts(row.key()) + 1;
        if (attempts > maxAttempts) {
            Throwable vanished = new IllegalStateException(
                    "each of the " + maxAttempts + " workers that began with it has vanished");
            record(claim, row, vanished, maxAttempts, true);
            return false;
        }
        claims.send(List.of(table.failing(row.key(), RETRY, attempts, "begun after a worker that had it vanished")));
        return true;
    }

    /**
     * After an attempt that failed.
     *
     * @param begun whether the attempt was written down before
     */
    void record(Claim<T> claim, ClaimedRow<T> row, Throwable error, boolean begun) throws SqlFailure {
        long attempts = attempts(row.key()) + (begun ? 0 : 1);
        record(claim, row, error, attempts, attempts >= maxAttempts);
    }

    private void record(Claim<T> claim, ClaimedRow<T> row, Throwable error, long attempts, boolean dead)
            throws SqlFailure {
        ClaimStore.Asked<RowKey> change = claims.store()
                .change(
                        dead ? ClaimStore.Change.BURY : ClaimStore.Change.PUT_OFF,
                        claim.token(),
                        List.of(row.key()),
                        pauseMillis(attempts),
                        claim.heldKeys());
        claims.send(change.and(table.failing(row.key(), dead ? DEAD : RETRY, attempts, error.toString()))
                .and(table.recording(row.key(), attempts, label, error))
                .and(table.counting(worker, 0, 1)));
        claim.done(List.of(row.key()));
    }

    private long attempts(RowKey key) throws SqlFailure {
        Optional<RunTable.FailedRow> before = table.failedRow(key);
        return before.map(RunTable.FailedRow::attempts).orElse(0L);
    }

    /** Twice as long each time, and not for all rows the same. */
    private long pauseMillis(long attempts) {
        int doublings = (int) Math.min(MOST_DOUBLINGS, Math.max(0, attempts - 1));
        double pause = Math.min((double) longestPause.toMillis(), firstPause.toMillis() * Math.pow(2, doublings));
        return Math.round(pause * ThreadLocalRandom.current().nextDouble(0.9, 1.1));
    }

    /** Lets rows that somebody wants to be tried again return to the pool; returns whether there were such. */
    boolean revive() throws SqlFailure {
        List<RunTable.FailedRow> wanted = table.failedRows(AGAIN, REVIVED_AT_ONCE);
        if (wanted.isEmpty()) {
            return false;
        }
        List<RowKey> keys = wanted.stream()
                .map(row -> RowKey.parse(row.key(), claims.table().keyNames().size()))
                .toList();
        ClaimStore.Asked<RowKey> release = claims.store().change(ClaimStore.Change.RELEASE, "dibs-dead", keys, 0, keys);
        for (RowKey key : keys) {
            release = release.and(table.forgetting(key));
        }
        claims.send(release);
        return true;
    }
}
