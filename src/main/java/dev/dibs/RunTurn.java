package dev.dibs;

import dev.dibs.sql.Call;
import dev.dibs.sql.SqlFailure;
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
final class RunTurn<T> {

    private final RunTable table;
    private final RowClaims<T> claims;
    private final RunTally tally;

    /** Whether rows were sent to be completed and nobody knows whether they are. */
    private boolean sentBefore;

    RunTurn(RunTable table, RowClaims<T> claims, RunTally tally) {
        this.table = table;
        this.claims = claims;
        this.tally = tally;
    }

    /**
     * The next claim and the run as it is.
     *
     * @param run null if nobody made it, or somebody has deleted it
     */
    record Next<T>(Claim<T> claim, @Nullable RunRow run) {}

    /** Completes rows of the current claim, if there are such, and claims the next ones. */
    Next<T> next(@Nullable Claim<T> current, List<ClaimedRow<T>> finished, int n) throws SqlFailure {
        tally.correct(claims);
        String token = OwnerToken.next();
        Term term = Term.from(claims.keeper().clock(), claims.lease().toMillis());
        List<Call<?>> calls = new ArrayList<>();
        ClaimStore.Asked<RowKey> completing = completing(calls, current, finished);
        ClaimStore.Asked<ClaimedRow<T>> claiming = claims.store().claim(token, n, false);
        calls.addAll(claiming.calls());
        Call<RunRow> reading = table.reading();
        calls.add(reading);
        try {
            send(calls, completing);
        } catch (SqlFailure e) {
            if (e.outcome() == SqlFailure.Outcome.UNKNOWN) {
                claims.keeper().abandon(claims, token);
            }
            throw e;
        }
        if (completing != null) {
            tally.answered(completing.rows().size(), 0);
        }
        Claim<T> claim = new Claim<>(claims, token, claiming.rows(), term, true);
        claims.keeper().keep(claim);
        return new Next<>(
                claim, reading.rows().isEmpty() ? null : reading.rows().get(0));
    }

    /** Completes rows, and nothing else; also after a lost answer, when it may have been done before. */
    void complete(@Nullable Claim<T> current, List<ClaimedRow<T>> finished) throws SqlFailure {
        boolean took = tally.isDoubtful() && tally.resolve();
        if (took && sentBefore) {
            sentBefore = false;
            return;
        }
        tally.correct(claims);
        List<Call<?>> calls = new ArrayList<>();
        ClaimStore.Asked<RowKey> completing = completing(calls, current, finished);
        if (current == null || completing == null) {
            return;
        }
        // What was on its way may have come through after all: while our time has not passed nobody else can have done
        // it.
        boolean maybeDone = sentBefore;
        send(calls, completing);
        boolean allDone = maybeDone && current.isValid();
        tally.answered(allDone ? finished.size() : completing.rows().size(), 0);
        sentBefore = false;
    }

    private void send(List<Call<?>> calls, ClaimStore.@Nullable Asked<RowKey> completing) throws SqlFailure {
        try {
            claims.send(calls);
        } catch (SqlFailure e) {
            if (completing != null && e.outcome() == SqlFailure.Outcome.UNKNOWN) {
                sentBefore = true;
                tally.doubt();
            } else if (completing != null) {
                tally.undone();
            }
            throw e;
        }
    }

    /** All of them are counted before it is known which ones were still ours: if not all were, that is corrected. */
    private ClaimStore.@Nullable Asked<RowKey> completing(
            List<Call<?>> calls, @Nullable Claim<T> current, List<ClaimedRow<T>> finished) {
        if (current == null || finished.isEmpty()) {
            return null;
        }
        List<RowKey> keys = finished.stream().map(ClaimedRow::key).toList();
        ClaimStore.Asked<RowKey> completing =
                claims.store().change(ClaimStore.Change.COMPLETE, current.token(), keys, 0);
        calls.addAll(completing.calls());
        for (ClaimedRow<T> row : finished) {
            forget(calls, row);
        }
        calls.add(tally.counting(finished.size(), 0));
        return completing;
    }

    private void forget(List<Call<?>> calls, ClaimedRow<T> row) {
        if (row.origin() != ClaimedRow.Origin.FREE) {
            calls.add(table.forgetting(row.key()));
        }
    }

    /** Counts one completed row in a transaction of the work's; to be followed by {@link #committed} or {@link #inDoubt}. */
    void countOn(Connection connection, ClaimedRow<T> row) {
        List<Call<?>> calls = new ArrayList<>();
        forget(calls, row);
        calls.add(tally.counting(1, 0));
        try {
            claims.joined(connection, new ClaimStore.Asked<>(calls, List::of));
        } catch (RuntimeException e) {
            tally.undone();
            throw e;
        }
    }

    void committed() {
        tally.answered(1, 0);
    }

    /** The commit failed: returns whether it took effect nonetheless. */
    boolean inDoubt() throws SqlFailure {
        tally.doubt();
        return tally.resolve();
    }

    /** Lets go of rows that were not free before, so that the next one who claims them knows: they have an entry. */
    void giveBack(Claim<T> claim) {
        List<RowKey> keys = claim.claimed().stream()
                .filter(row -> row.origin() != ClaimedRow.Origin.FREE)
                .map(ClaimedRow::key)
                .filter(claim.held()::contains)
                .toList();
        if (keys.isEmpty()) {
            return;
        }
        try {
            ClaimStore.Asked<RowKey> putOff = claims.store().change(ClaimStore.Change.PUT_OFF, claim.token(), keys, 0);
            claims.send(putOff.calls());
            claim.done(putOff.rows());
        } catch (SqlFailure e) {
            claims.errors().log("Rows are released in the background", e);
        }
    }
}
