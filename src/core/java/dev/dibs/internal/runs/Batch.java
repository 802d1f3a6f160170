package dev.dibs.internal.runs;

import dev.dibs.claims.RowKey;
import dev.dibs.internal.claims.ClaimEngine;
import dev.dibs.internal.claims.HeldClaim;
import dev.dibs.internal.claims.RowChange;
import dev.dibs.internal.claims.store.ClaimStore.Change;
import dev.dibs.internal.claims.store.ClaimedRow;
import dev.dibs.internal.schema.Errors;
import dev.dibs.internal.sql.call.Call;
import dev.dibs.internal.sql.call.Steps;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.time.Term;
import dev.dibs.internal.values.OwnerToken;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The statements of one worker: the rows that it completes, its counts, and the next claim, in one transaction and, if the database can,
 * one round trip. The answer includes the run's switches.
 *
 * <p>For one thread.
 */
final class Batch<T> {

    private final RunTable table;
    private final ClaimEngine<T> claims;
    private final Errors errors;
    private final RunCounters counters;
    private final RunCursor<T> cursor;
    private final CompletionCheck check;
    private final SilentRefusals<T> refusals;

    /** Whether a completion was sent whose outcome is unknown. */
    private boolean sentBefore;

    Batch(RunOptions<T> options, RunCounters counters, CompletionCheck check, SilentRefusals<T> refusals) {
        this.table = options.table;
        this.claims = options.claims;
        this.errors = options.context.errors();
        this.counters = counters;
        this.cursor = new RunCursor<>(claims, options.context.clock());
        this.check = check;
        this.refusals = refusals;
    }

    /**
     * The next claim and the current state of the run.
     *
     * @param run null if it was never created, or was deleted
     */
    record Next<T>(HeldClaim<T> claim, @Nullable RunSwitches run) {}

    /** Completes rows of the current claim, if there are any, and claims the next ones. */
    Next<T> next(@Nullable HeldClaim<T> current, List<ClaimedRow<T>> finished, int n) throws SqlFailure {
        counters.correct();
        String token = OwnerToken.next();
        Term term = claims.term();
        List<RowKey> keys = current == null ? List.of() : keys(finished);
        Steps<ClaimedRow<T>> claiming = cursor.claim(token, n);
        Call<RunSwitches> reading = keys.isEmpty() ? table.readingSwitches() : counters.countingAndReading(keys.size());
        try {
            if (current == null || keys.isEmpty()) {
                claims.run(Steps.together(List.of(claiming, Steps.of(reading))));
            } else {
                Steps<RowKey> completing = claims.completing(current, keys);
                completeTogether(current, finished, completing, claiming, Steps.of(reading));
                counters.answered(completing.result().size(), 0);
            }
        } catch (SqlFailure e) {
            if (e.outcome() == SqlFailure.Outcome.UNKNOWN) {
                claims.abandon(token);
            }
            throw e;
        }
        cursor.claimed(claiming.result(), n);
        HeldClaim<T> claim = claims.keep(token, claiming, term);
        return new Next<>(
                claim, reading.rows().isEmpty() ? null : reading.rows().get(0));
    }

    /** Fails if the database refuses a completion of any row, even of none. */
    void requireAccepted() throws SqlFailure {
        List<RowKey> unused =
                claims.run(claims.store().change(Change.COMPLETE, OwnerToken.next(), List.of(), 0, List.of()));
    }

    /** Only completes rows; also after a lost answer, when they may be completed already. */
    void complete(@Nullable HeldClaim<T> current, List<ClaimedRow<T>> finished) throws SqlFailure {
        boolean took = counters.isDoubtful() && counters.resolve();
        if (current == null || finished.isEmpty()) {
            return;
        }
        List<RowKey> keys = keys(finished);
        Steps<RowKey> completing = claims.completing(current, keys);
        if (took && sentBefore) {
            // The count is committed, but perhaps only the first of several transactions took effect.
            try (RowChange unused = current.change(keys)) {
                claims.run(completing);
                current.done(keys);
            }
            sentBefore = false;
            return;
        }
        counters.correct();
        // The earlier statement may still take effect: while our lease lasts, no other worker can have completed the
        // rows.
        boolean maybeDone = sentBefore;
        completeTogether(current, finished, completing, Steps.of(counters.counting(finished.size(), 0)));
        boolean allDone = maybeDone && keys.stream().allMatch(current::isInTime);
        counters.answered(allDone ? finished.size() : completing.result().size(), 0);
        sentBefore = false;
    }

    /**
     * Sends a completion together with others, and with the end of the rows' failed attempts. All finished rows are counted before it is
     * known which ones were still ours. If some were not, the count is corrected.
     *
     * @param completing the first of the steps
     */
    private void completeTogether(
            HeldClaim<T> claim, List<ClaimedRow<T>> finished, Steps<RowKey> completing, Steps<?>... others)
            throws SqlFailure {
        List<Steps<?>> all = new ArrayList<>(List.of(others));
        all.add(0, completing);
        for (ClaimedRow<T> row : finished) {
            if (mayHaveEntry(row)) {
                all.add(1, Steps.of(table.forgetting(row.key())));
            }
        }
        List<RowKey> keys = keys(finished);
        CompletionCheck.Look look = check.look(keys);
        if (look != null) {
            all.add(1, Steps.of(look.call()));
        }
        try (RowChange unused = claim.change(keys)) {
            counters.run(Steps.together(all));
            claim.done(keys);
            check.completed(completing.result(), look);
            refusals.completed(claim, finished, completing.result());
        } catch (SqlFailure e) {
            sentBefore |= e.outcome() == SqlFailure.Outcome.UNKNOWN;
            throw e;
        }
    }

    /** A row that the database did not mark for a while was free all the time. */
    private boolean mayHaveEntry(ClaimedRow<T> row) {
        return row.origin() != ClaimedRow.Origin.FREE
                || claims.store().refused().has(row.key());
    }

    private static <T> List<RowKey> keys(List<ClaimedRow<T>> rows) {
        return rows.stream().map(ClaimedRow::key).toList();
    }

    /** Counts one completed row in the work's transaction. Call {@link #committed} or {@link #inDoubt} afterwards. */
    void countOn(Connection connection, ClaimedRow<T> row) {
        List<Call<?>> calls = new ArrayList<>();
        if (mayHaveEntry(row)) {
            calls.add(table.forgetting(row.key()));
        }
        calls.add(counters.counting(1, 0));
        List<RowKey> key = List.of(row.key());
        CompletionCheck.Look look = check.look(key);
        if (look != null) {
            calls.add(look.call());
        }
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
    boolean inDoubt() throws SqlFailure {
        counters.doubt();
        return counters.resolve();
    }

    /** Releases rows that were not free before, in such a way that the next claim knows: they have an entry. */
    void release(HeldClaim<T> claim) {
        List<RowKey> keys = claim.claimed().stream()
                .filter(row -> row.origin() != ClaimedRow.Origin.FREE)
                .map(ClaimedRow::key)
                .filter(claim.held()::contains)
                .toList();
        if (keys.isEmpty()) {
            return;
        }
        try (RowChange unused = claim.change(keys)) {
            claim.done(claims.run(claims.changing(claim, Change.POSTPONE, keys, 0)));
        } catch (SqlFailure | RuntimeException e) {
            errors.log("Rows are released in the background", e);
        }
    }
}
