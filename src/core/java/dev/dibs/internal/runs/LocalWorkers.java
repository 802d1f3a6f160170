package dev.dibs.internal.runs;

import dev.dibs.internal.sql.call.Steps;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.time.BackgroundLoop;
import dev.dibs.internal.values.Arguments;
import dev.dibs.internal.values.Strings;
import dev.dibs.runs.Run;
import dev.dibs.runs.RunWorkers;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The workers of a run in this process. */
final class LocalWorkers<T> implements RunWorkers<T> {

    private static final System.Logger LOG = System.getLogger("dev.dibs");
    private static final long BEAT = TimeUnit.SECONDS.toNanos(2);
    private static final long PURGE_EVERY = TimeUnit.HOURS.toNanos(1);
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Duration AFTER_INTERRUPT = Duration.ofSeconds(10);

    private final RunOptions<T> options;
    private final StopSignal stop = new StopSignal();
    private final Set<LocalWorkers<?>> open;

    private final List<RunWorker<T>> workers;
    private final CountDownLatch running;
    private final BackgroundLoop beat;
    private final AtomicBoolean started = new AtomicBoolean();
    private final RunTotal total;
    private long beatAt;
    private long purgeAt;
    private @Nullable Thread hook;

    LocalWorkers(RunOptions<T> options, Set<LocalWorkers<?>> open, RowProcessor<T> processor) {
        this.options = options;
        this.open = open;
        CompletionCheck check = new CompletionCheck(options);
        this.workers = IntStream.rangeClosed(1, options.threads)
                .mapToObj(number -> new RunWorker<>(options, processor, stop, check, number))
                .toList();
        this.running = new CountDownLatch(options.threads);
        this.total = new RunTotal(options);
        this.beat = new BackgroundLoop("dibs-run-beat", this::beat);
    }

    @Override
    public LocalWorkers<T> start() {
        options.context.requireOpen();
        if (!started.compareAndSet(false, true)) {
            throw new IllegalStateException("the workers of '" + options.name + "' were started before");
        }
        try {
            create();
        } catch (RuntimeException e) {
            // No worker runs: close has nothing to wait for, and the start may be tried again.
            started.set(false);
            throw e;
        }
        beatAt = options.context.clock().nanos();
        purgeAt = beatAt;
        open.add(this);
        options.wakes.starts.put(stop.idle, options.name);
        Thread atExit = new Thread(this::close, "dibs-run-exit");
        try {
            Runtime.getRuntime().addShutdownHook(atExit);
            hook = atExit;
        } catch (IllegalStateException e) {
            stop.now();
        }
        for (int i = 0; i < workers.size(); i++) {
            launch(workers.get(i), i);
        }
        beat.within(BEAT);
        return this;
    }

    /** If the run has ended and has rows again, its counts begin from zero, and its rows are counted again. */
    private void create() {
        try {
            boolean first = options.table.create(options.settings(), options.holder);
            RunRow run = options.table.read().orElseThrow();
            if (!first) {
                logSettings(run);
                if (run.finishedAt() != null && options.claims.isSomethingLeft()) {
                    options.table.beginPass(run.finishedAt());
                    run = options.table.read().orElseThrow();
                }
                options.table.purge();
            }
            if (run.total() == null && options.total >= 0) {
                options.table.set("set_run_total", options.total);
            } else if (run.total() == null) {
                total.begin(run.deadToRetry());
            }
        } catch (SqlFailure e) {
            throw options.context.errors().explain(e);
        }
    }

    private void logSettings(RunRow run) {
        String other = options.overruledBy(run);
        if (!other.isEmpty()) {
            LOG.log(
                    Level.INFO,
                    "The run '" + options.name + "' uses the settings in the database: " + other
                            + ". Change them with 'dibs run set', or forget them with 'dibs run reset'");
        }
    }

    /**
     * If there is no thread for it, the running workers end, too.
     *
     * @param before how many have begun
     */
    private void launch(RunWorker<T> worker, int before) {
        Runnable task = () -> {
            try {
                worker.run();
            } finally {
                ended();
            }
        };
        try {
            if (options.executor != null) {
                options.executor.execute(task);
            } else {
                new Thread(task, "dibs-run-" + options.name + "-" + (before + 1)).start();
            }
        } catch (RuntimeException | Error e) {
            stop.now();
            for (int i = before; i < workers.size(); i++) {
                ended();
            }
            throw e;
        }
    }

    private void ended() {
        running.countDown();
        if (running.getCount() == 0) {
            afterLast();
        }
    }

    private void afterLast() {
        total.cancel();
        boolean unused = beat.stop(0);
        open.remove(this);
        options.wakes.starts.remove(stop.idle);
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
        long now = options.context.clock().nanos();
        Duration since = Duration.ofNanos(now - beatAt);
        beatAt = now;
        if (workers.stream().noneMatch(RunWorker::isAlive)) {
            // The count may have the only connection of the pool.
            total.cancel();
        }
        for (Steps.Send report : reports(since)) {
            try {
                report.send();
            } catch (SqlFailure e) {
                options.context.errors().log("A worker could not report that it is alive", e);
            }
        }
        purgeIfDue(now);
        return BEAT;
    }

    /**
     * One for each worker that has something to tell, and one for all idle ones that are next to each other. The row of another worker
     * may be locked, as by a transaction whose process is gone: a report that waits for it would keep those of the idle ones locked.
     */
    private List<Steps.Send> reports(Duration since) {
        List<Steps.Send> reports = new ArrayList<>();
        RunWorker<T> first = null;
        RunWorker<T> last = null;
        for (RunWorker<T> worker : workers) {
            if (worker.isQuiet()) {
                first = first == null ? worker : first;
                last = worker;
                continue;
            }
            if (worker.isAlive()) {
                reports.add(() -> worker.report(since));
            }
            addIdle(reports, first, last);
            first = null;
        }
        addIdle(reports, first, last);
        return reports;
    }

    private void addIdle(List<Steps.Send> reports, @Nullable RunWorker<T> first, @Nullable RunWorker<T> last) {
        if (first != null && last != null) {
            reports.add(() -> options.table.seeIdle(first.worker, last.worker));
        }
    }

    private void purgeIfDue(long now) {
        if (now - purgeAt >= PURGE_EVERY) {
            purgeAt = now;
            try {
                options.table.purge();
            } catch (SqlFailure e) {
                options.context.errors().log("Old workers and errors of a run could not be purged", e);
            }
        }
    }

    @Override
    public End await() throws InterruptedException {
        running.await();
        return stop.end();
    }

    @Override
    public Optional<Throwable> failure() {
        return Optional.ofNullable(stop.failure());
    }

    @Override
    public boolean await(Duration atMost) throws InterruptedException {
        return running.await(Arguments.required("time", atMost).toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public Run run() {
        return new DatabaseRun(options.context, open, options.wakes, options.table);
    }

    /** Asks the workers to end, and does not wait. */
    void stop() {
        stop.now();
    }

    @Override
    public void close() {
        stop.now();
        total.end();
        if (!started.get() || workers.stream().anyMatch(RunWorker::isHere)) {
            return;
        }
        try {
            if (!running.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                workers.forEach(RunWorker::interrupt);
                boolean unused = running.await(AFTER_INTERRUPT.toMillis(), TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException e) {
            workers.forEach(RunWorker::interrupt);
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String toString() {
        return "RunWorkers[" + Strings.escape(options.name) + ", " + running.getCount() + " of " + options.threads
                + " not ended]";
    }
}
