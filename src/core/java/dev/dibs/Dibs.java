package dev.dibs;

import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.internal.Engine;
import dev.dibs.internal.values.Names;
import dev.dibs.once.OnceBuilder;
import dev.dibs.runs.Run;
import dev.dibs.tokens.OneTimeTokens;
import java.time.Duration;
import java.util.Collection;
import javax.sql.DataSource;

/**
 * Coordination through the database behind a {@link DataSource}: the entry point. Have one a process, and {@link #close()} it when the
 * application ends; after that every method that would ask the database throws {@code IllegalStateException}.
 *
 * <p>Two daemon threads start with the first lease, a third one with the first maintenance task (a release that did not get through, a purge), one
 * with {@link DibsBuilder#wakeByNotify()} while somebody waits, and others while user code is called; all end with {@link #close()}.
 * Connections are borrowed for one statement at a time. Safe for use by any thread.
 */
public final class Dibs implements AutoCloseable {

    /** Less than the ten seconds that are promised: a statement that has begun is not cut off. */
    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(8);

    private final Dialect dialect;
    private final Duration lease;
    private final Engine engine;

    Dibs(Dialect dialect, Engine.Options options) {
        this.dialect = dialect;
        lease = options.lease();
        engine = new Engine(options);
    }

    /**
     * Over a data source, with the defaults of {@link #builder}.
     *
     * @throws DibsException if the database cannot be reached or is of a kind that there is no dialect for
     */
    public static Dibs on(DataSource dataSource) {
        return builder(dataSource).build();
    }

    /** For what should not be as by default. */
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
        return engine.locks().lock(Names.check("name", name));
    }

    /**
     * A lock for one of many: a customer, a device, a file. It is the lock named {@code kind:key}.
     *
     * @param kind what sort of thing is locked; without a colon
     * @param key which one, by its {@code toString()}
     * @throws IllegalArgumentException if the two do not make a name
     */
    public NamedLock lock(String kind, Object key) {
        return engine.locks().lock(Names.of(kind, key));
    }

    /**
     * The leadership of a name: one of many processes has it.
     *
     * @param name as for {@link #lock(String)}, whose lock it is, and refused as there
     */
    public Leadership leadership(String name) {
        return engine.locks().leadership(Names.check("name", name));
    }

    /**
     * Several locks at once: all or none, in whatever order.
     *
     * @param names 1 to 100 of them, as for {@link #lock(String)}; one that is there twice counts once
     * @throws IllegalArgumentException if there are none or too many, or one is no name
     */
    public NamedLocks lockAll(Collection<String> names) {
        return engine.locks().all(names);
    }

    /**
     * A lock that many may read under, or one may write under. It has nothing to do with a {@link #lock} of the same name.
     *
     * @param name 1 to 200 characters ({@code String.length()}), compared exactly
     * @throws IllegalArgumentException if the name is null, empty, longer, or has a NUL or a lone surrogate
     */
    public ReadWriteLock readWriteLock(String name) {
        return engine.locks().readWrite(Names.check("name", name));
    }

    /**
     * A read-write lock for one of many. It is the one named {@code kind:key}.
     *
     * @throws IllegalArgumentException if the two do not make a name
     */
    public ReadWriteLock readWriteLock(String kind, Object key) {
        return engine.locks().readWrite(Names.of(kind, key));
    }

    /**
     * Something that is done once a period.
     *
     * @param name 1 to 200 characters ({@code String.length()}), compared exactly; a lock of the same name has nothing to do with it
     * @throws IllegalArgumentException if it is no such name
     */
    public OnceBuilder once(String name) {
        return engine.capabilities().onces().of(Names.check("name", name), lease);
    }

    /**
     * The same for one of many. It is the one named {@code kind:key}.
     *
     * @throws IllegalArgumentException if the two do not make a name
     */
    public OnceBuilder once(String kind, Object key) {
        return engine.capabilities().onces().of(Names.of(kind, key), lease);
    }

    /**
     * A semaphore by name.
     *
     * @param name 1 to 200 characters ({@code String.length()}), compared exactly; no lock of that name has to do with it
     * @param permits how many there are, 1 to 10,000; it may be another number at another time
     * @throws IllegalArgumentException if it is no such name or number
     */
    public NamedSemaphore semaphore(String name, int permits) {
        return engine.locks().semaphore(Names.check("name", name), permits);
    }

    /**
     * A semaphore for one of many. It is the semaphore named {@code kind:key}.
     *
     * @throws IllegalArgumentException if the two do not make a name, or it is no such number
     */
    public NamedSemaphore semaphore(String kind, Object key, int permits) {
        return semaphore(Names.of(kind, key), permits);
    }

    /**
     * Claims on the rows of a table of the application's own.
     *
     * @param table its name, plain or quoted as in {@code "order"}, with its schema before it if need be
     */
    public ClaimsBuilder claims(String table) {
        return engine.capabilities().claims().on(table, lease);
    }

    /**
     * A named job over the rows of a table, and its switches.
     *
     * @param name 1 to 200 characters ({@code String.length()}), compared exactly, without a blank at either end
     * @throws IllegalArgumentException if it is no such name
     */
    public Run run(String name) {
        return engine.capabilities().runs().of(name);
    }

    /**
     * One-time tokens for a purpose, such as {@code password-reset}: a token of one is unknown to another.
     *
     * @param purpose 1 to 100 characters ({@code String.length()}), compared exactly, without a blank at either end
     * @throws IllegalArgumentException if it is no such name
     */
    public OneTimeTokens tokens(String purpose) {
        return engine.capabilities().tokens().of(purpose);
    }

    /** Tables, checks and lists, for operators and for the start of an application. */
    public Admin admin() {
        return engine.admin();
    }

    /** The dialect in use. */
    public Dialect dialect() {
        return dialect;
    }

    /**
     * Releases every lease of this instance, telling those that still work under one, and ends its threads. Waits ten seconds at most;
     * only workers of runs have a minute for their current rows. What is not released by then ends by time. The data source stays open.
     */
    @Override
    public void close() {
        close(CLOSE_PATIENCE);
    }

    void close(Duration patience) {
        engine.close(patience);
    }
}
