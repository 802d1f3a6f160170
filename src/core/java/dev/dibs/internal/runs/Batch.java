package dev.dibs.internal.runs;

import dev.dibs.DatabaseFailureException;
import dev.dibs.claims.RowKey;
import dev.dibs.internal.claims.ClaimEngine;
import dev.dibs.internal.claims.HeldClaim;
import dev.dibs.internal.claims.RowChange;
import dev.dibs.internal.claims.store.ClaimStore.Change;
import dev.dibs.internal.claims.store.ClaimedRow;
import dev.dibs.internal.sql.call.Call;
import dev.dibs.internal.sql.call.Steps;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.time.Term;
import dev.dibs.internal.values.OwnerToken;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The batch of one worker: the rows of its claim, until they are completed and counted, or released.
 *
 * <p>The worker processes row by row. Then one transaction completes the rows, counts them and claims the next batch: one round trip, if
 * the database can. If its answer is lost, the batch is in doubt, until the count in the database shows whether the transaction took effect.
 *
 * <p>For one worker's thread, but for what is reported of it.
 */
final class Batch<T> {

    /** For reports and interrupts, which come from other threads. */
    final CurrentRow current = new CurrentRow();

    /** Rows whose work was done since the last report. */
    final AtomicLong processed = new AtomicLong();

    private final RunOptions<T> options;
    private final ClaimEngine<T> claims;
    private final RowProcessor<T> processor;
    private final StopSignal stop;
    private final CompletionCheck check;
    private final RunCounters counters;
    private final RunFailures<T> failures;
    private final SilentRefusals<T> refusals;
    private final RunCursor<T> cursor;

    /** Null before the first claim, and between the end of a batch and the next claim. */
    private @Nullable HeldClaim<T> claim;
    /** The counts when it was claimed. */
    private RunTable.Sum countsBefore;
    /** Whether all rows were worked on, or found lost. */
    private boolean worked;

    /** Rows whose work is done; they are still to be completed. */
    private final List<ClaimedRow<T>> finished = new ArrayList<>();

    /** So many of them, from the first on, were in a completion without an answer: they may be completed. */
    private int sent;
    /** So many of them are counted: that completion, or the first of its transactions, was committed. */
    private int counted;

    Batch(
            RunOptions<T> options,
            RowProcessor<T> processor,
            StopSignal stop,
            CompletionCheck check,
            RunCounters counters,
            RunFailures<T> failures) {
        this.options = options;
        this.claims = options.claims;
        this.processor = processor;
        this.stop = stop;
        this.check = check;
        this.counters = counters;
        this.failures = failures;
        this.refusals = new SilentRefusals<>(options, counters, failures, check);
        this.cursor = new RunCursor<>(claims, options.context.clock());
        this.countsBefore = counters.known();
    }

    /** Whether it is unknown if rows are completed and counted: settle it before the next claim. */
    boolean isInDoubt() {
        return sent > 0 || counters.isInDoubt();
    }

    /** Whether the database refuses a completion, so that each row is to be completed by itself: settle it. */
    boolean isRefused(SqlFailure e) {
        return !finished.isEmpty() && e.isMistake();
    }

    /** The claim; only after {@link #next}, until the batch ends. */
    HeldClaim<T> claim() {
        return Objects.requireNonNull(claim);
    }

    /**
     * Completes the rows whose work is done, and begins the next batch with up to n rows. Returns the run's switches; null if it was never
     * created, or was deleted. If the worker was idle, they also count the dead rows that are to be tried again.
     */
    @Nullable
    RunSwitches next(int n, boolean idle) throws SqlFailure {
        counters.correct();
        String token = OwnerToken.next();
        Term term = claims.term();
        Steps<ClaimedRow<T>> claiming = cursor.claim(token, n);
        int done = finished.size();
        Call<RunSwitches> reading = done == 0 ? options.table.switches(idle) : counters.countingAndReading(done);
        try {
            if (done == 0) {
                claims.run(Steps.together(List.of(claiming, Steps.of(reading))));
            } else {
                completeAndCount(done, claiming, Steps.of(reading));
            }
        } catch (SqlFailure e) {
            if (e.outcome() == SqlFailure.Outcome.UNKNOWN) {
                claims.abandon(token, false);
            }
            throw e;
        }
        cursor.claimed(claiming.result(), n);
        HeldClaim<T> next = claims.keep(token, claiming, term);
        failures.completed(done, List.of(), null);
        end();
        claim = next;
        worked = false;
        // The end of the last batch may have left a count without an answer.
        resolve();
        countsBefore = counters.known();
        refusals.record();
        return reading.rows().isEmpty() ? null : reading.rows().get(0);
    }

