package dev.dibs.internal.runs;

import dev.dibs.DatabaseFailureException;
import dev.dibs.DibsException;
import dev.dibs.claims.RowKey;
import dev.dibs.internal.claims.ClaimEngine;
import dev.dibs.internal.claims.HeldClaim;
import dev.dibs.internal.claims.RowChange;
import dev.dibs.internal.claims.store.ClaimStore;
import dev.dibs.internal.claims.store.ClaimStore.Change;
import dev.dibs.internal.claims.store.ClaimedRow;
import dev.dibs.internal.retry.Retry;
import dev.dibs.internal.retry.RetryPolicy;
import dev.dibs.internal.schema.Errors;
import dev.dibs.internal.sql.call.Call;
import dev.dibs.internal.sql.call.Steps;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.values.Strings;
import java.lang.System.Logger.Level;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Decides about rows that failed: another attempt later, or none. It also decides whether the worker has to end, since the database refuses
 * the records of failures, or since something else ends its claims. Else the rows would be worked on for ever.
 *
 * <p>For one worker's thread.
 */
final class RunFailures<T> {

    private static final System.Logger LOG = System.getLogger("dev.dibs");
    private static final String RETRY = "retry";
    private static final String DEAD = "dead";
    private static final String RETRY_DEAD = "again";

    private static final int MOST_DOUBLINGS = 30;
    private static final int DEAD_AT_ONCE = 100;
    private static final int REMEMBERED = 1_000;

    /** From this batch on that lost every row, it is logged, and its rows count as failed attempts. One may be an accident. */
    private static final int FIRST_LOGGED = 2;

    private final RunOptions<T> options;
    private final RunTable table;
    private final ClaimEngine<T> claims;
    private final RunCounters counters;
    private final String label;

    /** Failed attempts that are not recorded in the database. */
    private final Map<RowKey, Long> unrecorded = new LinkedHashMap<>();

    private int refusedRecords;
    private @Nullable SqlFailure lastRefusal;

    /** In a row, batches of which no row could be completed. */
    private int refusedBatches;

    /** The rows of these batches. */
    private final Set<RowKey> refusedRows = new HashSet<>();

    private @Nullable DatabaseFailureException lastRefused;
    private int lostBatches;
    private @Nullable DibsException lastLoss;

    RunFailures(RunOptions<T> options, RunCounters counters, String label) {
        this.options = options;
        this.table = options.table;
        this.claims = options.claims;
        this.counters = counters;
        this.label = label;
    }

    /**
     * Before a row that an expired claim had. The row may be the reason why that worker died, so the attempt is recorded first. Returns
     * false if it had enough attempts, or the attempt cannot be recorded.
     */
    boolean begin(HeldClaim<T> claim, ClaimedRow<T> row) throws SqlFailure {
        AtomicReference<Long> before = new AtomicReference<>();
        boolean begun = recorded(claim, row, () -> {
            // Of the first try: a later one may find the attempt that an unanswered one has recorded.
            if (before.get() == null) {
                before.set(attempts(row.key()));
            }
            long attempts = before.get() + 1;
            int most = options.maxAttempts;
            if (attempts > most) {
                Throwable vanished =
                        new IllegalStateException("each of the " + most + " workers that began it has vanished");
                record(claim, row, vanished, most, true);
                return false;
            }
            claims.run(
                    Steps.of(table.failing(row.key(), RETRY, attempts, "restarted after a worker with it vanished")));
            return true;
        });
        if (!begun) {
            checkBudget();
        }
        return begun;
    }

    /** After a failure: stops the run if there were too many. */
    void checkBudget() throws SqlFailure {
        String reason = table.errorBudget().map(ErrorBudget::excess).orElse(null);
        if (reason != null) {
            table.stopFailing(label, reason);
        }
    }

    /**
     * After an attempt that failed. If the virtual machine is broken, the worker ends, whether or not that can be recorded.
     *
     * @param begun whether the attempt was recorded before
     */
    void failed(HeldClaim<T> claim, ClaimedRow<T> row, Throwable error, boolean begun) throws SqlFailure {
        VirtualMachineError fatal =
                error instanceof VirtualMachineError broken && !(error instanceof StackOverflowError) ? broken : null;
        try {
            record(claim, row, error, begun);
            checkBudget();
        } catch (SqlFailure e) {
            if (fatal == null) {
                throw e;
            }
            fatal.addSuppressed(e);
        }
        if (fatal != null) {
            throw fatal;
        }
    }

    private void record(HeldClaim<T> claim, ClaimedRow<T> row, Throwable error, boolean begun) throws SqlFailure {
        if (!begun) {
            unrecorded.merge(row.key(), 1L, Long::sum);
            if (unrecorded.size() > REMEMBERED) {
                unrecorded.remove(unrecorded.keySet().iterator().next());
            }
        }
        boolean unused = recorded(claim, row, () -> {
            long attempts = attempts(row.key()) + unrecorded.getOrDefault(row.key(), 0L);
            record(claim, row, error, attempts, isLast(attempts));
            unrecorded.remove(row.key());
            return true;
        });
    }

