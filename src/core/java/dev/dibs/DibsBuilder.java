package dev.dibs;

import dev.dibs.internal.Engine;
import dev.dibs.internal.Statistics;
import dev.dibs.internal.lease.Purge;
import dev.dibs.internal.sql.files.TablePrefix;
import dev.dibs.internal.time.LocalClock;
import dev.dibs.internal.time.Term;
import dev.dibs.internal.values.Arguments;
import dev.dibs.internal.values.Names;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a {@link Dibs}. Each has a default.
 *
 * <p>For one thread.
 */
public final class DibsBuilder {

    private static final Duration LARGEST_TOLERANCE = Duration.ofMinutes(1);

    /** PostgreSQL cuts a name off after 63 bytes: two tables would be one. */
    private static final int LONGEST_PREFIX = 50;

    private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    private final Engine.Options options;
    private @Nullable Dialect dialect;
    private @Nullable String schema;
    private String tablePrefix = Dialect.DEFAULT_PREFIX;
    private @Nullable String holder;

    DibsBuilder(DataSource dataSource) {
        this.options = new Engine.Options(Arguments.required("data source", dataSource));
    }

    /**
     * The lease length: a holder that vanishes keeps a lock for this time after its last renewal. Default 30 seconds.
     *
     * @param lease from 100 milliseconds to one day
     */
    public DibsBuilder leaseLength(Duration lease) {
        options.lease = Term.checkLease(lease);
        return this;
    }

    /**
     * The schema of the tables. Default: the connection's.
     *
     * <p>A plain name stands in each statement without quotes, so the database may fold its case: {@code Tenant1} is {@code tenant1} on
     * PostgreSQL and {@code TENANT1} on H2. A quoted name, such as {@code "\"Tenant-1\""}, is that name exactly, on every database. As in
     * {@link Dibs#claims(String)}, backquotes and square brackets quote as well.
     *
     * @param schema plain: letters a to z, digits and underscores. Quoted: anything but backslashes, braces and control characters. At
     *     most 63 bytes in UTF-8
     * @throws IllegalArgumentException if it is no such name
     */
    public DibsBuilder schema(String schema) {
        this.schema = TablePrefix.checkSchema(schema);
        return this;
    }

    /**
     * The prefix of the tables' names. Default {@code dibs_}. It stands in each statement without quotes, so the database may fold its
     * case: on most, {@code App_} and {@code app_} name the same tables.
     *
     * @param prefix at most 50 letters a to z, digits and underscores
     * @throws IllegalArgumentException if it is no such name
     */
    public DibsBuilder tablePrefix(String prefix) {
        if (!IDENTIFIER.matcher(Arguments.required("prefix", prefix)).matches()) {
            throw new IllegalArgumentException(
                    "'" + prefix + "' is not a plain identifier: letters, digits and underscores");
        }
        if (prefix.length() > LONGEST_PREFIX) {
            throw new IllegalArgumentException(
                    "the prefix '" + prefix + "' has more than " + LONGEST_PREFIX + " characters");
        }
        this.tablePrefix = prefix;
        return this;
    }

    /** The holder's label that is stored with each lock, for people. Default: the host's name and the process's number. */
    public DibsBuilder holder(String label) {
        this.holder = Names.check("holder's label", label);
        return this;
    }

    /** Adds a listener for events. Each event goes to all listeners, in the order in which they were added. Default: none. */
    public DibsBuilder listener(DibsListener listener) {
        options.listeners.add(Arguments.required("listener", listener));
        return this;
    }

    /**
     * How long the row of an unused lock is kept. Default one day.
     *
     * @param retention from one hour to 3650 days; if the clock is set back by more than this, a fencing token could repeat
     */
    public DibsBuilder purgeAfter(Duration retention) {
        options.retention = Arguments.within("retention", retention, Purge.SHORTEST_RETENTION, Purge.LONGEST_RETENTION);
        return this;
    }

