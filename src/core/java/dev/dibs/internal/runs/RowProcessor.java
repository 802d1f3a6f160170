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
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
     * @param transaction counts the row in the transaction that completes it, if there is one here
     * @param current is notified when the user's work begins and ends, since only that may be interrupted
     */
    Outcome process(HeldClaim<T> claim, ClaimedRow<T> row, BatchTransaction<T> transaction, CurrentRow current)
            throws Exception;

    /** Runs the work; the row is completed later, with others. */
    record Plain<T>(RunWork<T> work) implements RowProcessor<T> {

        @Override
        public Outcome process(
                HeldClaim<T> claim, ClaimedRow<T> row, BatchTransaction<T> transaction, CurrentRow current)
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
        public Outcome process(
                HeldClaim<T> claim, ClaimedRow<T> row, BatchTransaction<T> transaction, CurrentRow current)
                throws Exception {
            Patience patience = RetryPolicy.RUN_TRANSACTION.begin();
            while (true) {
                try {
                    return once(claim, row, transaction, current);
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

        private Outcome once(HeldClaim<T> claim, ClaimedRow<T> row, BatchTransaction<T> transaction, CurrentRow current)
                throws Exception {
            Throwable failure;
            try (GuardedTransaction own = context.transactions().beginForRow()) {
                if (!work(claim, row, own, current)) {
                    return Outcome.LOST;
                }
                // From here on an interrupt would only do harm: it closes the file of an embedded database.
                try (HeldInterrupt unused = new HeldInterrupt()) {
                    if (!claim.isHeld(row.key())) {
                        return Outcome.LOST;
                    }
                    if (!claim.complete(own.connection(), List.of(row.key())).isComplete()) {
                        return Outcome.MISSED;
                    }
                    transaction.countOn(own.connection(), row);
                    failure = commit(own);
                    if (failure == null) {
                        transaction.committed();
                        return Outcome.COMPLETED;
                    }
                }
            }
            // The connection is back before another one is asked, and the transaction has ended before the row's entry
            // is read.
            try (HeldInterrupt unused = new HeldInterrupt()) {
                if (transaction.inDoubt()) {
                    return Outcome.COMPLETED;
                }
            }
            if (failure instanceof Error error) {
                throw error;
            }
            throw (Exception) failure;
        }

        /** A driver whose connection died may throw anything. */
        private static @Nullable Throwable commit(GuardedTransaction own) {
            try {
                own.commit();
                return null;
            } catch (SQLException | RuntimeException | Error e) {
                return e;
            }
        }

        /** Returns false, and does nothing, if the row was lost while we waited for a connection. */
        private boolean work(HeldClaim<T> claim, ClaimedRow<T> row, GuardedTransaction own, CurrentRow current)
                throws Exception {
            current.begin();
            try {
                if (!claim.isHeld(row.key())) {
                    return false;
                }
                LentConnection lent = own.lend();
                work.process(row.value(), lent.get());
                lent.requireCommittable();
                return true;
            } finally {
                current.end();
            }
        }
    }
}
