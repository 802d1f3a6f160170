package dev.dibs;

import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.internal.Engine;
import dev.dibs.internal.sql.files.Statements;
import dev.dibs.internal.values.Names;
import dev.dibs.once.OnceBuilder;
import dev.dibs.runs.Run;
import dev.dibs.tokens.OneTimeTokens;
import java.time.Duration;
import java.util.Collection;
import javax.sql.DataSource;

/**
 * Coordination through the database behind a {@link DataSource}: the entry point. Create one per process, and {@link #close()} it
 * when the application ends. After that every method that asks the database throws {@code IllegalStateException}.
 *
 * <pre>{@code
 * import dev.dibs.*;                                                // and dev.dibs.claims, .runs, .tokens, .once
 * import static java.time.Duration.ofSeconds;
 *
 * Dibs dibs = Dibs.on(dataSource);                                  // finds the database's dialect; close() at shutdown
 * dibs.admin().createSchema(Capability.LOCKS);                      // locks need one table; creates it if missing
 *
 * try (Lease lease = dibs.lock("sync", customerId).acquire(ofSeconds(5))) {
 *     pull();                                                       // renewed in the background until closed
 *     lease.inTransaction(dataSource, tx -> push(tx));              // exclusive up to the commit
 * } catch (NotAcquiredException busy) {
 *     tellBusy(busy.holder());
 * }
 *
 * dibs.lock("nightly-export").tryRun(lease -> exportAll());         // or: skip it if another node does it
 * dibs.lock("item", itemId).inTransaction(dataSource, tx -> sell(tx, itemId));   // or: one short transaction, no lease
 * }</pre>
 *
 * <p>Two daemon threads start with the first lease: {@code dibs-heartbeat} renews, and {@code dibs-deadlines} reports a loss without
 * the database. {@code dibs-maintenance} starts with the first purge, or release that did not get through. {@code dibs-listener} runs
 * while a caller waits, with {@link DibsBuilder#wakeByNotify()}. A {@code dibs-worker} runs user code, or statements on an own
 * connection, and ends after 5 idle seconds. All end with {@link #close()}. Connections are borrowed for one statement at a time.
 * Safe for use by any thread.
 */
public final class Dibs implements AutoCloseable {

    /** Less than the promised ten seconds, because a statement that has begun is not cut off. */
    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(8);

    private final Dialect dialect;
    private final Duration lease;
    private final Engine engine;

    Dibs(Dialect dialect, Statements statements, String holder, Engine.Options options) {
        this.dialect = dialect;
        lease = options.lease;
        engine = new Engine(options, dialect.product(), statements, holder);
    }

    /**
     * An instance over a data source, with the defaults of {@link #builder}.
     *
     * @throws DatabaseFailureException if the database cannot be reached, or no dialect fits it
     */
    public static Dibs on(DataSource dataSource) {
        return builder(dataSource).build();
    }

    /** A builder, to change the defaults. */
    public static DibsBuilder builder(DataSource dataSource) {
        return new DibsBuilder(dataSource);
    }

    /**
     * A lock by name.
     *
     * @param name 1 to 200 characters ({@code String.length()}), compared exactly
     * @throws IllegalArgumentException if the name is null, empty, longer, or has a NUL or a lone surrogate
     */
    public NamedLock lock(String name) {
        return engine.capabilities.locks().lock(Names.check("name", name));
    }

    /**
     * A lock for one thing of many, such as a customer, a device or a file. It is the lock named {@code kind:key}.
     *
     * <p>A list, a sorted set, an array or a record as the key is written as its values, such as {@code [7, blue]}; a value with a comma, a
     * bracket or a quote is quoted there. An Optional is written as its value.
     *
     * @param kind the kind of the lock; without a colon
     * @param key which one, by its {@code toString()}
     * @throws IllegalArgumentException if the two do not make a valid name; or if the key, or a value in it, has no {@code toString()} of
     *     its own, or is a map or an unsorted set, whose order may differ in each process
     */
    public NamedLock lock(String kind, Object key) {
        return engine.capabilities.locks().lock(Names.of(kind, key));
    }

    /**
     * The leadership with this name, which one process of many has.
     *
     * @param name as for {@link #lock(String)}; the leader holds the lock of this name
     */
    public Leadership leadership(String name) {
        return engine.capabilities.locks().leadership(Names.check("name", name));
    }

