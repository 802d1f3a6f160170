package dev.dibs;

import dev.dibs.sql.Database;
import dev.dibs.sql.Products;
import dev.dibs.sql.Secrets;
import dev.dibs.sql.SqlFailure;
import dev.dibs.sql.Statements;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;

/**
 * Coordination through the database behind a {@link DataSource}: the entry point.
 *
 * <p>After {@link #close()} every method that would ask the database throws {@code IllegalStateException}.
 *
 * <p>One instance a process is the rule. Two daemon threads start with the first lease, a third one with the first chore (a
 * release that did not get through, a purge), and others for a while where user code has to be called; all end with {@link
 * #close()}. Connections are borrowed for one statement at a time. Safe for use by any thread. {@link #close()} it when the application ends.
 */
public final class Dibs implements AutoCloseable {

    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(5);
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final Dialect dialect;
    private final Duration lease;
    private final Wiring wiring;
    private final LockTable table;
    private final Schema schema;
    private final Doctor doctor;
    private final Errors errors;
    private final LeaseKeeper keeper;
    private final Acquirer acquirer;
    private final ClaimKeeper claimKeeper;
    private final ClaimsFactory claims;
    private final RunContext runs;
    private final Management management;
    private final AtomicBoolean closed = new AtomicBoolean();

    Dibs(DibsBuilder builder) {
        dialect = builder.dialect == null ? detect(builder.dataSource) : builder.dialect;
        lease = builder.lease;
        Statements statements = dialect.statements(builder.prefix());
        wiring = new Wiring(builder.dataSource, statements);
        Database database = wiring.forCallers();
        table = new LockTable(database);
        schema = new Schema(database, dialect.name());
        errors = new Errors(schema);
        doctor = new Doctor(database, builder.dataSource, schema, dialect);
        Events events = new Events(builder.listener, wiring.callbacks());
        WaitingRooms waiting = new WaitingRooms();
        LockTable forChores = new LockTable(wiring.forBackground());
        Chores chores = new Chores(
                new PendingReleases(forChores, waiting, builder.clock),
                new Purge(forChores, builder.retention, builder.clock));
        LockTable forHeartbeat = new LockTable(wiring.forBackground());
        keeper = new LeaseKeeper(table, forHeartbeat, chores, errors, events, waiting, builder.clock);
        acquirer = new Acquirer(table, keeper, waiting, errors, events, chores, builder.holder());
        claimKeeper = new ClaimKeeper(wiring.forBackground(), events, builder.clock, keeper::requireOpen);
        claims = new ClaimsFactory(database, claimKeeper, errors);
        runs = new RunContext(
                database,
                builder.dataSource,
                errors,
                builder.clock,
                builder.holder(),
                keeper::requireOpen,
                ConcurrentHashMap.newKeySet());
        management = new Management(builder.holder(), dialect.name(), keeper, events);
        doctor.warnAtStart();
        management.register();
    }

    /**
     * Over a data source, with the defaults of {@link #builder}.
     *
     * @throws DibsException if the database can not be reached or is of a kind that there is no dialect for
     */
    public static Dibs on(DataSource dataSource) {
        return builder(dataSource).build();
    }

    /** For what should not be as by default. */
    public static DibsBuilder builder(DataSource dataSource) {
        return new DibsBuilder(dataSource);
    }

    private static Dialect detect(DataSource dataSource) {
        try (Connection connection = dataSource.getConnection()) {
            return Dialect.of(Products.detect(connection.getMetaData()));
        } catch (SQLException e) {
            throw new DibsException(
                    "the database could not be reached: " + Secrets.masked(e)
                            + ". See that it runs and that its address, the user and the password are right",
                    e);
        } catch (IllegalArgumentException e) {
            throw new DibsException(e.getMessage(), e);
        }
    }

    /**
     * A lock by name.
     *
     * @param name 1 to 200 characters ({@code String.length()}), compared exactly
     * @throws IllegalArgumentException if the name is null, empty, longer, or has a NUL or a lone surrogate
     */
    public NamedLock lock(String name) {
        return new NamedLock(acquirer, Names.check("name", name), lease);
    }

    /**
     * A lock for one of many: a customer, a device, a file. It is the lock named {@code kind:key}.
     *
     * @param kind what sort of thing is locked; without a colon
     * @param key which one, by its {@code toString()}
     * @throws IllegalArgumentException if the two do not make a name
     */
    public NamedLock lock(String kind, Object key) {
        return new NamedLock(acquirer, Names.of(kind, key), lease);
    }

    /**
     * Claims on the rows of a table of the application's own.
     *
     * @param table its name, plain or quoted as in {@code "order"}, with its schema before it if need be
     */
    public ClaimsBuilder claims(String table) {
        return new ClaimsBuilder(claims, table, lease);
    }

