package dev.dibs.internal.claims;

import dev.dibs.claims.RowKey;
import dev.dibs.internal.time.Term;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a claim that are still ours, as far as this process knows, and until when.
 *
 * <p>A row may also leave because we change it: a renewal that misses it must not report it as lost. Safe for use by any thread.
 */
final class HeldRows {

    final Set<RowKey> held;
    /** Rows that are lost but not released: expired rows can still be changed as long as nobody has claimed them. */
    final Set<RowKey> lost = ConcurrentHashMap.newKeySet();

    private volatile Term term;
    /** The latest term that was found in doubt. */
    private volatile @Nullable Term doubted;

    private final ReentrantLock answering = new ReentrantLock();
    /** Rows that were locked when the others were renewed: these keep the term that they had. */
    private final Map<RowKey, Term> ownTerms = new ConcurrentHashMap<>();
    /** How many changes of a row are under way. */
    private final Map<RowKey, Integer> changing = new ConcurrentHashMap<>();
    /** Rows that were completed in a transaction of the caller, each with a number for that completion. */
    private final Map<RowKey, Long> completedByCaller = new ConcurrentHashMap<>();

    private final AtomicLong completions = new AtomicLong();

    HeldRows(Collection<RowKey> keys, Term term) {
        this.held = ConcurrentHashMap.newKeySet(keys.size());
        this.held.addAll(keys);
        this.term = term;
    }

    /** Those of the keys that are held or lost, in order. A row that is being lost meanwhile is in one of the sets: see {@link #lose}. */
    List<RowKey> unfinished(List<RowKey> keys) {
        return held.containsAll(keys)
                ? keys
                : keys.stream()
                        .filter(key -> held.contains(key) || lost.contains(key))
                        .toList();
    }

    /** Whether the time of the claim is not over: that of its rows that could be renewed. */
    boolean isInTime() {
        return isInTime(term);
    }

    /** Whether the time of this row is not over. */
    boolean isInTime(RowKey key) {
        return isInTime(ownTerms.getOrDefault(key, term));
    }

    private boolean isInTime(Term own) {
        return !own.isOver() && !isDoubted(own);
    }

    /** A clock that is set back ends no doubt: only a later term does. */
    private boolean isDoubted(Term own) {
        Term before = doubted;
        if (before != null && !own.isLaterThan(before)) {
            return true;
        }
        if (!own.isInDoubt()) {
            return false;
        }
        answering.lock();
        try {
            if (doubted == null || own.isLaterThan(doubted)) {
                doubted = own;
            }
        } finally {
            answering.unlock();
        }
        return true;
    }

    /** Nanoseconds until the next row passes; 0 or less if all have. */
    long remainingNanos() {
        long left = term.remainingNanos();
        if (ownTerms.isEmpty()) {
            return left;
        }
        for (Map.Entry<RowKey, Term> row : ownTerms.entrySet()) {
            long own = row.getValue().remainingNanos();
            if (own > 0 && held.contains(row.getKey())) {
                left = Math.min(left, own);
            }
        }
        return left;
    }

    boolean isAnyOver() {
        return term.isOver()
                || (!ownTerms.isEmpty()
                        && ownTerms.keySet().stream().anyMatch(key -> held.contains(key) && isOver(key)));
    }

    boolean isOver(RowKey key) {
        return ownTerms.getOrDefault(key, term).isOver();
    }

    /** The completions in transactions of the caller that there were so far: look before a renewal is sent. */
    Map<RowKey, Long> completedByCaller() {
        return completedByCaller.isEmpty() ? Map.of() : Map.copyOf(completedByCaller);
    }

    /**
     * After a renewal. What has expired meanwhile stays so: a loss is final. Of two renewals at the same time, either may be answered
     * first.
     *
     * @param skipped rows that were not renewed
     * @param before {@link #completedByCaller} before the renewal was sent. If such a row was renewed, its transaction was rolled back
     */
    void renewed(Collection<RowKey> renewed, Collection<RowKey> skipped, Term next, Map<RowKey, Long> before) {
        answering.lock();
        try {
            Term now = term;
            skipped.forEach(key -> ownTerms.putIfAbsent(key, now));
            if (!renewed.isEmpty() && !now.isOver() && next.isLaterThan(now)) {
                term = next;
            }
            for (RowKey key : renewed) {
                ownTerms.computeIfPresent(key, (row, own) -> own.isOver() ? own : later(own, next));
                completedByCaller.computeIfPresent(
                        key, (row, completion) -> completion.equals(before.get(row)) ? null : completion);
            }
        } finally {
            answering.unlock();
        }
    }

    /** The later one of two terms; null if that is not before the claim's own. */
    private @Nullable Term later(Term own, Term next) {
        Term later = next.isLaterThan(own) ? next : own;
        return term.isLaterThan(later) ? later : null;
    }

    void begin(Collection<RowKey> keys) {
        keys.forEach(key -> changing.merge(key, 1, Integer::sum));
    }

    /** It has ended. Rows that have left by it are {@link #done} before. */
    void end(Collection<RowKey> keys) {
        keys.forEach(key -> changing.computeIfPresent(key, (row, count) -> count == 1 ? null : count - 1));
    }

    /** Before a completion in the caller's transaction is sent, and after it, when the rows are locked. */
    void join(Collection<RowKey> keys) {
        long completion = completions.incrementAndGet();
        keys.forEach(key -> completedByCaller.put(key, completion));
    }

    /** These are no longer ours. */
    void done(Collection<RowKey> keys) {
        for (RowKey key : keys) {
            held.remove(key);
            lost.remove(key);
            completedByCaller.remove(key);
        }
    }

    /** These have gone. Returns those of them that are lost: they were held until now, and have not left by a change of ours. */
    List<RowKey> lose(Collection<RowKey> keys) {
        List<RowKey> newlyLost = new ArrayList<>();
        for (RowKey key : keys) {
            if (!held.contains(key) || changing.containsKey(key)) {
                continue;
            }
            // First this, so that a caller that sends it meanwhile finds it in one of the two sets.
            lost.add(key);
            if (held.remove(key) && !completedByCaller.containsKey(key)) {
                newlyLost.add(key);
            }
        }
        return newlyLost;
    }
}