    /**
     * Several locks at once, all or none. Their order does not matter.
     *
     * @param names 1 to 100 names, as for {@link #lock(String)}; a repeated name counts once
     * @throws IllegalArgumentException if there are none or too many, or one is not valid
     */
    public NamedLocks lockAll(Collection<String> names) {
        return engine.capabilities.locks().all(names);
    }

    /**
     * A lock for many readers or one writer. It is independent of a {@link #lock} of the same name.
     *
     * @param name 1 to 200 characters ({@code String.length()}), compared exactly
     * @throws IllegalArgumentException if the name is null, empty, longer, or has a NUL or a lone surrogate
     */
    public ReadWriteLock readWriteLock(String name) {
        return engine.capabilities.locks().readWrite(Names.check("name", name));
    }

    /**
     * A read-write lock for one thing of many. It is the one named {@code kind:key}.
     *
     * @throws IllegalArgumentException if the two do not make a valid name
     */
    public ReadWriteLock readWriteLock(String kind, Object key) {
        return engine.capabilities.locks().readWrite(Names.of(kind, key));
    }

    /**
     * Work that is done once a period.
     *
     * @param name 1 to 200 characters ({@code String.length()}), compared exactly; it is independent of a lock of the same name
     * @throws IllegalArgumentException if the name is not valid
     */
    public OnceBuilder once(String name) {
        return engine.capabilities.onces().of(Names.check("name", name), lease);
    }

    /**
     * Work that is done once a period, for one thing of many. Its name is {@code kind:key}.
     *
     * @throws IllegalArgumentException if the two do not make a valid name
     */
    public OnceBuilder once(String kind, Object key) {
        return engine.capabilities.onces().of(Names.of(kind, key), lease);
    }

    /**
     * A semaphore by name.
     *
     * @param name 1 to 200 characters ({@code String.length()}), compared exactly; it is independent of a lock of the same name
     * @param permits how many there are, 1 to 10,000; another call may give another number
     * @throws IllegalArgumentException if the name or the number is not valid
     */
    public NamedSemaphore semaphore(String name, int permits) {
        return engine.capabilities.locks().semaphore(Names.check("name", name), permits);
    }

    /**
     * A semaphore for one thing of many. It is the semaphore named {@code kind:key}.
     *
     * @throws IllegalArgumentException if the two do not make a valid name, or the number is not valid
     */
    public NamedSemaphore semaphore(String kind, Object key, int permits) {
        return semaphore(Names.of(kind, key), permits);
    }

    /**
     * Claims on the rows of the application's own table.
     *
     * @param table its name, plain or quoted as in {@code "order"}; it may begin with its schema
     */
    public ClaimsBuilder claims(String table) {
        return engine.capabilities.claims().on(table, lease);
    }

    /**
     * A named job over the rows of a table, and its controls.
     *
     * @param name 1 to 200 characters ({@code String.length()}), compared exactly, without a blank at either end
     * @throws IllegalArgumentException if the name is not valid
     */
    public Run run(String name) {
        return engine.capabilities.runs().of(name);
    }

    /**
     * One-time tokens for a purpose, such as {@code password-reset}. A token of one purpose is unknown to every other.
     *
     * @param purpose 1 to 100 characters ({@code String.length()}), compared exactly, without a blank at either end
     * @throws IllegalArgumentException if the name is not valid
     */
    public OneTimeTokens tokens(String purpose) {
        return engine.capabilities.tokens().of(purpose);
    }

    /** Tables, checks and lists, for operators and for the start of an application. */
    public Admin admin() {
        return engine.admin;
    }

    /** The dialect in use. */
    public Dialect dialect() {
        return dialect;
    }

    /**
     * Releases every lease of this instance and ends its threads. Work that still runs under a lease is notified. Waits ten seconds
     * at most, but workers of runs have a minute for their current rows. A lease that is not released by then ends by time. The
     * data source stays open.
     */
    @Override
    public void close() {
        close(CLOSE_PATIENCE);
    }

    void close(Duration patience) {
        engine.close(patience);
    }

    @Override
    public String toString() {
        return "Dibs[" + dialect + ", " + engine + "]";
    }
}
