package dev.dibs.internal.claims;

import dev.dibs.claims.ClaimResult;
import dev.dibs.claims.RowKey;
import dev.dibs.internal.claims.store.ClaimTable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The keys of one claim, and which of them a caller names: only they are sent. Safe for use by any thread. */
final class ClaimedKeys {

    /** What a caller named: keys of the claim, and keys that are none of them. */
    record Named(List<RowKey> ours, List<RowKey> others) {

        /** The outcome if these were changed. */
        ClaimResult with(Collection<RowKey> done) {
            ClaimResult result = result(ours, done);
            if (others.isEmpty()) {
                return result;
            }
            List<RowKey> lost = new ArrayList<>(result.lost());
            lost.addAll(others);
            return new ClaimResult(result.done(), List.copyOf(lost));
        }
    }

    /** The outcome for these rows if some are done. */
    static ClaimResult result(List<RowKey> keys, Collection<RowKey> done) {
        List<RowKey> lost = without(keys, done);
        return new ClaimResult(without(keys, lost), lost);
    }

    /** How an error begins that comes after rows were completed. */
    static String completedOnly(ClaimResult completed) {
        return "the rows " + completed.done() + " are completed, but the claim of the next ones failed: ";
    }

    /** The keys but for the others, in order. Usually one of these is empty, or both are the same. */
    static List<RowKey> without(List<RowKey> keys, Collection<RowKey> others) {
        if (keys.isEmpty() || others.isEmpty()) {
            return keys;
        }
        if (others instanceof List<?> same && keys.equals(same)) {
            return List.of();
        }
        Set<RowKey> left = new LinkedHashSet<>(keys);
        others.forEach(left::remove);
        return left.isEmpty() ? List.of() : List.copyOf(left);
    }

    /** Those of the keys that are in the set, in order. */
    static List<RowKey> within(List<RowKey> keys, Set<RowKey> set) {
        return set.containsAll(keys)
                ? keys
                : keys.stream().filter(set::contains).toList();
    }

    private final ClaimTable table;
    private final List<RowKey> keys;

    /** The same for a search among many. Made when it is first needed. */
    private volatile @Nullable Set<RowKey> known;

    ClaimedKeys(ClaimTable table, List<RowKey> keys) {
        this.table = table;
        this.keys = keys;
    }

    /**
     * Whether the claim has or had this row.
     *
     * @throws IllegalArgumentException if no row of the table can have this key
     */
    private boolean has(RowKey key) {
        if (keys.size() == 1 ? keys.get(0).equals(key) : known().contains(key)) {
            return true;
        }
        table.check(key);
        return false;
    }

    private Set<RowKey> known() {
        Set<RowKey> set = known;
        if (set == null) {
            set = new HashSet<>(keys);
            known = set;
        }
        return set;
    }

    /**
     * Finds the keys, each once.
     *
     * @throws IllegalArgumentException if no row of the table can have one of them
     */
    Named find(Collection<RowKey> named) {
        if (named.size() == 1) {
            List<RowKey> one = List.copyOf(named);
            return has(one.get(0)) ? new Named(one, List.of()) : new Named(List.of(), one);
        }
        Set<RowKey> ours = new LinkedHashSet<>();
        Set<RowKey> others = new LinkedHashSet<>();
        for (RowKey key : named) {
            (has(key) ? ours : others).add(key);
        }
        return new Named(List.copyOf(ours), List.copyOf(others));
    }
}
