package dev.dibs.internal.instance;

import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.call.Protocol;
import dev.dibs.internal.sql.connect.Connections;
import dev.dibs.internal.sql.files.Statements;
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
 * The connections of one instance to its database, and its daemon threads. These threads do what must not run on the caller's
 * thread, which may carry a transaction, nor on a background thread, which must not wait. Without such work there is no thread.
 */
public final class Resources {

    private static final long IDLE_SECONDS = 5;

    private final DataSource dataSource;
    private final Statements statements;
    private final Protocol protocol;
    private final Duration tolerance;
    private final List<Connections> background = new ArrayList<>();
    private final Set<Thread> workers = ConcurrentHashMap.newKeySet();
    private final ExecutorService threads = new ThreadPoolExecutor(
            0, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), this::thread);
    private final Callbacks callbacks = new Callbacks(threads, this::thread);

    public Resources(DataSource dataSource, Statements statements, Duration tolerance) {
        this.dataSource = dataSource;
        this.statements = statements;
        this.protocol = new Protocol(statements);
        this.tolerance = tolerance;
    }

    private Thread thread(Runnable work) {
        // The thread inherits no thread locals: a data source may have bound the caller's transaction to its thread.
        Thread thread = new Thread(null, work, "dibs-worker", 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(Resources.class.getClassLoader());
        workers.removeIf(worker -> worker.getState() == Thread.State.TERMINATED);
        workers.add(thread);
        return thread;
    }

    /** Threads to which no transaction is bound. */
    public Executor ownThreads() {
        return threads;
    }

    /** The threads for the user's code. */
    public Callbacks callbacks() {
        return callbacks;
    }

    public Database forCallers() {
        return new Database(Connections.forCallers(dataSource, threads, statements), statements, protocol, tolerance);
    }

    /** A database for one background thread. */
    public Database forBackground() {
        return forBackground(dataSource);
    }

    /** The same, over another data source for the same database. */
    public Database forBackground(DataSource dataSource) {
        Connections connections = Connections.forBackground(dataSource, threads, statements);
        background.add(connections);
        return new Database(connections, statements, protocol, tolerance);
    }

    /** Ends the threads after their pending work. Waits for that until the deadline, unless the caller is one of them. */
    public void close(Deadline deadline) {
        background.forEach(Connections::close);
        threads.shutdown();
        callbacks.shutdown();
        if (!workers.contains(Thread.currentThread())) {
            workers.forEach(deadline::join);
        }
    }
}
