package dev.dibs.internal;

import dev.dibs.Admin;
import dev.dibs.DibsListener;
import dev.dibs.internal.acquire.Acquirer;
import dev.dibs.internal.acquire.WaitingRooms;
import dev.dibs.internal.acquire.Wakeups;
import dev.dibs.internal.acquire.calls.BatchedLockCalls;
import dev.dibs.internal.acquire.calls.LockCalls;
import dev.dibs.internal.acquire.calls.PlainLockCalls;
import dev.dibs.internal.acquire.calls.Retakes;
import dev.dibs.internal.claims.Claims;
import dev.dibs.internal.fair.FairQueue;
import dev.dibs.internal.instance.Callbacks;
import dev.dibs.internal.instance.Context;
import dev.dibs.internal.instance.Wiring;
import dev.dibs.internal.lease.Events;
import dev.dibs.internal.lease.LeaseKeeper;
import dev.dibs.internal.lease.Maintenance;
import dev.dibs.internal.lease.PendingReleases;
import dev.dibs.internal.lease.Purge;
import dev.dibs.internal.locks.LockRegister;
import dev.dibs.internal.locks.Locks;
import dev.dibs.internal.once.Onces;
import dev.dibs.internal.runs.Runs;
import dev.dibs.internal.schema.Doctor;
import dev.dibs.internal.schema.Errors;
import dev.dibs.internal.schema.Schema;
import dev.dibs.internal.sql.files.Statements;
import dev.dibs.internal.sql.run.Batcher;
import dev.dibs.internal.sql.run.Database;
import dev.dibs.internal.time.Deadline;
import dev.dibs.internal.time.LocalClock;
import dev.dibs.internal.tokens.Tokens;
import dev.dibs.internal.transaction.FreeConnections;
import dev.dibs.internal.values.Texts;
import dev.dibs.internal.wake.WakeListener;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The parts of one instance, which begin and end together. */
public final class Engine {

    /**
     * The settings of an instance.
     *
     * @param product product and version by which the dialect was found; null if the user has named it
     * @param holder the label for people
     * @param lease how long a lease lasts without a renewal, unless the caller asks for another length
     * @param retention how long the rows of idle locks are kept
     * @param clockTolerance by how much the clocks of the database's nodes may differ
     * @param wakeBy gives the connection that listens for releases; null if waiters poll
     * @param longestPause how long a waiter sleeps at most if it will be woken
     * @param batching whether calls of many threads may go together
     * @param jmx whether the counters are published
     */
    public record Options(
            DataSource dataSource,
            @Nullable String product,
            Statements statements,
            String holder,
            Duration lease,
            Duration retention,
            Duration clockTolerance,
            List<DibsListener> listeners,
            LocalClock clock,
            @Nullable DataSource wakeBy,
            Duration longestPause,
            boolean batching,
            boolean jmx) {}

    private final Wiring wiring;
    private final LeaseKeeper keeper;
    private final Wakeups wakeups;
    private final Locks locks;
    private final Onces onces;
    private final Claims claims;
    private final Runs runs;
    private final Tokens tokens;
    private final Statistics statistics;
    private final Admin admin;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Creates the parts. It starts no thread, and asks the database only who it is and whether its settings are safe. */
    public Engine(Options options) {
        String dialect = options.statements().dialect().name();
        wiring = new Wiring(options.dataSource(), options.statements(), options.clockTolerance());
        Database database = wiring.forCallers();
        Schema schema = new Schema(database);
        Doctor doctor = new Doctor(database, options.dataSource(), options.batching(), schema, options.product());
        Errors errors = new Errors(schema, doctor);
        Callbacks callbacks = wiring.callbacks();
        Events events = new Events(options.listeners(), callbacks);
        WaitingRooms waiting = new WaitingRooms();
        Database forMaintenance = wiring.forBackground();
        Maintenance maintenance = new Maintenance(
                new PendingReleases(forMaintenance, waiting, options.clock()),
                new Purge(forMaintenance, options.retention(), options.clock()));
        LockCalls calls = lockCalls(database, options.batching());
        FreeConnections connections = new FreeConnections(wiring.ownThreads(), database::hasTransaction);
        keeper = new LeaseKeeper(
                database,
                calls::release,
                wiring.forBackground(),
                maintenance,
                errors,
                events,
                waiting,
                options.clock(),
                connections);
        wakeups = WakeListener.of(options.wakeBy(), options.longestPause(), dialect, wiring, database, waiting);
        Acquirer acquirer =
                new Acquirer(database, keeper, waiting, wakeups, errors, events, maintenance, options.holder());
        FairQueue fair = new FairQueue(acquirer);
        locks = new Locks(database, calls, fair::inTurn, acquirer, options.lease());
        Context context = new Context(
                database,
                wiring::forBackground,
                options.dataSource(),
                connections,
                errors,
                schema,
                callbacks,
                options.clock(),
                options.holder(),
                (by, name, length) -> LockRegister.take(by, name, options.holder(), length),
                keeper::requireOpen);
        LockRegister register = new LockRegister(context, keeper);
        onces = new Onces(context, acquirer);
        claims = new Claims(context);
        runs = new Runs(context);
        tokens = new Tokens(context, locks::lock);
        statistics = new Statistics(options.holder(), dialect, keeper, events);
        admin = new EngineAdmin(context, doctor, register, onces, runs, tokens, statistics);
        doctor.checkAtStart();
        if (options.jmx()) {
            statistics.register();
        }
    }

    /** Adds the cheaper ways that this database supports: retakes, and batches. */
    private static LockCalls lockCalls(Database database, boolean batching) {
        PlainLockCalls plain = new PlainLockCalls(database);
        LockCalls calls = database.statements().features().retakesLocks() ? new Retakes(database, plain) : plain;
        return batching && plain.servesMany() ? new BatchedLockCalls(calls, new Batcher()) : calls;
    }

    /** Everything that can be acquired. */
    public Locks locks() {
        return locks;
    }

    /** Work that is done once a period. */
    public Onces onces() {
        return onces;
    }

    public Claims claims() {
        return claims;
    }

    /** Jobs over rows. */
    public Runs runs() {
        return runs;
    }

    public Tokens tokens() {
        return tokens;
    }

    /** For operators. */
    public Admin admin() {
        return admin;
    }

    /**
     * Closes all parts. Each part has a share of the time, also the last one; runs have a limit of their own. A second call does nothing.
     */
    public void close(Duration patience) {
        if (closed.compareAndSet(false, true)) {
            statistics.unregister();
            locks.closeCandidates(Deadline.in(patience.dividedBy(2)));
            wakeups.close();
            runs.close();
            claims.close(patience.dividedBy(10));
            tokens.close(patience.dividedBy(10));
            Deadline last = Deadline.in(patience.dividedBy(3));
            keeper.close(last);
            wiring.close(last);
        }
    }

    @Override
    public String toString() {
        return Texts.escape(statistics.getHolder()) + (closed.get() ? ", closed" : "");
    }
}
