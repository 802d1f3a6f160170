package dev.dibs.internal.claims;

import dev.dibs.claims.ClaimResult;
import dev.dibs.claims.RowKey;
import dev.dibs.internal.claims.store.ClaimTable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Date;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one claim, and which of them a caller means. Only they are sent, as the database wrote them: then a row that was changed
 * cannot be reported as lost because the database and Java disagree whether two spellings are one key.
 *
 * <p>Safe for use by any thread.
 */
final class ClaimedKeys {

    /** What a caller named: keys of the claim, and keys that are none of them, as named. */
    record Named(List<RowKey> ours, List<RowKey> others) {

        /** The outcome if these were changed. */
        ClaimResult with(Collection<RowKey> done) {
            ClaimResult result = result(ours, done);
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

    /** The keys but for the others, in order. */
    static List<RowKey> without(Collection<RowKey> keys, Collection<RowKey> others) {
        Set<RowKey> rest = new LinkedHashSet<>(keys);
        others.forEach(rest::remove);
        return List.copyOf(rest);
    }

    private final ClaimTable table;
    private final Set<RowKey> keys;

    /** By what each column's text means; a list of keys, since Java may take two for one. Made when it is first needed. */
    private volatile @Nullable Map<List<Object>, Set<RowKey>> byMeaning;

    /** By the driver's objects. */
    private volatile @Nullable Map<List<Object>, Set<RowKey>> byObject;

    /** What the database has said of other spellings. */
    private final Map<RowKey, RowKey> spellings = new ConcurrentHashMap<>();

    ClaimedKeys(ClaimTable table, Collection<RowKey> keys) {
        this.table = table;
        this.keys = new LinkedHashSet<>(keys);
    }

    /**
     * Finds the keys.
     *
     * @param asked asks the database for the keys of the rows that it finds by a key
     * @throws IllegalArgumentException if a value is of a wrong type, or is that of two keys to Java
     */
    Named find(Collection<?> named, Function<RowKey, List<RowKey>> asked) {
        Set<RowKey> ours = new LinkedHashSet<>();
        Set<RowKey> others = new LinkedHashSet<>();
        for (Object one : named) {
            RowKey own = findOne(one, asked);
            if (own == null) {
                others.add(table.check(one));
            } else {
                ours.add(own);
            }
        }
        return new Named(List.copyOf(ours), List.copyOf(others));
    }

    /** The same for one key; null if it is none of the claim's. */
    @Nullable
    RowKey findOne(Object one, Function<RowKey, List<RowKey>> asked) {
        RowKey named = table.check(one);
        if ((one instanceof RowKey || !hasDate(named)) && keys.contains(named)) {
            return named;
        }
        RowKey own = one(named, byObject().getOrDefault(named.values(), Set.of()));
        if (own == null) {
            own = one(named, byMeaning().getOrDefault(table.meaningOf(named), Set.of()));
        }
        return own == null && table.isComparedByDatabase() ? findSpelled(named, asked) : own;
    }

    /** The text of such a value depends on the JVM's time zone. */
    private static boolean hasDate(RowKey named) {
        return named.values().stream().anyMatch(Date.class::isInstance);
    }

    private static @Nullable RowKey one(RowKey named, Set<RowKey> found) {
        if (found.size() > 1) {
            throw new IllegalArgumentException("the key '" + named + "' is that of several rows of the claim, " + found
                    + ", in the time zone of this JVM; name the row by its RowKey, as keys() has it");
        }
        return found.isEmpty() ? null : found.iterator().next();
    }

    private Map<List<Object>, Set<RowKey>> byMeaning() {
        Map<List<Object>, Set<RowKey>> known = byMeaning;
        if (known == null) {
            known = grouped(table::meaningOfDatabase);
            byMeaning = known;
        }
        return known;
    }

    private Map<List<Object>, Set<RowKey>> byObject() {
        Map<List<Object>, Set<RowKey>> known = byObject;
        if (known == null) {
            known = grouped(RowKey::values);
            byObject = known;
        }
        return known;
    }

    private Map<List<Object>, Set<RowKey>> grouped(Function<RowKey, List<Object>> by) {
        Map<List<Object>, Set<RowKey>> groups = new HashMap<>();
        keys.forEach(key -> groups.computeIfAbsent(by.apply(key), unused -> new LinkedHashSet<>())
                .add(key));
        return groups;
    }

    /** The database compares texts by collations. It is asked only about texts beside which all else is that of one of our keys. */
    private @Nullable RowKey findSpelled(RowKey named, Function<RowKey, List<RowKey>> asked) {
        RowKey known = spellings.get(named);
        if (known != null) {
            return known;
        }
        List<Object> meant = table.meaningOf(named);
        Set<RowKey> likely = new LinkedHashSet<>();
        for (RowKey key : keys) {
            RowKey candidate = table.withTexts(key, meant);
            if (candidate != null) {
                likely.add(candidate);
            }
        }
        for (RowKey candidate : likely) {
            for (RowKey row : asked.apply(candidate)) {
                if (keys.contains(row)) {
                    spellings.put(named, row);
                    return row;
                }
            }
        }
        return null;
    }
}
