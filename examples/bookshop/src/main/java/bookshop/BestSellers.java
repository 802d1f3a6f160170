package bookshop;

import com.github.benmanes.caffeine.cache.CacheLoader;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import dev.dibs.Lease;
import dev.dibs.once.Once;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import javax.sql.DataSource;

/**
 * A list that is slow to make. One node makes it and stores it in a table, for all nodes. Each node shows it from a
 * cache of its own, and shows the old list while a new one is made.
 */
public final class BestSellers implements CacheLoader<String, String> {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final Once once;
    private final DataSource dataSource;
    private final Callable<String> slowQuery;
    private final LoadingCache<String, String> cache;

    /**
     * For one node.
     *
     * @param once as in {@code dibs.once("best-sellers").every(Duration.ofDays(30))}
     * @param dataSource the same that Dibs has
     * @param refresh how long the node shows its list before it looks again, such as ten seconds
     * @param background the threads that look, and make the list, while visitors get the old one
     */
    public BestSellers(
            Once once, DataSource dataSource, Callable<String> slowQuery, Duration refresh, Executor background) {
        this.once = once;
        this.dataSource = dataSource;
        this.slowQuery = slowQuery;
        this.cache = Caffeine.newBuilder()
                .refreshAfterWrite(refresh)
                .executor(background)
                .build(this);
    }

    /** Returns the list at once, new or old. Visitors wait only while there is no list at all. */
    public String list() {
        return cache.get(once.name());
    }

    /** A new node shows the list of the table. If there is none, one node makes the first list, and all wait for it. */
    @Override
    public String load(String name) throws Exception {
        Optional<String> stored = ListTable.get(dataSource, name);
        if (stored.isPresent()) {
            return stored.get();
        }
        once.requireDone(PATIENCE, this::make);
        return ListTable.get(dataSource, name).orElseThrow();
    }

    /** One thread of each node calls this. If the list is out of date, one node makes a new one. */
    @Override
    public String reload(String name, String old) throws Exception {
        once.tryRun(this::make);
        return ListTable.get(dataSource, name).orElse(old);
    }

    /** Commits only while the lease is ours: a node that was delayed overwrites no newer list. */
    private void make(Lease lease) throws Exception {
        String list = slowQuery.call();
        lease.inTransaction(dataSource, connection -> ListTable.put(connection, once.name(), list));
    }
}