    /** After an attempt whose completion had no effect. Its transaction has forgotten the attempts before. */
    void record(HeldClaim<T> claim, ClaimedRow<T> row, Throwable error, int attempts) throws SqlFailure {
        boolean unused = recorded(claim, row, () -> {
            record(claim, row, error, attempts, isLast(attempts));
            return true;
        });
    }

    /** Whether a row with so many failed attempts is dead. */
    boolean isLast(long attempts) {
        return attempts >= options.maxAttempts;
    }

    /**
     * The database refuses the completion of a row. If it refuses the record as well, the claim of the row ends by time: the others must be
     * completed all the same.
     */
    void refused(HeldClaim<T> claim, ClaimedRow<T> row, Throwable why) throws SqlFailure {
        try {
            record(claim, row, why, row.origin() == ClaimedRow.Origin.LEFT_OVER);
        } catch (SqlFailure e) {
            if (!e.isMistake()) {
                throw e;
            }
            options.context.errors().log("The failure of a row could not be recorded", e);
        }
    }

    /** If the database does not accept the record but works otherwise, the row is postponed without one. */
    private boolean recorded(HeldClaim<T> claim, ClaimedRow<T> row, Errors.Question<Boolean> recording)
            throws SqlFailure {
        try {
            return Boolean.TRUE.equals(Retry.uninterrupted(RetryPolicy.RUN_FAILURE, () -> {
                if (counters.isInDoubt()) {
                    // The count of an earlier try is not that of this one.
                    RunTable.Sum unused = counters.resolve();
                }
                try {
                    return recording.ask();
                } catch (SqlFailure e) {
                    if (counters.isInDoubt() && counters.resolve().failed() > 0) {
                        claim.done(List.of(row.key()));
                        unrecorded.remove(row.key());
                        return false;
                    }
                    throw e;
                }
            }));
        } catch (SqlFailure e) {
            if (e.outcome() == SqlFailure.Outcome.NOT_SENT) {
                throw e;
            }
            postpone(claim, row, e);
            return false;
        }
    }

    /** Fails if the database accepts nothing else either: it is away. */
    private void postpone(HeldClaim<T> claim, ClaimedRow<T> row, SqlFailure why) throws SqlFailure {
        long pause = pauseMillis(unrecorded.getOrDefault(row.key(), 0L));
        claim.done(claims.run(claims.changing(claim, Change.POSTPONE, List.of(row.key()), pause)));
        refusedRecords++;
        lastRefusal = why;
        LOG.log(
                Level.WARNING,
                "A failed attempt of row " + Strings.escape(row.key().toString()) + " could not be recorded; it is"
                        + " tried again in " + pause + " ms: " + why.getMessage());
    }

    /** Whether too many attempts could not be recorded. */
    boolean isRefused() {
        return refusedRecords >= RetryPolicy.RUN_UNRECORDED;
    }

    /**
     * Finished rows were completed.
     *
     * @param rows how many of a batch
     * @param refused the others; the same rows time and again say nothing of the rest
     * @param why they were refused; null if there are none
     */
    void completed(int rows, Collection<RowKey> refused, @Nullable DatabaseFailureException why) {
        if (rows > 0) {
            refusedBatches = 0;
            refusedRows.clear();
        } else if (refusedRows.addAll(refused)) {
            refusedBatches++;
            lastRefused = why;
        }
    }

    /** Why the worker has to end; null if it may go on. */
    @Nullable
    DibsException endReason() {
        if (refusedBatches >= RetryPolicy.RUN_REFUSALS && lastRefused != null) {
            return lastRefused;
        }
        if (!isRefused() || lastRefusal == null) {
            return lostBatches < RetryPolicy.RUN_LOSSES ? null : lastLoss;
        }
        DatabaseFailureException why = options.context.errors().explain(lastRefusal);
        return new DatabaseFailureException(
                "failed attempts cannot be recorded, so no other row is tried: " + why.getMessage(), why.getCause());
    }

    /**
     * All rows of a claim were worked on, or found lost, and those that could be completed are.
     *
     * @param counted whether any row has counted: as completed, or as failed
     */
    void settled(HeldClaim<T> claim, boolean counted) {
        if (counted || claim.keys().stream().anyMatch(unrecorded::containsKey)) {
            lostBatches = 0;
        } else if (++lostBatches >= FIRST_LOGGED) {
            recordLoss(claim);
        }
    }

