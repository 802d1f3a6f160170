package dev.dibs.internal.runs;

import dev.dibs.DibsException;
import dev.dibs.claims.RowKey;
import dev.dibs.internal.claims.ClaimEngine;
import dev.dibs.internal.claims.HeldClaim;
import dev.dibs.internal.claims.store.ClaimedRow;
import dev.dibs.internal.claims.store.RefusedRows;
import dev.dibs.internal.retry.RetryPolicy;
import dev.dibs.internal.sql.call.Call;
import dev.dibs.internal.sql.call.Steps;
import dev.dibs.internal.sql.errors.SqlFailure;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Records what the database refuses without an error. A row that it does not mark is a dead letter of the run, in its list alone: its own
 * table cannot have the mark of a dead row either. A completion that it does not make is a failed attempt.
 *
 * <p>For one worker's thread.
 */
final class SilentRefusals<T> {

    private final RunTable table;
    private final ClaimEngine<T> claims;
    private final RunCounters counters;
    private final RunFailures<T> failures;
    private final CompletionCheck check;
    private long recorded;

    /** Rows of a claim that were processed, and that their completion did not find. */
    private final List<ClaimedRow<T>> missed = new ArrayList<>();

    private @Nullable HeldClaim<T> claim;

    SilentRefusals(RunOptions<T> options, RunCounters counters, RunFailures<T> failures, CompletionCheck check) {
        this.table = options.table;
        this.claims = options.claims;
        this.counters = counters;
        this.failures = failures;
        this.check = check;
    }

    /** Rows of one claim were processed; the completion has found these. */
    void completed(HeldClaim<T> current, List<ClaimedRow<T>> rows, Collection<RowKey> found) {
        claim = current;
        rows.stream().filter(row -> !found.contains(row.key())).forEach(missed::add);
    }

    /** Records what was found since it was called last. */
    void record() throws SqlFailure {
        if (!missed.isEmpty()) {
            List<ClaimedRow<T>> rows = List.copyOf(missed);
            missed.clear();
            recordMissed(Objects.requireNonNull(claim), rows);
        }
        recordUnmarked();
    }

    /** Those that are still ours were refused. The others were lost, or their claim ended without the effect. */
    private void recordMissed(HeldClaim<T> current, List<ClaimedRow<T>> rows) throws SqlFailure {
        List<RowKey> keys = rows.stream().map(ClaimedRow::key).toList();
        List<RowKey> ours = claims.run(claims.store().stillHeld(current.token(), keys));
        for (ClaimedRow<T> row : rows) {
            int times = check.missed(row.key());
            if (ours.contains(row.key())) {
                failures.record(
                        current,
                        row,
                        new DibsException(
                                "its completion has no effect: " + RefusedRows.WHY + ", or row-level security does"),
                        times);
                if (failures.isLast(times)) {
                    check.dead(row.key());
                }
            } else if (times > RetryPolicy.RUN_LOSSES) {
                check.end(new DibsException("row " + row.key() + " was processed " + times
                        + " times, and no completion found it: another program ends its claims, or "
                        + RefusedRows.WHY));
            }
        }
        failures.checkBudget();
    }

    /**
     * A row that is dead already stays as it is. Several workers may find the same row, so the first statement locks its entry, and the next
     * one reads whether another worker has recorded it.
     */
    private void recordUnmarked() throws SqlFailure {
        RefusedRows refused = claims.store().refused();
        long last = refused.last();
        if (last == recorded) {
            return;
        }
        counters.correct();
        for (RowKey key : refused.foundLatelyAfter(recorded)) {
            RunTable.FailedRow known = table.failedRow(key).orElse(null);
            if (known == null || known.state().equals("retry")) {
                recordUnmarked(key, known == null ? 0 : known.attempts());
            }
        }
        recorded = last;
    }

    private void recordUnmarked(RowKey key, long attempts) throws SqlFailure {
        Call<RunTable.FailedRow> locked = table.reading(key);
        Steps<RunTable.FailedRow> steps =
                Steps.of(List.of(table.failingUnlessDead(key, attempts), locked), locked::rows);
        List<RunTable.FailedRow> found = counters.run(steps.with(() -> isDead(locked.rows())
                ? List.of()
                : List.of(
                        table.failing(key, "dead", attempts, RefusedRows.WHY),
                        failures.recording(StoredKey.of(key), attempts, new DibsException(RefusedRows.WHY)),
                        counters.counting(0, 1))));
        if (!isDead(found)) {
            counters.answered(0, 1);
        }
    }

    private static boolean isDead(List<RunTable.FailedRow> rows) {
        return rows.stream().anyMatch(row -> row.state().equals("dead"));
    }
}