    /** Processes the rows, unless the worker is to end. */
    void work() throws SqlFailure {
        HeldClaim<T> rows = claim();
        rows.onLost(lost -> current.interruptIf(lost::contains));
        for (ClaimedRow<T> row : rows.claimed()) {
            if (stop.isWanted() || failures.isRefused()) {
                return;
            }
            if (rows.isHeld(row.key())) {
                work(rows, row);
            }
        }
        worked = true;
    }

    private void work(HeldClaim<T> rows, ClaimedRow<T> row) throws SqlFailure {
        resolve();
        counters.correct();
        // This row may end the process: the others are completed before it.
        boolean suspect = row.origin() == ClaimedRow.Origin.LEFT_OVER;
        if (suspect) {
            complete();
            if (!failures.begin(rows, row)) {
                return;
            }
        }
        Throwable error = null;
        RowProcessor.Outcome outcome = null;
        boolean byUs = false;
        current.take(row.key());
        try {
            if (row.unreadable() != null) {
                throw row.unreadable();
            }
            outcome = processor.process(rows, row, this, current);
        } catch (SqlFailure e) {
            throw e;
        } catch (Throwable e) {
            error = e;
        } finally {
            byUs = current.clear();
        }
        boolean interrupted = Thread.interrupted() || error instanceof InterruptedException;
        if (interrupted && !byUs && options.executor != null) {
            // The owner of the threads is shutting them down.
            stop.now();
        }
        // If we have interrupted it, that is no failure of the row.
        boolean meant = interrupted && (stop.isWanted() || !rows.isHeld(row.key()));
        if (error != null && !meant) {
            failures.failed(rows, row, error, suspect);
        } else if (outcome == RowProcessor.Outcome.WORKED) {
            finished.add(row);
            processed.incrementAndGet();
            if (suspect) {
                complete();
            }
        } else if (outcome == RowProcessor.Outcome.COMPLETED) {
            rows.done(List.of(row.key()));
            processed.incrementAndGet();
        } else if (outcome == RowProcessor.Outcome.MISSED) {
            refusals.completed(rows, List.of(row), List.of());
            refusals.record();
        }
    }

    /** Counts one completed row in the work's transaction. Call {@link #committed} or {@link #isCommitted} afterwards. */
    void countOn(Connection connection, ClaimedRow<T> row) {
        List<RowKey> key = List.of(row.key());
        CompletionCheck.Look look = check.look(key);
        List<Call<?>> calls = afterCompletion(List.of(row), look);
        calls.add(counters.counting(1, 0));
        try {
            claims.on(connection).run(Steps.of(calls, List::of));
            check.completed(key, look);
        } catch (RuntimeException e) {
            counters.undone();
            throw e;
        }
    }

    void committed() {
        counters.answered(1, 0);
    }

    /** The commit failed: returns whether it took effect. */
    boolean isCommitted() throws SqlFailure {
        counters.doubt();
        return counters.resolve().done() > 0;
    }

    /** Completes the rows whose work is done, and releases the rest. */
    void settle() throws SqlFailure {
        complete();
        end();
    }

    /** Completes the rows whose work is done; also after a lost answer, when they may be completed already. */
    private void complete() throws SqlFailure {
        resolve();
        try {
            while (!finished.isEmpty()) {
                completeFirst(counted > 0 ? counted : sent > 0 ? sent : finished.size());
            }
        } catch (SqlFailure e) {
            if (!isRefused(e)) {
                throw e;
            }
            completeEach(claim());
        }
    }

    /** After a lost answer: what took effect is counted. */
    private void resolve() throws SqlFailure {
        if (counters.isInDoubt()) {
            counted =
                    (int) Math.min(finished.size(), counted + counters.resolve().done());
        }
    }

    /** A refused row does not keep the others from their completion. It has failed, unless the database refuses the statement itself. */
    private void completeEach(HeldClaim<T> rows) throws SqlFailure {
        resolve();
        // Fails if the database refuses a completion of any row, even of none.
        List<RowKey> unused =
                claims.run(claims.store().change(Change.COMPLETE, OwnerToken.next(), List.of(), 0, List.of()));
        List<RowKey> refused = new ArrayList<>();
        DatabaseFailureException why = null;
        int all = finished.size();
        while (!finished.isEmpty()) {
            try {
                completeFirst(1);
            } catch (SqlFailure e) {
                if (!isRefused(e)) {
                    throw e;
                }
                resolve();
                if (counted > 0) {
                    counted--;
                    counters.answered(-1, 0);
                }
                ClaimedRow<T> row = finished.get(0);
                refused.add(row.key());
                why = options.context.errors().explain(e);
                failures.refused(rows, row, why);
                rows.done(List.of(row.key()));
                removeFirst(1);
            }
        }
        failures.checkBudget();
        failures.completed(all - refused.size(), refused, why);
    }

