package dev.dibs.internal.instance;

import dev.dibs.internal.sql.Connections;
import dev.dibs.internal.sql.Database;
import dev.dibs.internal.sql.Statements;
import dev.dibs.internal.time.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/**
 * The ways of one instance to its database, and the daemon threads for what must not run on the caller's thread (it may carry a
 * transaction) nor on one of the background (it must not wait). There are none while there is nothing of that kind to do.
 */
public final class Wiring {

    private static final long IDLE_SECONDS = 5;

    private final DataSource dataSource;
    private final Statements statements;
    private final Duration tolerance;
    private final List<Connections> background = new ArrayList<>();
    private final Set<Thread> workers = ConcurrentHashMap.newKeySet();
    private final ExecutorService threads = new ThreadPoolExecutor(
            0, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), this::thread);
    private final CallbackThreads callbacks = new CallbackThreads(threads, this::thread);

    public Wiring(DataSource dataSource, Statements statements, Duration tolerance) {
        this.dataSource = dataSource;
        this.statements = statements;
        this.tolerance = tolerance;
    }

    private Thread thread(Runnable work) {
        // Nothing is inherited: a data source may have bound the caller's transaction to its thread.
        Thread thread = new Thread(null, work, "dibs-worker", 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(Wiring.class.getClassLoader());
        workers.removeIf(worker -> worker.getState() == Thread.State.TERMINATED);
        workers.add(thread);
        return thread;
    }

    /** For the user's code. */
    public Executor callbacks() {
        return callbacks;
    }

    public Database forCallers() {
        return new Database(Connections.forCallers(dataSource, threads, statements), statements, tolerance);
    }

    /** For one thread of the background. */
    public Database forBackground() {
        return forBackground(dataSource);
    }

    /** The same, to the same database by another way. */
    public Database forBackground(DataSource dataSource) {
        Connections connections = Connections.forBackground(dataSource, threads, statements);
        background.add(connections);
        return new Database(connections, statements, tolerance);
    }

    /** Ends the threads when they have done what they were given, and waits for that for a while, if it is not one of them that asks. */
    public void close(Deadline deadline) {
        background.forEach(Connections::close);
        threads.shutdown();
        callbacks.shutdown();
        if (!workers.contains(Thread.currentThread())) {
            workers.forEach(worker -> join(worker, deadline.left().toNanos()));
        }
    }

    private static void join(Thread worker, long nanos) {
        try {
            TimeUnit.NANOSECONDS.timedJoin(worker, nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
