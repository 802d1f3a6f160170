package dev.dibs.internal.claims.store;

import dev.dibs.claims.RowKey;
import java.lang.System.Logger.Level;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Rows that the database does not mark, and tells no error: a trigger, a rule or a policy refuses their change. Claims pass them over for a
 * minute, and then try them again.
 *
 * <p>Safe for use by any thread.
 */
public final class RefusedRows {

    /** For claims that do not change the user's rows. */
    static final RefusedRows NONE = new RefusedRows("");

    /** What people should know of them. */
    public static final String WHY =
            "the database does not change the row, and tells no error: a trigger that returns NULL"
                    + " or keeps the columns, RAISE(IGNORE), a rule or row-level security refuses it";

    private static final System.Logger LOG = System.getLogger("dev.dibs");
    private static final long PASSED_OVER = TimeUnit.MINUTES.toNanos(1);
    private static final int MOST = 10_000;

    private final String table;
    private final long created = System.nanoTime();

    /** When each was found last, in nanoseconds since the creation of this object. */
    private final Map<RowKey, Long> rows = new ConcurrentHashMap<>();

    private final AtomicLong last = new AtomicLong();
    private final AtomicBoolean suspected = new AtomicBoolean();

    RefusedRows(String table) {
        this.table = table;
    }

    /** Whether claims pass over none now. */
    boolean isEmpty() {
        return last.get() == 0 || last.get() <= now() - PASSED_OVER;
    }

    /** Lets the next claim look for such rows: rows are left, and claims find none. */
    public void suspect() {
        suspected.set(true);
    }

    boolean isSuspected() {
        return suspected.compareAndSet(true, false);
    }

    /** Those that claims pass over. */
    public List<RowKey> keys() {
        return foundLatelyAfter(0);
    }

    /** Those of them that were found after a time of {@link #last}. */
    public List<RowKey> foundLatelyAfter(long time) {
        return foundAfter(Math.max(time, now() - PASSED_OVER));
    }

    private long now() {
        return System.nanoTime() - created;
    }

    /** Those that were found after a time of {@link #last}; all after 0. */
    public List<RowKey> foundAfter(long time) {
        return rows.entrySet().stream()
                .filter(row -> row.getValue() > time)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** When one was found last; 0 if none was. */
    public long last() {
        return last.get();
    }

    /** They are to be tried again. */
    public void forget(Collection<RowKey> keys) {
        keys.forEach(rows::remove);
    }

    /**
     * After a claim within one transaction. Returns whether there is a row that is not known yet.
     *
     * @param before free rows that were locked before it
     * @param after free rows after it
     */
    boolean found(List<RowKey> before, Collection<RowKey> claimed, List<RowKey> after) {
        Set<RowKey> refused = new LinkedHashSet<>(after);
        refused.retainAll(new HashSet<>(before));
        // If a row became free in between, the claim may not have come to the last ones.
        if (refused.isEmpty() || !before.containsAll(claimed)) {
            return false;
        }
        if (rows.size() + refused.size() > MOST) {
            rows.values().removeIf(time -> time <= now() - PASSED_OVER);
        }
        Set<RowKey> news = new LinkedHashSet<>();
        for (RowKey key : refused) {
            // Each time is another one.
            if (rows.put(key, last.updateAndGet(time -> Math.max(time + 1, now()))) == null) {
                news.add(key);
            }
        }
        if (!news.isEmpty()) {
            LOG.log(Level.WARNING, "claims on " + table + " pass over the rows " + news + " for a minute: " + WHY);
        }
        return true;
    }
}
