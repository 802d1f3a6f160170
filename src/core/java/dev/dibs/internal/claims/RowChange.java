package dev.dibs.internal.claims;

import dev.dibs.DatabaseFailureException;
import dev.dibs.claims.RowKey;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A change of claimed rows, from before it is sent until its outcome is known. A renewal that misses one of the rows meanwhile does not
 * report it as lost.
 *
 * <p>For one thread.
 */
public final class RowChange implements AutoCloseable {

    /** The claim that has the rows. */
    interface Owner {

        /** Whether nobody else can have the row yet. */
        boolean isInTime(RowKey key);

        /** A change has ended. */
        void changed();
    }

    private final List<RowKey> keys;
    private final Owner claim;
    private final HeldRows rows;

    private final List<RowKey> held;
    /** Lost rows may still be ours in the database. Rows that the claim had released before are in neither list: they are not changed. */
    private final List<RowKey> lost;

    private boolean answerLost;
    /** Those that were still held when an answer was lost. Others, which another thread has released or closed, may be anybody's. */
    private List<RowKey> heldWhenLost = List.of();

    /**
     * Before it is sent.
     *
     * @param rows those of the claim
     */
    RowChange(List<RowKey> keys, Owner claim, HeldRows rows) {
        this.keys = keys;
        this.claim = claim;
        this.rows = rows;
        // A row that is being changed is not lost. But another thread may release it, or close the claim.
        rows.begin(keys);
        held = ClaimedKeys.within(keys, rows.held);
        lost = held.size() == keys.size() ? List.of() : ClaimedKeys.within(keys, rows.lost);
    }

    List<RowKey> keys() {
        return keys;
    }

    /** It was sent, and the answer was lost. */
    void answerLost() {
        if (!answerLost) {
            answerLost = true;
            heldWhenLost = ClaimedKeys.within(held, rows.held);
        }
    }

    /**
     * The rows that it has changed. If a row is not ours any more when the change is sent again, the first statement has changed it: nobody
     * else can have claimed it while its lease lasts.
     */
    Collection<RowKey> appliedRows(Collection<RowKey> answered) {
        if (!answerLost) {
            return answered;
        }
        Set<RowKey> changed = new LinkedHashSet<>(answered);
        heldWhenLost.stream().filter(claim::isInTime).forEach(changed::add);
        return changed;
    }

    /**
     * Fails if it is not known whether a row was changed: the answer was lost, and so was the row when the change was sent again.
     *
     * @param changed what is known to be changed
     */
    void requireKnown(Collection<RowKey> changed, String table) {
        if (!answerLost) {
            return;
        }
        Set<RowKey> unclear = new LinkedHashSet<>(held);
        unclear.addAll(lost);
        changed.forEach(unclear::remove);
        if (!unclear.isEmpty()) {
            throw new DatabaseFailureException("whether the rows " + unclear + " of " + table
                    + " were completed is not known: the answer was lost, and when it was sent again the claim had"
                    + " expired; look in your table");
        }
    }

    @Override
    public void close() {
        rows.end(keys);
        claim.changed();
    }
}