    /** Completes the first n finished rows: all of them are counted, or none. */
    private void completeFirst(int n) throws SqlFailure {
        if (counted == 0) {
            counters.correct();
            completeAndCount(n, Steps.of(counters.counting(n, 0)));
            return;
        }
        // The count is committed, but perhaps only the first of several transactions took effect.
        HeldClaim<T> rows = claim();
        List<RowKey> keys = keys(finished.subList(0, n));
        try (RowChange unused = rows.change(keys)) {
            claims.run(claims.completing(rows, keys));
            rows.done(keys);
        }
        counted -= n;
        removeFirst(n);
    }

    /**
     * Completes the first n finished rows together with other steps, and with the end of their failed attempts. All are counted before it
     * is known which ones were still ours. If some were not, the count is corrected.
     */
    private void completeAndCount(int n, Steps<?>... others) throws SqlFailure {
        HeldClaim<T> rows = claim();
        List<ClaimedRow<T>> first = finished.subList(0, n);
        List<RowKey> keys = keys(first);
        Steps<RowKey> completing = claims.completing(rows, keys);
        CompletionCheck.Look look = check.look(keys);
        List<Steps<?>> all = new ArrayList<>(List.of(completing, Steps.of(afterCompletion(first, look), List::of)));
        all.addAll(List.of(others));
        try (RowChange unused = rows.change(keys)) {
            counters.run(Steps.together(all));
            rows.done(keys);
            check.completed(completing.result(), look);
            refusals.completed(rows, first, completing.result());
        } catch (SqlFailure e) {
            if (e.outcome() == SqlFailure.Outcome.UNKNOWN) {
                sent = Math.max(sent, n);
            }
            throw e;
        }
        // The one without an answer may have completed them: while our lease lasts, no other worker can have done so.
        boolean allDone = sent >= n && keys.stream().allMatch(rows::isInTime);
        counters.answered(allDone ? n : completing.result().size(), 0);
        removeFirst(n);
    }

    private void removeFirst(int n) {
        finished.subList(0, n).clear();
        sent = Math.max(0, sent - n);
        counted = Math.min(counted, finished.size());
    }

    /** What follows a completion in its transaction: the look, and the end of the rows' failed attempts. */
    private List<Call<?>> afterCompletion(List<ClaimedRow<T>> rows, CompletionCheck.@Nullable Look look) {
        List<Call<?>> calls = new ArrayList<>();
        if (look != null) {
            calls.add(look.call());
        }
        for (ClaimedRow<T> row : rows) {
            // A row that the database did not mark for a while was free all the time.
            if (row.origin() != ClaimedRow.Origin.FREE
                    || claims.store().refused().has(row.key())) {
                calls.add(options.table.forgetting(row.key()));
            }
        }
        return calls;
    }

    private static <T> List<RowKey> keys(List<ClaimedRow<T>> rows) {
        return rows.stream().map(ClaimedRow::key).toList();
    }

    /** Gives up the completion of the rows whose work is done: they are released with the others. Returns their keys. */
    List<RowKey> giveUp() {
        List<RowKey> keys = keys(finished);
        removeFirst(finished.size());
        return keys;
    }

    /** Releases the rows that are left, but for those that could not be completed: these stay claimed for the rest of the lease. */
    void end() {
        HeldClaim<T> rows = claim;
        if (rows == null) {
            return;
        }
        if (worked) {
            failures.settled(rows, !counters.known().equals(countsBefore));
        }
        rows.done(keys(finished));
        removeFirst(finished.size());
        release(rows);
        rows.close();
        claim = null;
    }

    /** Releases rows that were not free before, in such a way that the next claim knows: they have an entry. */
    private void release(HeldClaim<T> rows) {
        List<RowKey> keys = rows.claimed().stream()
                .filter(row -> row.origin() != ClaimedRow.Origin.FREE)
                .map(ClaimedRow::key)
                .filter(rows.held()::contains)
                .toList();
        if (keys.isEmpty()) {
            return;
        }
        try (RowChange unused = rows.change(keys)) {
            rows.done(claims.run(claims.changing(rows, Change.POSTPONE, keys, 0)));
        } catch (SqlFailure | RuntimeException e) {
            options.context.errors().log("Rows are released in the background", e);
        }
    }
}
