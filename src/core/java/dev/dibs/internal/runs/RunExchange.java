package dev.dibs.internal.runs;

import dev.dibs.claims.RowKey;
import dev.dibs.internal.claims.DatabaseClaims;
import dev.dibs.internal.claims.HeldClaim;
import dev.dibs.internal.claims.store.ClaimStore;
import dev.dibs.internal.claims.store.ClaimedRow;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.run.Call;
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
final class RunExchange<T> {

    private final RunTable table;
    private final DatabaseClaims<T> claims;
    private final RunCounters counters;
    private final RunCursor<T> cursor;

    /** Whether a completion was sent whose outcome is unknown. */
    private boolean sentBefore;

    RunExchange(RunTable table, DatabaseClaims<T> claims, RunCounters counters) {
        this.table = table;
        this.claims = claims;
        this.counters = counters;
        this.cursor = new RunCursor<>(claims);
    }

    /**
     * The next claim and the current state of the run.
     *
     * @param run null if it was never created, or was deleted
     */
    record Next<T>(HeldClaim<T> claim, @Nullable RunSwitches run) {}

    /** Completes rows of the current claim, if there are any, and claims the next ones. */
    Next<T> next(@Nullable HeldClaim<T> current, List<ClaimedRow<T>> finished, int n) throws SqlFailure {
        counters.correct(claims);
        String token = OwnerToken.next();
        Term term = Term.from(claims.keeper().clock(), claims.lease().toMillis());
        ClaimStore.Asked<RowKey> completing = completing(current, finished);
        ClaimStore.Asked<ClaimedRow<T>> claiming = cursor.claim(token, n);
        Call<RunSwitches> reading =
                completing == null ? table.readingSwitches() : counters.countingAndReading(finished.size(), 0);
        ClaimStore.Asked<ClaimedRow<T>> both = claiming.and(reading);
        try {
            if (completing == null || current == null) {
                send(both, false);
            } else {
                sendAndEnd(current, finished, both.after(completing));
            }
        } catch (SqlFailure e) {
            if (e.outcome() == SqlFailure.Outcome.UNKNOWN) {
                claims.keeper().abandon(claims.store(), token);
            }
            throw e;
        }
        if (completing != null) {
            counters.answered(completing.rows().size(), 0);
        }
        cursor.claimed(claiming.rows(), n);
        HeldClaim<T> claim = new HeldClaim<>(claims, token, claiming.rows(), term, true);
        claims.keeper().keep(claim);
        return new Next<>(
                claim, reading.rows().isEmpty() ? null : reading.rows().get(0));
    }

    /** Whether no row was claimed, though there may be free ones. */
    boolean mayHaveMissed() {
        return cursor.mayHaveMissed();
    }

    /** Only completes rows; also after a lost answer, when they may be completed already. */
    void complete(@Nullable HeldClaim<T> current, List<ClaimedRow<T>> finished) throws SqlFailure {
        boolean took = counters.isDoubtful() && counters.resolve();
        if (current == null || finished.isEmpty()) {
            return;
        }
        List<RowKey> keys = keys(finished);
        if (took && sentBefore) {
            // The count is committed, but perhaps only the first of several transactions took effect.
            ClaimStore.Asked<RowKey> rest = claims.store()
                    .change(ClaimStore.Change.COMPLETE, current.token(), keys, 0, current.unfinishedKeys());
            current.changing(keys, () -> {
                claims.send(rest);
                current.done(keys);
                return keys;
            });
            sentBefore = false;
            return;
        }
        counters.correct(claims);
        ClaimStore.Asked<RowKey> completing = completing(current, finished);
        // The earlier statement may still take effect: while our lease lasts, no other worker can have completed the
        // rows.
        boolean maybeDone = sentBefore;
        sendAndEnd(current, finished, completing.and(counters.counting(finished.size(), 0)));
        boolean allDone = maybeDone && keys.stream().allMatch(current::isInTime);
        counters.answered(allDone ? finished.size() : completing.rows().size(), 0);
        sentBefore = false;
    }

    private void sendAndEnd(HeldClaim<T> claim, List<ClaimedRow<T>> finished, ClaimStore.Asked<?> asked)
            throws SqlFailure {
        List<RowKey> keys = keys(finished);
        claim.changing(keys, () -> {
            send(asked, true);
            claim.done(keys);
            return keys;
        });
    }

    private void send(ClaimStore.Asked<?> asked, boolean counts) throws SqlFailure {
        try {
            claims.send(asked);
        } catch (SqlFailure e) {
            if (counts && e.outcome() == SqlFailure.Outcome.UNKNOWN) {
                sentBefore = true;
                counters.doubt();
            } else if (counts) {
                counters.undone();
            }
            throw e;
        }
    }

    /**
     * Null if there are none. The caller counts all of them before it is known which ones were still ours; if some were not, the count is
     * corrected.
     */
    private ClaimStore.@Nullable Asked<RowKey> completing(
            @Nullable HeldClaim<T> current, List<ClaimedRow<T>> finished) {
        if (current == null || finished.isEmpty()) {
            return null;
        }
        ClaimStore.Asked<RowKey> completing = claims.store()
                .change(ClaimStore.Change.COMPLETE, current.token(), keys(finished), 0, current.unfinishedKeys());
        for (ClaimedRow<T> row : finished) {
            if (row.origin() != ClaimedRow.Origin.FREE) {
                completing = completing.and(table.forgetting(row.key()));
            }
        }
        return completing;
    }

    private static <T> List<RowKey> keys(List<ClaimedRow<T>> rows) {
        return rows.stream().map(ClaimedRow::key).toList();
    }

    /** Counts one completed row in the work's transaction. Call {@link #committed} or {@link #inDoubt} afterwards. */
    void countOn(Connection connection, ClaimedRow<T> row) {
        List<Call<?>> calls = new ArrayList<>();
        if (row.origin() != ClaimedRow.Origin.FREE) {
            calls.add(table.forgetting(row.key()));
        }
        calls.add(counters.counting(1, 0));
        try {
            claims.joined(connection, new ClaimStore.Asked<>(calls, List::of));
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
        try {
            ClaimStore.Asked<RowKey> postpone =
                    claims.store().change(ClaimStore.Change.POSTPONE, claim.token(), keys, 0, claim.unfinishedKeys());
            claim.changing(keys, () -> {
                claims.send(postpone);
                claim.done(postpone.rows());
                return keys;
            });
        } catch (SqlFailure e) {
            claims.errors().log("Rows are released in the background", e);
        }
    }
}
