package dev.dibs.rows;

import dev.dibs.DibsException;
import dev.dibs.core.Arguments;
import dev.dibs.core.BackgroundLoop;
import dev.dibs.core.TransactionEnd;
import dev.dibs.sql.SqlFailure;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The workers of a run in this process.
 *
 * <p>They end when nothing is left, when the run is stopped, when they are {@linkplain #close closed}, or when the process is told
 * to end (SIGTERM): then each finishes the row that it has in hand and releases the others. A worker ends, too, when the database keeps
 * refusing what it asks, as for a missing column or right. Safe for use by any thread.
 *
 * @param <T> what a row is mapped to
 */
public final class RunWorkers<T> implements AutoCloseable {

    /** How the workers ended. */
    public enum End {
        /** Nothing was left: every row is done. */
        FINISHED,
        /** Nothing was left to try, but some rows are dead. */
        INCOMPLETE,
        /** Somebody stopped the run, or too much failed. */
        STOPPED,
        /** At least one could not go on, and none found that nothing is left; see {@link RunWorkers#failure}. */
        FAILED,
        /** They were closed here. */
        CLOSED
    }

    private static final System.Logger LOG = System.getLogger("dev.dibs");
    private static final long BEAT = TimeUnit.SECONDS.toNanos(2);
    private static final long PURGE_EVERY = TimeUnit.HOURS.toNanos(1);
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Duration AFTER_INTERRUPT = Duration.ofSeconds(10);

    private final RunBuilder<T> told;
    private final RowProcessor<T> processor;
    private final StopSignal stop = new StopSignal();
    private final List<RunWorker<T>> workers;
    private final CountDownLatch running;
    private final BackgroundLoop beat;
    private final AtomicBoolean started = new AtomicBoolean();
    private long beatAt;
    private long purgeAt;
    private @Nullable Thread hook;

    RunWorkers(RunBuilder<T> told, RowProcessor<T> processor) {
        this.told = told;
        this.processor = processor;
        this.workers = IntStream.rangeClosed(1, told.threads)
                .mapToObj(number -> new RunWorker<>(told, processor, stop, number))
                .toList();
        this.running = new CountDownLatch(told.threads);
        this.beat = new BackgroundLoop("dibs-run-beat", this::beat);
    }

    /**
     * Makes the run if it is the first one, and starts the workers.
     *
     * @return this
     * @throws IllegalStateException if they were started before
     * @throws DibsException if the database can not be asked: nobody works, and it may be tried again
     */
    public RunWorkers<T> start() {
        told.context.requireOpen();
        if (!started.compareAndSet(false, true)) {
            throw new IllegalStateException("the workers of '" + told.name + "' were started before");
        }
        try {
            create();
        } catch (RuntimeException e) {
            // Nobody works: close has nobody to wait for, and the start may be tried again.
            started.set(false);
            throw e;
        }
        beatAt = told.context.clock().nanos();
        purgeAt = beatAt;
        told.open.add(this);
        Thread atExit = new Thread(this::close, "dibs-run-exit");
        try {
            Runtime.getRuntime().addShutdownHook(atExit);
            hook = atExit;
        } catch (IllegalStateException e) {
            stop.now();
        }
        for (int i = 0; i < workers.size(); i++) {
            launchOrEnd(workers.get(i), i);
        }
        beat.within(BEAT);
        return this;
    }

    /** What has ended and has rows again is counted anew, and so are its rows. */
    private void create() {
        try {
            boolean first = told.table.create(told.defaults(), told.label);
            RunRow run = told.table.read().orElseThrow();
            if (!first) {
                tellSettings(run);
                if (run.finishedAt() != null && told.claims.isSomethingLeft()) {
                    told.table.beginPass(run.finishedAt());
                    run = told.table.read().orElseThrow();
                }
                told.table.purge();
            }
            if (run.total() == null) {
                long wanted = told.table.failedRows().getOrDefault("again", 0L);
                told.table.setTotal(told.total >= 0 ? told.total : told.claims.count() + wanted);
            }
        } catch (SqlFailure e) {
            throw told.context.errors().explain(e);
        }
    }

    private void tellSettings(RunRow run) {
        String other = told.overruledBy(run);
        if (!other.isEmpty()) {
            LOG.log(
                    Level.INFO,
                    "The run '" + told.name + "' goes by the settings in the database: " + other
                            + ". Change them with 'dibs run set', or forget them with 'dibs run reset'");
        }
    }

    /** Should there be no thread for it, those that run end too. */
    private void launchOrEnd(RunWorker<T> worker, int before) {
        try {
            launch(worker, before + 1);
        } catch (RuntimeException | Error e) {
            stop.now();
            for (int i = before; i < workers.size(); i++) {
                ended();
            }
            throw e;
        }
    }

    private void launch(RunWorker<T> worker, int number) {
        Runnable task = () -> {
            try {
                worker.run();
            } finally {
                ended();
            }
        };
        if (told.executor != null) {
            told.executor.execute(task);
        } else {
            new Thread(task, "dibs-run-" + told.name + "-" + number).start();
        }
    }

    private void ended() {
        running.countDown();
        if (running.getCount() == 0) {
            afterLast();
        }
    }

    private void afterLast() {
        boolean unused = beat.stop(0);
        told.open.remove(this);
        Thread atExit = hook;
        if (atExit != null && Thread.currentThread() != atExit) {
            try {
                Runtime.getRuntime().removeShutdownHook(atExit);
            } catch (IllegalStateException e) {
                LOG.log(Level.DEBUG, "The process is ending", e);
            }
        }
    }

    private long beat() {
        long now = told.context.clock().nanos();
        Duration since = Duration.ofNanos(now - beatAt);
        beatAt = now;
        for (RunWorker<T> worker : workers) {
            try {
                worker.beat(since);
            } catch (SqlFailure e) {
                told.context.errors().log("A worker could not say that it is alive", e);
            }
        }
        purgeIfDue(now);
        return BEAT;
    }

    private void purgeIfDue(long now) {
        if (now - purgeAt >= PURGE_EVERY) {
            purgeAt = now;
            try {
                told.table.purge();
            } catch (SqlFailure e) {
                told.context.errors().log("Old workers and errors of a run could not be purged", e);
            }
        }
    }

    /** Waits until all workers here have ended, and tells how. */
    public End await() throws InterruptedException {
        running.await();
        return stop.end();
    }

    /** Why a worker here ended that could not go on; empty if none did. */
    public Optional<Throwable> failure() {
        return Optional.ofNullable(stop.failure());
    }

    /** Waits for a while at most; returns whether they have ended. */
    public boolean await(Duration atMost) throws InterruptedException {
        return running.await(Arguments.required("time", atMost).toMillis(), TimeUnit.MILLISECONDS);
    }

    /** The run that they work on. */
    public Run run() {
        return new Run(told.context, told.open, told.name);
    }

    /**
     * Shows what a worker would do first, and does nothing: claims up to n rows in a transaction, does the work if that joins the
     * transaction, and rolls back. Work that does not join it is not done.
     *
     * @return the rows
     * @throws Exception whatever the work or the data source throws
     */
    public List<T> dryRun(int n) throws Exception {
        try (Connection connection = told.context.dataSource().getConnection()) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(false);
            try {
                List<T> rows = told.claims.claim(connection, n).rows();
                if (processor instanceof RowProcessor.InTransaction<T> joined) {
                    for (T row : rows) {
                        joined.work().process(row, connection);
                    }
                }
                return rows;
            } finally {
                TransactionEnd.of(connection, false, autoCommit);
            }
        }
    }

    /** Has them end, and does not wait for it. */
    void stop() {
        stop.now();
    }

    /**
     * Ends the workers here: each finishes the row that it has in hand and releases the others. A row that takes longer than a
     * minute is interrupted. Other processes go on. From within the work it does not wait.
     */
    @Override
    public void close() {
        stop.now();
        if (!started.get() || workers.stream().anyMatch(RunWorker::isHere)) {
            return;
        }
        boolean interrupted = false;
        try {
            if (!running.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                workers.forEach(RunWorker::interrupt);
                boolean unused = running.await(AFTER_INTERRUPT.toMillis(), TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException e) {
            interrupted = true;
            workers.forEach(RunWorker::interrupt);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