    private void recordLoss(HeldClaim<T> claim) {
        lastLoss = new DibsException("every row was lost in " + lostBatches
                + " batches in a row, before it could be completed; the last ones: "
                + claim.keys() + ". Something else ends the claims: a program that writes to their columns, a"
                + " lease that is too short, or a database that is often away");
        LOG.log(Level.WARNING, "Run '" + Strings.escape(table.name()) + "': " + Strings.oneLine(lastLoss.getMessage()));
        try {
            counters.run(Steps.of(List.of(recording("", 0, lastLoss), counters.counting(0, claim.size())), List::of));
            counters.answered(0, claim.size());
        } catch (SqlFailure e) {
            options.context.errors().log("Lost rows could not be counted", e);
        }
    }

    /**
     * Records nothing for a row that is not ours any more, or that an unanswered commit has completed. If a row is locked just now, perhaps
     * by our own renewal, it is tried a few times. Then the claim releases it without a record.
     */
    private void record(HeldClaim<T> claim, ClaimedRow<T> row, Throwable error, long attempts, boolean dead)
            throws SqlFailure {
        try (RowChange unused = claim.change(List.of(row.key()))) {
            Retry.uninterrupted(RetryPolicy.LOCKED_ROWS, () -> recordNow(claim, row, error, attempts, dead));
        }
    }

    /** Returns null if the row is ours, and locked just now. */
    private @Nullable Boolean recordNow(
            HeldClaim<T> claim, ClaimedRow<T> row, Throwable error, long attempts, boolean dead) throws SqlFailure {
        Change change = dead ? Change.DEAD_LETTER : Change.POSTPONE;
        List<RowKey> key = List.of(row.key());
        Steps<RowKey> changing = claims.changing(claim, change, key, pauseMillis(attempts));
        boolean changed = !counters.run(changing.with(() -> changing.result().isEmpty()
                        ? List.of()
                        : List.of(
                                table.failing(
                                        row.key(),
                                        dead ? DEAD : RETRY,
                                        attempts,
                                        Strings.of(error, Throwable::toString)),
                                recording(StoredKey.of(row.key()), attempts, error),
                                counters.counting(0, 1))))
                .isEmpty();
        if (changed) {
            counters.answered(0, 1);
        } else if (!claims.run(claims.store().stillHeld(claim.token(), key)).isEmpty()) {
            return null;
        }
        claim.done(key);
        return changed;
    }

    /** A dead row that is to be tried again starts over with the first attempt. */
    private long attempts(RowKey key) throws SqlFailure {
        RunTable.FailedRow before = table.failedRow(key).orElse(null);
        return before == null || before.state().equals(RETRY_DEAD) ? 0 : before.attempts();
    }

    /** Records the error of a row, or of no row in particular: see {@link RunTable#recording}. */
    Call<Boolean> recording(String key, long attempts, Throwable error) {
        return table.recording(key, attempts, label, error);
    }

    /** It doubles each time, and differs between rows. */
    private long pauseMillis(long attempts) {
        int doublings = (int) Math.min(MOST_DOUBLINGS, Math.max(0, attempts - 1));
        double pause = Math.min(
                (double) options.longestPause.toMillis(), options.firstPause.toMillis() * Math.pow(2, doublings));
        return Math.round(pause * ThreadLocalRandom.current().nextDouble(0.9, 1.1));
    }

    /** Frees the dead rows that are to be tried again; returns whether there were any. */
    boolean retryDead() throws SqlFailure {
        List<RunTable.FailedRow> toRetry = table.failedRows(RETRY_DEAD, DEAD_AT_ONCE);
        if (toRetry.isEmpty()) {
            return false;
        }
        // A long key cannot be told from what is stored of it.
        Map<String, RowKey> cut = toRetry.stream().anyMatch(row -> StoredKey.isCut(row.key())) ? deadRows() : Map.of();
        List<RowKey> keys = toRetry.stream()
                .map(RunTable.FailedRow::key)
                .filter(key -> !StoredKey.isCut(key) || cut.containsKey(key))
                .map(key -> StoredKey.isCut(key) ? cut.get(key) : claims.table().parse(key))
                .toList();
        claims.store().refused().forget(keys);
        List<RowKey> released = claims.run(claims.store().change(Change.RELEASE, ClaimStore.DEAD, keys, 0, keys));
        Map<String, RowKey> locked = released.size() == toRetry.size() ? Map.of() : deadRows();
        for (RunTable.FailedRow row : toRetry) {
            if (!locked.containsKey(row.key())) {
                table.forgetRetried(row.key());
            }
        }
        return locked.size() < toRetry.size();
    }

    /** The rows that are still dead: they are locked, and must not be forgotten. By what is stored of their keys. */
    private Map<String, RowKey> deadRows() throws SqlFailure {
        return claims.run(claims.store().find(ClaimStore.DEAD)).stream()
                .map(ClaimedRow::key)
                .collect(Collectors.toMap(StoredKey::of, key -> key, (one, same) -> one));
    }
}
