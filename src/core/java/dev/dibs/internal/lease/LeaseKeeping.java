package dev.dibs.internal.lease;

import dev.dibs.LeaseLostException;
import dev.dibs.internal.guarded.GuardedTransactions;
import java.sql.Connection;
import java.util.function.Consumer;

/** What a lease needs of its keeper: the renewal, the watch over its deadline, the calls of the database. */
interface LeaseKeeping {

    /** Makes the heartbeat renew it now. */
    void renewSoon(HeldLease lease);

    /** Asks the database now whether the lease is still ours. */
    void confirm(HeldLease lease);

    /**
     * Lets a timed lease last that long from now on. Returns false if it is lost.
     *
     * @param held for how long its row is busy even if it is released
     */
    boolean extend(HeldLease lease, long millis, long held);

    /** Joins the caller's transaction, so that nobody can take the lease over before it ends. */
    void guard(HeldLease lease, Connection connection);

    /** Runs work in transactions that are exclusive up to their commit. */
    GuardedTransactions transactions();

    /** Stops renewing and watching it. */
    void forget(HeldLease lease);

    /** The lease is lost here; its row may still have our owner token. */
    void lost(HeldLease lease, LeaseLostException reason);

    /** Releases it in the database, and gives the lease the answer. */
    void release(HeldLease lease);

    /** The lease is ended here; another statement ends it in the database. {@link #closedThere} follows. */
    void closedHere(HeldLease lease);

    /** That statement was answered, or the background has the rest: nobody who closes has to wait for it any more. */
    void closedThere();

    /** Releases it in the background. */
    void releaseLater(HeldLease lease);

    /** Calls the user's code on a thread that nothing else waits for. */
    void callBack(Consumer<? super LeaseLostException> callback, LeaseLostException lost);
}
