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
import dev.dibs.internal.guarded.GuardedTransactions;
import dev.dibs.internal.instance.Callbacks;
import dev.dibs.internal.instance.Context;
import dev.dibs.internal.instance.Resources;
import dev.dibs.internal.lease.Events;
import dev.dibs.internal.lease.LeaseKeeper;
import dev.dibs.internal.lease.Maintenance;
import dev.dibs.internal.lease.PendingReleases;
import dev.dibs.internal.lease.Purge;
import dev.dibs.internal.schema.Doctor;
import dev.dibs.internal.schema.Errors;
import dev.dibs.internal.schema.Schema;
import dev.dibs.internal.sql.batch.Batcher;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.files.Statements;
import dev.dibs.internal.time.Deadline;
import dev.dibs.internal.time.LocalClock;
import dev.dibs.internal.values.Strings;
import dev.dibs.internal.wake.WakeListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The parts of one instance, which begin and end together. */
public final class Engine {

    /** The settings of an instance. Its builder changes them. */
    public static final class Options {

        public final DataSource dataSource;

        /** How long a lease lasts without a renewal, unless the caller asks for another length. */
        public Duration lease = Duration.ofSeconds(30);

        /** How long the rows of idle locks are kept. */
        public Duration retention = Duration.ofDays(1);

        /** By how much the clocks of the database's nodes may differ. */
        public Duration clockTolerance = Duration.ZERO;

        public final List<DibsListener> listeners = new ArrayList<>();
        public LocalClock clock = LocalClock.SYSTEM;

        /** Gives the connection that listens for releases; null if waiters poll. */
        public @Nullable DataSource wakeBy;

        /** How long a waiter sleeps at most if it will be woken. */
        public Duration longestPause = Duration.ofSeconds(2);

        /** Whether calls of many threads may go together. */
        public boolean batching = true;

        /** Whether the counters are published. */
        public boolean jmx = true;

        public Options(DataSource dataSource) {
            this.dataSource = dataSource;
        }
    }

    private final Resources resources;
    private final LeaseKeeper keeper;
    private final Wakeups wakeups;
    public final Capabilities capabilities;
    private final Statistics statistics;
    /** For operators. */
    public final Admin admin;

    private final AtomicBoolean closed = new AtomicBoolean();

    /** Creates the parts. It starts no thread, and asks the database only who it is and whether its settings are safe. */
    public Engine(Options options, @Nullable String product, Statements statements, String holder) {
        String dialect = statements.dialect().name();
        resources = new Resources(options.dataSource, statements, options.clockTolerance);
        Database database = resources.forCallers();
        Schema schema = new Schema(database);
        Doctor doctor = new Doctor(database, options.dataSource, options.batching, schema, product);
        Errors errors = new Errors(schema, doctor);
        Callbacks callbacks = resources.callbacks();
        Events events = new Events(List.copyOf(options.listeners), callbacks);
        WaitingRooms waiting = new WaitingRooms();
        Database forMaintenance = resources.forBackground();
        Maintenance maintenance = new Maintenance(
                new PendingReleases(forMaintenance, waiting, options.clock),
                new Purge(forMaintenance, options.retention, options.clock));
        LockCalls calls = lockCalls(database, options.batching);
        GuardedTransactions transactions =
                new GuardedTransactions(database, options.dataSource, resources.ownThreads());
        keeper = new LeaseKeeper(
                database,
                calls,
                resources.forBackground(),
                maintenance,
                errors,
                events,
                waiting,
                options.clock,
                transactions);
        wakeups = WakeListener.of(options.wakeBy, options.longestPause, dialect, resources, database);
        Acquirer acquirer = new Acquirer(database, keeper, waiting, wakeups, errors, events, maintenance, holder);
        Context context = new Context(
                database,
                resources::forBackground,
                transactions,
                errors,
                schema,
                callbacks,
                options.clock,
                holder,
                keeper::requireOpen);
        capabilities = Capabilities.of(context, calls, acquirer, keeper, options.lease);
        statistics = new Statistics(holder, dialect, keeper, events);
        admin = new EngineAdmin(context, doctor, capabilities, statistics);
        doctor.checkAtStart();
        if (options.jmx) {
            statistics.register();
        }
    }

    /** Adds the cheaper ways that this database supports: retakes, and batches. */
    private static LockCalls lockCalls(Database database, boolean batching) {
        PlainLockCalls plain = new PlainLockCalls(database);
        LockCalls calls = database.statements().features().retakesLocks() ? new Retakes(database, plain) : plain;
        return batching && plain.servesMany() ? new BatchedLockCalls(calls, new Batcher()) : calls;
    }

    /**
     * Closes all parts. Each part has a share of the time, also the last one. A second call does nothing.
     */
    public void close(Duration patience) {
        if (closed.compareAndSet(false, true)) {
            statistics.unregister();
            capabilities.parts().forEach(part -> part.close(patience));
            wakeups.close();
            Deadline last = Deadline.in(patience.dividedBy(3));
            keeper.close(last);
            resources.close(last);
        }
    }

    @Override
    public String toString() {
        return Strings.escape(statistics.getHolder()) + (closed.get() ? ", closed" : "");
    }
}
