package dev.dibs.internal.claims.store;

import dev.dibs.claims.RowKey;
import java.lang.System.Logger.Level;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Rows that the database does not mark, and tells no error: a trigger or a rule refuses their change. Claims pass them over for a
 * minute, and then try them again. A claim that finds too few rows looks for such ones: once a minute, and when somebody suspects them.
 *
 * <p>Safe for use by any thread.
 */
public final class RefusedRows {

    /** For claims that do not change the user's rows. */
    static final RefusedRows NONE = new RefusedRows("", System::nanoTime);

    /** What people should know of them. */
    public static final String WHY =
            "the database does not change the row, and tells no error: a trigger that returns NULL"
                    + " or keeps the columns, RAISE(IGNORE) or a rule refuses it";

    private static final System.Logger LOG = System.getLogger("dev.dibs");
    private static final long PASSED_OVER = TimeUnit.MINUTES.toNanos(1);
    private static final int MOST = 10_000;

    private final String table;
    private final LongSupplier clock;
    private final long created;

    /** When each was found last, in nanoseconds since the creation of this object. */
    private final Map<RowKey, Long> rows = new ConcurrentHashMap<>();

    private final AtomicLong last = new AtomicLong();
    /** When a claim is to look for them. */
    private final AtomicLong look = new AtomicLong(PASSED_OVER);

    /**
     * For one table.
     *
     * @param clock monotonic time in nanoseconds
     */
    RefusedRows(String table, LongSupplier clock) {
        this.table = table;
        this.clock = clock;
        this.created = clock.getAsLong();
    }

    /** Whether claims pass over none now. */
    boolean isEmpty() {
        return last.get() == 0 || last.get() <= now() - PASSED_OVER;
    }

    /** Lets the next claim look for such rows: rows are left, and claims find none. */
    public void suspect() {
        look.set(0);
    }

    /** Whether the claim that asks is to look for them: others that ask at the same time are not. */
    boolean isSuspected() {
        long due = look.get();
        long now = now();
        return this != NONE && now >= due && look.compareAndSet(due, now + PASSED_OVER);
    }

    /** Those that claims pass over, and that were found after a time of {@link #last}; all of them after 0. */
    public List<RowKey> foundLatelyAfter(long time) {
        return foundAfter(Math.max(time, now() - PASSED_OVER));
    }

    /** In nanoseconds since the creation of this object. */
    long now() {
        return clock.getAsLong() - created;
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

    /** Whether it was found, and is not to be tried again. */
    public boolean has(RowKey key) {
        return rows.containsKey(key);
    }

    /** They are to be tried again. */
    public void forget(Collection<RowKey> keys) {
        keys.forEach(rows::remove);
    }

    /**
     * After a claim within one transaction. Returns whether there is a row that it has left.
     *
     * @param free those that it was to claim: free rows, locked before it
     */
    boolean found(Collection<RowKey> free, Collection<RowKey> claimed) {
        Set<RowKey> refused = new LinkedHashSet<>(free);
        claimed.forEach(refused::remove);
        // If others have released a row in between, all of them are looked at again.
        if (refused.isEmpty() || !free.containsAll(claimed)) {
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