    /**
     * By how much the clocks of the database's nodes may differ. This matters for a cluster, and for a standby that may become the
     * primary. A lease that ends by time stays busy for others that much longer than its holder relies on it. A lease that is
     * released is free at once. Default zero.
     *
     * <p>It protects the leases of this instance. All instances that share the tables need the same value.
     *
     * @param tolerance from zero to one minute, in whole milliseconds; a fraction is rounded up
     * @throws IllegalArgumentException if it is outside these bounds
     */
    public DibsBuilder clockTolerance(Duration tolerance) {
        Arguments.within("clock tolerance", tolerance, Duration.ZERO, LARGEST_TOLERANCE);
        options.clockTolerance = Duration.ofMillis(tolerance.plusNanos(999_999).toMillis());
        return this;
    }

    /**
     * The dialect to use. Default: the one for the product that the database reports. With a named dialect the start does not refuse
     * an engine that is known to differ.
     */
    public DibsBuilder dialect(Dialect dialect) {
        this.dialect = Arguments.required("dialect", dialect);
        return this;
    }

    /**
     * Whether many acquires or releases at the same time may go together, as one statement on the thread and the connection of one of
     * their callers. Default: on, where the dialect has such statements.
     *
     * <p>Switch it off for a data source that chooses another database for each thread, such as Spring's
     * {@code AbstractRoutingDataSource}. Then each call goes on its caller's thread. Dibs' own threads still have no tenant,
     * so leases are not renewed. A Dibs for each tenant, over a data source that does not route, has no such limits.
     */
    public DibsBuilder batching(boolean batching) {
        options.batching = batching;
        return this;
    }

    /**
     * Whether the counters are published over JMX, as {@link DibsMXBean}. Default: on.
     *
     * <p>Switch it off in a program that runs for a moment only: Java's MBean server costs a tenth of a second of processor time.
     */
    public DibsBuilder jmx(boolean jmx) {
        options.jmx = jmx;
        return this;
    }

    /**
     * Wakes waiters when another process releases, and idle workers when another process wakes their run, by PostgreSQL's LISTEN and
     * NOTIFY. Without it waiters poll every 50 to 100 ms; with it they still poll every second or two. While a caller waits or a
     * worker is idle, and some seconds longer, this takes one more connection of the pool. Default: off.
     *
     * <p>Where notifications do not arrive, as behind a pooler in transaction mode, waiters poll as without it. A warning is
     * logged, and Dibs tries again from time to time.
     */
    public DibsBuilder wakeByNotify() {
        return wakeByNotify(options.dataSource);
    }

    /**
     * Like {@link #wakeByNotify()}, with another source for the connection that listens. Use it to bypass a pooler, or a pool that
     * has no connection to spare.
     *
     * @param direct a data source for the same database, as a user with the right to read the tables
     */
    public DibsBuilder wakeByNotify(DataSource direct) {
        options.wakeBy = Arguments.required("data source", direct);
        return this;
    }

    /**
     * Connects, finds the dialect, and checks whether the database's settings are safe. Unsafe settings are logged as one warning.
     * It does not check the tables: {@link Admin#checkSchema} does, and the first statement that misses one reports it.
     *
     * <p>An engine that reports the name of a known database, and is known to differ, is refused: CockroachDB, TiDB and others. With
     * a {@linkplain #dialect named dialect} that is a warning.
     *
     * @throws DatabaseFailureException if the database cannot be reached, no dialect fits it, it is refused, or it does not support
     *     {@link #wakeByNotify()}
     */
    public Dibs build() {
        if (options.jmx) {
            Statistics.prepare();
        }
        Dialect used = dialect == null ? Dialect.detect(options.dataSource) : dialect;
        return new Dibs(used, used.statements(prefix()), holder(), options);
    }

    DibsBuilder clock(LocalClock clock) {
        options.clock = clock;
        return this;
    }

    DibsBuilder longestPause(Duration pause) {
        options.longestPause = pause;
        return this;
    }

    private String prefix() {
        return schema == null ? tablePrefix : schema + "." + tablePrefix;
    }

    private String holder() {
        return holder == null ? hostName() + ":" + ProcessHandle.current().pid() : holder;
    }

    private static String hostName() {
        try {
            String host = InetAddress.getLocalHost().getHostName();
            return host.substring(0, Math.min(host.length(), Names.LIMIT / 2));
        } catch (UnknownHostException e) {
            return "unknown-host";
        }
    }

    @Override
    public String toString() {
        return "DibsBuilder";
    }
}
