package dev.dibs.internal.runs;

import dev.dibs.claims.RowKey;
import dev.dibs.internal.claims.ClaimStore;
import dev.dibs.internal.claims.ClaimedRow;
import dev.dibs.internal.claims.DatabaseClaims;
import dev.dibs.internal.claims.HeldClaim;
import dev.dibs.internal.sql.Call;
import dev.dibs.internal.sql.SqlFailure;
import dev.dibs.internal.time.Term;
import dev.dibs.internal.values.OwnerToken;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one worker sends to the database: the rows that it completes, what it counts, and the next claim, in one transaction and,
 * where the database can, one round trip. The run's row comes back with it.
 *
 * <p>For one thread.
 */
final class RunExchange<T> {

    private final RunTable table;
    private final DatabaseClaims<T> claims;
    private final RunCounters counters;
    private final RunCursor<T> cursor;

    /** Whether rows were sent to be completed and nobody knows whether they are. */
    private boolean sentBefore;

    RunExchange(RunTable table, DatabaseClaims<T> claims, RunCounters counters) {
        this.table = table;
        this.claims = claims;
        this.counters = counters;
        this.cursor = new RunCursor<>(claims);
    }

    /**
     * The next claim and the run as it is.
     *
     * @param run null if nobody made it, or somebody has deleted it
     */
    record Next<T>(HeldClaim<T> claim, @Nullable RunRow run) {}

    /** Completes rows of the current claim, if there are such, and claims the next ones. */
    Next<T> next(@Nullable HeldClaim<T> current, List<ClaimedRow<T>> finished, int n) throws SqlFailure {
        counters.correct(claims);
        String token = OwnerToken.next();
        Term term = Term.from(claims.keeper().clock(), claims.lease().toMillis());
        ClaimStore.Asked<RowKey> completing = completing(current, finished);
        ClaimStore.Asked<ClaimedRow<T>> claiming = cursor.claim(token, n);
        Call<RunRow> reading = table.reading();
        ClaimStore.Asked<ClaimedRow<T>> both = claiming.and(reading);
        try {
            send(completing == null ? both : both.after(completing), completing != null);
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

    /** Whether nothing was claimed, though there may be free rows. */
    boolean mayHaveMissed() {
        return cursor.mayHaveMissed();
    }

    /** Completes rows, and nothing else; also after a lost answer, when it may have been done before. */
    void complete(@Nullable HeldClaim<T> current, List<ClaimedRow<T>> finished) throws SqlFailure {
        boolean took = counters.isDoubtful() && counters.resolve();
        if (current == null || finished.isEmpty()) {
            return;
        }
        List<RowKey> keys = keys(finished);
        if (took && sentBefore) {
            // It is counted, but only the first of several transactions may have got through.
            claims.send(
                    claims.store().change(ClaimStore.Change.COMPLETE, current.token(), keys, 0, current.heldKeys()));
            sentBefore = false;
            return;
        }
        counters.correct(claims);
        ClaimStore.Asked<RowKey> completing = completing(current, finished);
        // What was on its way may come through after all: while our time has not passed nobody else can have done it.
        boolean maybeDone = sentBefore;
        send(completing, true);
        boolean allDone = maybeDone && current.isValid();
        counters.answered(allDone ? finished.size() : completing.rows().size(), 0);
        sentBefore = false;
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

    /** All of them are counted before it is known which ones were still ours: if not all were, that is corrected. */
    private ClaimStore.@Nullable Asked<RowKey> completing(
            @Nullable HeldClaim<T> current, List<ClaimedRow<T>> finished) {
        if (current == null || finished.isEmpty()) {
            return null;
        }
        ClaimStore.Asked<RowKey> completing = claims.store()
                .change(ClaimStore.Change.COMPLETE, current.token(), keys(finished), 0, current.heldKeys());
        for (ClaimedRow<T> row : finished) {
            if (row.origin() != ClaimedRow.Origin.FREE) {
                completing = completing.and(table.forgetting(row.key()));
            }
        }
        return completing.and(counters.counting(finished.size(), 0));
    }

    private static <T> List<RowKey> keys(List<ClaimedRow<T>> rows) {
        return rows.stream().map(ClaimedRow::key).toList();
    }

    /** Counts one completed row in a transaction of the work's; to be followed by {@link #committed} or {@link #inDoubt}. */
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

    /** The commit failed: returns whether it took effect nonetheless. */
    boolean inDoubt() throws SqlFailure {
        counters.doubt();
        return counters.resolve();
    }

    /** Lets go of rows that were not free before, so that the next one who claims them knows: they have an entry. */
    void giveBack(HeldClaim<T> claim) {
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
                    claims.store().change(ClaimStore.Change.POSTPONE, claim.token(), keys, 0, claim.heldKeys());
            claims.send(postpone);
            claim.done(postpone.rows());
        } catch (SqlFailure e) {
            claims.errors().log("Rows are released in the background", e);
        }
    }
}
