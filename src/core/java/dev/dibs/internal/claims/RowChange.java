package dev.dibs.internal.claims;

import dev.dibs.claims.RowKey;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * A change of claimed rows, from before it is sent until its outcome is known. A renewal that misses one of the rows meanwhile does not
 * report it as lost.
 *
 * <p>For one thread.
 */
public final class RowChange implements AutoCloseable {

    private final List<RowKey> keys;
    private final Predicate<RowKey> isInTime;
    private final Runnable end;
    private final Set<RowKey> held;
    /** Lost rows may still be ours in the database. Rows that the claim had released before are in neither set: they are not changed. */
    private final Set<RowKey> lost;

    private boolean unanswered;

    /**
     * Before it is sent.
     *
     * @param rows the claim's
     * @param isInTime whether nobody else can have a row yet
     * @param end runs when the outcome is known
     */
    RowChange(List<RowKey> keys, HeldRows rows, Predicate<RowKey> isInTime, Runnable end) {
        this.keys = keys;
        this.isInTime = isInTime;
        this.end = end;
        this.held = new LinkedHashSet<>(keys);
        this.lost = new LinkedHashSet<>(keys);
        held.retainAll(rows.held());
        lost.retainAll(rows.lost());
        lost.removeAll(held);
    }

    List<RowKey> keys() {
        return keys;
    }

    /** It was sent, and the answer was lost. */
    void unanswered() {
        unanswered = true;
    }

    /**
     * The rows that it has changed. If a row is not ours any more when the change is sent again, the first statement has changed it: nobody
     * else can have claimed it while its lease lasts.
     */
    Set<RowKey> changed(Collection<RowKey> answered) {
        Set<RowKey> changed = new LinkedHashSet<>(answered);
        if (unanswered) {
            held.stream().filter(isInTime).forEach(changed::add);
        }
        return changed;
    }

    /** The rows of which that is not known: the answer was lost, and so was the row when it was sent again. */
    Set<RowKey> unclear(Set<RowKey> changed) {
        Set<RowKey> unclear = new LinkedHashSet<>();
        if (unanswered) {
            unclear.addAll(held);
            unclear.addAll(lost);
            unclear.removeAll(changed);
        }
        return unclear;
    }

    @Override
    public void close() {
        end.run();
    }
}
