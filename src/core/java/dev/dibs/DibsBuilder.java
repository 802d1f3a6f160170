package dev.dibs;

import dev.dibs.internal.Engine;
import dev.dibs.internal.jmx.Management;
import dev.dibs.internal.lease.Purge;
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
 * The few things about a {@link Dibs} that can be chosen; each has a default.
 *
 * <p>For one thread.
 */
public final class DibsBuilder {

    private static final Duration LARGEST_TOLERANCE = Duration.ofMinutes(1);

    private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    private final DataSource dataSource;
    private Duration lease = Duration.ofSeconds(30);
    private Duration retention = Duration.ofDays(1);
    private Duration clockTolerance = Duration.ZERO;
    private DibsListener listener = new DibsListener() {};
    private LocalClock clock = LocalClock.SYSTEM;

    private @Nullable Dialect dialect;

    /** Where the connection that listens comes from; null for none. */
    private @Nullable DataSource wakeBy;

    /** How long a waiter sleeps at most that will be woken. */
    private Duration longestPause = Duration.ofSeconds(2);

    private @Nullable String schema;
    private String tablePrefix = Dialect.DEFAULT_PREFIX;
    private @Nullable String holder;

    DibsBuilder(DataSource dataSource) {
        this.dataSource = Arguments.required("data source", dataSource);
    }

    /**
     * How long after its last renewal a holder that vanished keeps a lock. Default 30 seconds.
     *
     * @param lease from 100 milliseconds to one day
     */
    public DibsBuilder lease(Duration lease) {
        this.lease = Term.checkLease(lease);
        return this;
    }

    /** The schema that the tables are in. Default: the connection's. */
    public DibsBuilder schema(String schema) {
        if (!IDENTIFIER.matcher(Arguments.required("schema", schema)).matches()) {
            throw new IllegalArgumentException(
                    "'" + schema + "' is not a plain identifier: letters, digits and underscores");
        }
        this.schema = schema;
        return this;
    }

    /** What the tables' names begin with. Default {@code dibs_}. */
    public DibsBuilder tablePrefix(String prefix) {
        if (!IDENTIFIER.matcher(Arguments.required("prefix", prefix)).matches()) {
            throw new IllegalArgumentException(
                    "'" + prefix + "' is not a plain identifier: letters, digits and underscores");
        }
        this.tablePrefix = prefix;
        return this;
    }

    /** The label under which locks are held, for people. Default: the host's name and the process's number. */
    public DibsBuilder holder(String label) {
        this.holder = Names.check("holder's label", label);
        return this;
    }

    /** Who is told of what happens. Default: nobody. */
    public DibsBuilder listener(DibsListener listener) {
        this.listener = Arguments.required("listener", listener);
        return this;
    }

    /**
     * How long the row of a lock that nobody uses is kept. Default one day.
     *
     * @param retention from one hour (a clock that is set back by more could repeat a fence) to 3650 days
     */
    public DibsBuilder purgeAfter(Duration retention) {
        this.retention = Arguments.within("retention", retention, Purge.SHORTEST_RETENTION, Purge.LONGEST_RETENTION);
        return this;
    }

    /**
     * By how much the clocks of the database's nodes may differ, where it has several: a cluster, or a standby that may become the
     * primary. What passes by time is free for others that much later than its holder believes in it; what is given back is free at
     * once. Default zero.
     *
     * <p>It protects what is acquired here. All who share the tables need the same.
     *
     * @param tolerance from zero to one minute, in whole milliseconds; a part of one counts as one
     * @throws IllegalArgumentException if it is out of these bounds
     */
    public DibsBuilder clockTolerance(Duration tolerance) {
        Arguments.within("clock tolerance", tolerance, Duration.ZERO, LARGEST_TOLERANCE);
        this.clockTolerance = Duration.ofMillis(tolerance.plusNanos(999_999).toMillis());
        return this;
    }

    /** The dialect to use. Default: that of the product that the database says it is. */
    public DibsBuilder dialect(Dialect dialect) {
        this.dialect = Arguments.required("dialect", dialect);
        return this;
    }

    /**
     * Has waiters be woken by a release in another process, by PostgreSQL's LISTEN and NOTIFY, instead of asking every 50 to 100
     * ms; they still ask every second or two. While somebody waits, and some seconds longer, one more connection of the pool is taken. Default: not.
     *
     * <p>Where notifications do not come through, as behind a pooler in transaction mode, waiters poll as without it, a
     * warning is logged, and it is tried again from time to time.
     */
    public DibsBuilder wakeByNotify() {
        return wakeByNotify(dataSource);
    }

    /**
     * The same, where the connection that listens comes from elsewhere: past a pooler, or past a pool that has none to spare.
     *
     * @param direct to the same database, as a user who may read the tables
     */
    public DibsBuilder wakeByNotify(DataSource direct) {
        this.wakeBy = Arguments.required("data source", direct);
        return this;
    }

    /**
     * Connects, finds the dialect, and looks whether the database's settings are safe: what is not is logged as one warning. Whether the
     * tables are there is not asked: {@link Admin#checkSchema} asks, and the first statement that misses one says so.
     *
     * @throws DibsException if the database cannot be reached or is of a kind that there is no dialect for, or that {@link
     *     #wakeByNotify()} is not for
     */
    public Dibs build() {
        Management.prepare();
        Dialect used = dialect == null ? Dialect.detect(dataSource) : dialect;
        return new Dibs(
                used,
                new Engine.Options(
                        dataSource,
                        used.name(),
                        used.statements(prefix()),
                        holder(),
                        lease,
                        retention,
                        clockTolerance,
                        listener,
                        clock,
                        wakeBy,
                        longestPause));
    }

    DibsBuilder clock(LocalClock clock) {
        this.clock = clock;
        return this;
    }

    DibsBuilder longestPause(Duration pause) {
        this.longestPause = pause;
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
}