    /**
     * A named job over the rows of a table, and its switches.
     *
     * @param name 1 to 200 characters ({@code String.length()}), compared exactly, without a blank at either end
     * @throws IllegalArgumentException if it is no such name
     */
    public Run run(String name) {
        if (!Names.check("run's name", name).strip().equals(name)) {
            throw new IllegalArgumentException("the run's name has a blank at its end: '" + name + "'");
        }
        return new Run(runs, name);
    }

    /**
     * How far all runs are, sorted by name.
     *
     * @throws DibsException if the database can not be asked
     */
    public List<RunStatus> runs() {
        keeper.requireOpen();
        try {
            return RunTable.list(runs.database()).stream()
                    .map(row -> run(row.name()).status())
                    .flatMap(Optional::stream)
                    .toList();
        } catch (SqlFailure e) {
            throw errors.explain(e);
        }
    }

    /**
     * Who holds what now, sorted by name.
     *
     * @throws DibsException if the database can not be asked
     */
    public List<LockInfo> locks() {
        keeper.requireOpen();
        try {
            return table.list(TIMEOUT).stream().map(LockRow::info).toList();
        } catch (SqlFailure e) {
            throw errors.explain(e);
        }
    }

    /**
     * Takes a lock from its holder by force, for the day when that is the lesser evil. The holder learns of it at its next
     * renewal, a third of its lease later at most, and until then believes that it has the lock: only what it does under
     * {@link Lease#guard} is safe from the next holder. While a guarded transaction of the holder is open, nobody gets the lock
     * before it ends; most databases refuse to break it meanwhile.
     *
     * @return who had it; empty if nobody had
     * @throws IllegalArgumentException if it can not be a name
     * @throws DibsException if the row is locked just now, as by a guarded transaction, or the database can not be asked
     */
    public Optional<LockInfo> breakLock(String name) {
        keeper.requireOpen();
        Names.check("name", name);
        List<LockRow> rows = breakRow(name);
        if (isStillThere(rows)) {
            // Its holder may have been renewing or releasing it at that moment.
            rows = breakRow(name);
        }
        Optional<LockRow> before =
                rows.stream().filter(row -> row.owner() != null).findFirst();
        if (isStillThere(rows)) {
            throw new DibsException(
                    "'" + name + "' could not be broken: its row is locked, as by a guarded transaction of "
                            + before.map(LockRow::holder).orElse("its holder") + ". Try again when that has ended",
                    null);
        }
        before.map(row -> keeper.byOwner(row.owner())).ifPresent(lease -> lease.lose("it was broken by force"));
        return before.filter(LockRow::isHeld).map(LockRow::info);
    }

    private List<LockRow> breakRow(String name) {
        try {
            return table.breakLock(name, TIMEOUT);
        } catch (SqlFailure e) {
            throw errors.explain(e);
        }
    }

    private static boolean isStillThere(List<LockRow> rows) {
        return !rows.isEmpty() && rows.stream().noneMatch(row -> row.owner() == null);
    }

    /**
     * Makes the tables that are not there. Can be called again and by many nodes at once.
     *
     * @throws DibsException if the database refuses; then run the text of {@link Dialect#ddl()} as somebody who may
     */
    public void createSchema() {
        keeper.requireOpen();
        try {
            schema.create();
        } catch (SqlFailure e) {
            throw errors.explain(e);
        }
    }

    /**
     * Looks whether the tables are there with all their columns.
     *
     * @throws DibsException if not, naming the table or column and the command that adds it
     */
    public void checkSchema() {
        keeper.requireOpen();
        String wrong;
        try {
            wrong = schema.whatIsWrong();
        } catch (SqlFailure e) {
            throw errors.explain(e);
        }
        if (!wrong.isEmpty()) {
            throw new DibsException(wrong, null);
        }
    }

    /**
     * Examines connection, dialect, tables, settings and clocks.
     *
     * @throws DibsException if the database can not be asked
     */
    public List<Finding> doctor() {
        keeper.requireOpen();
        try {
            return doctor.examine();
        } catch (SqlFailure e) {
            throw errors.explain(e);
        }
    }

    /** The dialect in use. */
    public Dialect dialect() {
        return dialect;
    }

    /**
     * Releases every lease of this instance, telling those that still work under one, and ends its threads. Waits for some seconds at most; what could not be released
     * by then ends by time. Does nothing the second time. The data source stays open: it is the caller's.
     */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            management.unregister();
            runs.close();
            claimKeeper.close(CLOSE_PATIENCE);
            keeper.close(CLOSE_PATIENCE);
            wiring.close();
        }
    }
}
