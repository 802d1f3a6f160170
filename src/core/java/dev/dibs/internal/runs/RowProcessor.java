package dev.dibs.internal.runs;

import dev.dibs.internal.claims.HeldClaim;
import dev.dibs.internal.claims.store.ClaimedRow;
import dev.dibs.internal.guarded.GuardedTransaction;
import dev.dibs.internal.guarded.LentConnection;
import dev.dibs.internal.instance.Context;
import dev.dibs.internal.retry.Patience;
import dev.dibs.internal.retry.RetryPolicy;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.time.HeldInterrupt;
import dev.dibs.runs.RunTransactionWork;
import dev.dibs.runs.RunWork;
import java.util.List;

/**
 * The way a worker processes one row.
 *
 * @param <T> the type that a row is mapped to
 */
interface RowProcessor<T> {

    /** The outcome for a row whose work did not fail. */
    enum Outcome {
        /** The work is done; the row is still to be completed. */
        WORKED,
        /** The work is done and the row completed. */
        COMPLETED,
        /** The row was not ours any more, and nothing was done. */
        LOST,
        /** The completion has not found the row, and nothing was done. */
        MISSED
    }

    /**
     * Processes one row.
     *
     * @param batch counts the row in the transaction that completes it, if there is one here
     * @param current is notified when the user's work begins and ends, since only that may be interrupted
     */
    Outcome process(HeldClaim<T> claim, ClaimedRow<T> row, Batch<T> batch, CurrentRow current) throws Exception;

    /** Runs the work; the row is completed later, with others. */
    record Plain<T>(RunWork<T> work) implements RowProcessor<T> {

        @Override
        public Outcome process(HeldClaim<T> claim, ClaimedRow<T> row, Batch<T> batch, CurrentRow current)
                throws Exception {
            current.begin();
            try {
                work.process(row.value());
            } finally {
                current.end();
            }
            return Outcome.WORKED;
        }
    }

    /** Runs the work in the transaction that completes the row. */
    record InTransaction<T>(RunTransactionWork<T> work, Context context) implements RowProcessor<T> {

        /**
         * If the database rolled the transaction back, as the victim of a deadlock or after a wait for a lock, that is no failure of the row:
         * it is run again, unless it was lost.
         */
        @Override
        public Outcome process(HeldClaim<T> claim, ClaimedRow<T> row, Batch<T> batch, CurrentRow current)
                throws Exception {
            Patience patience = RetryPolicy.RUN_TRANSACTION.begin();
            while (true) {
                try {
                    return once(claim, row, batch, current);
                } catch (SqlFailure e) {
                    throw e;
                } catch (Exception e) {
                    if (!context.database().errors().isRolledBack(e)) {
                        throw e;
                    }
                    if (!claim.isHeld(row.key())) {
                        return Outcome.LOST;
                    }
                    if (!patience.allowsCollision()) {
                        throw e;
                    }
                }
                patience.pause();
            }
        }

        private Outcome once(HeldClaim<T> claim, ClaimedRow<T> row, Batch<T> batch, CurrentRow current)
                throws Exception {
            boolean commits = false;
            try (GuardedTransaction own = context.transactions().beginForRow()) {
                current.begin();
                try {
                    // It may be lost since we waited for a connection.
                    if (!claim.isHeld(row.key())) {
                        return Outcome.LOST;
                    }
                    LentConnection lent = own.lend();
                    work.process(row.value(), lent.get());
                    lent.requireCommittable();
                } finally {
                    current.end();
                }
                // From here on an interrupt would only do harm: it closes the file of an embedded database.
                try (HeldInterrupt unused = new HeldInterrupt()) {
                    if (!claim.isHeld(row.key())) {
                        return Outcome.LOST;
                    }
                    if (!claim.complete(own.connection(), List.of(row.key())).isComplete()) {
                        return Outcome.MISSED;
                    }
                    batch.countOn(own.connection(), row);
                    commits = true;
                    own.commit();
                    batch.committed();
                    return Outcome.COMPLETED;
                }
            } catch (Exception | Error e) {
                // The connection is back before another one is asked, and the transaction has ended before the row's
                // entry is read. A driver whose connection died may throw anything.
                try (HeldInterrupt unused = new HeldInterrupt()) {
                    if (commits && batch.isCommitted()) {
                        return Outcome.COMPLETED;
                    }
                }
                throw e;
            }
        }
    }
}
