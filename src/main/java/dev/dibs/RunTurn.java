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
    private final String worker;

    /** What the count that the database has must be corrected by. */
    private long uncounted;

    RunTurn(RunTable table, RowClaims<T> claims, String worker) {
        this.table = table;
        this.claims = claims;
        this.worker = worker;
    }

    /**
     * The next claim and the run as it is.
     *
     * @param run null if nobody made it, or somebody has deleted it
     */
    record Next<T>(Claim<T> claim, @Nullable RunRow run) {}

    /** Completes rows of the current claim, if there are such, and claims the next ones. */
    Next<T> next(@Nullable Claim<T> current, List<ClaimedRow<T>> finished, int n) throws SqlFailure {
        String token = OwnerToken.next();
        Term term = Term.from(claims.keeper().clock(), claims.lease().toMillis());
        ClaimStore.Asked<RowKey> completing = completing(current, finished);
        ClaimStore.Asked<ClaimedRow<T>> claiming = claims.store().claim(token, n, false);
        Call<RunRow> reading = table.reading();
        try {
            claims.send(claiming.and(reading).after(completing));
        } catch (SqlFailure e) {
            if (e.outcome() == SqlFailure.Outcome.UNKNOWN) {
                claims.keeper().abandon(claims, token);
            }
            throw e;
        }
        counted(finished, completing.rows());
        Claim<T> claim = new Claim<>(claims, token, claiming.rows(), term, true);
        claims.keeper().keep(claim);
        return new Next<>(
                claim, reading.rows().isEmpty() ? null : reading.rows().get(0));
    }

    /**
     * Completes rows, and nothing else.
     *
     * @param doubtful whether that was sent before and not answered
     */
    void complete(Claim<T> current, List<ClaimedRow<T>> finished, boolean doubtful) throws SqlFailure {
        if (finished.isEmpty() && uncounted == 0) {
            return;
        }
        ClaimStore.Asked<RowKey> completing = completing(current, finished);
        claims.send(completing);
        List<RowKey> done = completing.rows();
        if (doubtful && done.isEmpty()) {
            // The first one got through, and counted: what was added to the count just now was too much.
            uncounted -= finished.size();
        } else {
            counted(finished, done);
        }
    }

    /** Completes the rows and counts them. */
    private ClaimStore.Asked<RowKey> completing(@Nullable Claim<T> current, List<ClaimedRow<T>> finished) {
        long done = finished.size() + uncounted;
        ClaimStore.Asked<RowKey> nothing = new ClaimStore.Asked<>(List.of(), List::of);
        if (current == null || finished.isEmpty()) {
            return done == 0 ? nothing : nothing.and(table.counting(worker, done, 0));
        }
        List<RowKey> keys = finished.stream().map(ClaimedRow::key).toList();
        ClaimStore.Asked<RowKey> completing =
                claims.store().change(ClaimStore.Change.COMPLETE, current.token(), keys, 0, current.heldKeys());
        for (ClaimedRow<T> row : finished) {
            if (row.origin() != ClaimedRow.Origin.FREE) {
                completing = completing.and(table.forgetting(row.key()));
            }
        }
        return completing.and(table.counting(worker, done, 0));
    }

    /** All of them were counted before it was known which ones were still ours: the next turn puts that right. */
    private void counted(List<ClaimedRow<T>> finished, List<RowKey> done) {
        uncounted = (long) done.size() - finished.size();
    }

    /** Counts one completed row in the caller's transaction. */
    void countOn(Connection connection, ClaimedRow<T> row) {
        List<Call<?>> calls = new ArrayList<>();
        if (row.origin() != ClaimedRow.Origin.FREE) {
            calls.add(table.forgetting(row.key()));
        }
        calls.add(table.counting(worker, 1, 0));
        claims.joined(connection, new ClaimStore.Asked<>(calls, List::of));
    }
}
