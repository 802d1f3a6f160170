package dev.dibs.console;

import dev.dibs.Dibs;
import dev.dibs.Finding;
import dev.dibs.LeaseInfo;
import dev.dibs.once.OnceInfo;
import dev.dibs.runs.DeadLetter;
import dev.dibs.runs.Run;
import dev.dibs.runs.RunError;
import dev.dibs.runs.RunStatus;
import dev.dibs.text.Masked;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** The console's cached answers of the database, shared by all visitors. Errors and reasons are masked. */
final class Snapshot {

    /** How many errors and dead rows of a run are kept. */
    static final int DETAILS = 100;

    private static final Duration AGE = Duration.ofSeconds(2);
    private static final Duration DETAIL_AGE = Duration.ofSeconds(5);
    /** Long, because the doctor tries the rights on each table, and the pace does not count these statements. */
    private static final Duration FINDINGS_AGE = Duration.ofMinutes(2);

    private static final Duration DATABASE_AGE = Duration.ofHours(1);

    /** How long a visitor waits for newer data, or for the outcome of a button. */
    static final Duration PATIENCE = Duration.ofSeconds(2);

    /** How long a visitor waits if no data are cached: a first connection may be slow. */
    private static final Duration FIRST_PATIENCE = Duration.ofSeconds(10);

    /** The largest number of queries that hang if the database does not answer. */
    private static final int THREADS = 8;

    private static final int IDLE_SECONDS = 5;
    private static final int CLOSE_SECONDS = 2;

    /** Visitors rarely look at more runs than this at the same time. */
    private static final int MOST_DETAILS = 200;

    /** The details of one run. */
    record Detail(List<RunError> errors, List<DeadLetter> dead) {}

    private final Dibs dibs;
    private final Pace pace;
    private final LongSupplier nanos;
    private final Duration patience;
    private final ExecutorService threads = new ThreadPoolExecutor(
            0, THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), Snapshot::thread);
    private final Map<String, CachedQuery<Detail>> details = new ConcurrentHashMap<>();
    private final RunHistory history = new RunHistory();
    private final CachedQuery<List<LeaseInfo>> holders;
    private final CachedQuery<List<OnceInfo>> onces;
    private final CachedQuery<List<RunStatus>> runs;
    private final CachedQuery<List<Finding>> findings;
    private final CachedQuery<String> database;

    Snapshot(Dibs dibs, LongSupplier nanos) {
        this(dibs, nanos, PATIENCE);
    }

    /** For tests: with their own patience. */
    Snapshot(Dibs dibs, LongSupplier nanos, Duration patience) {
        this.dibs = dibs;
        this.nanos = nanos;
        this.patience = patience;
        this.pace = new Pace(nanos);
        // A test checks the number of statements of each.
        holders = shared(4, AGE, () -> dibs.admin().allLeases());
        onces = shared(1, AGE, () -> Masked.onces(dibs.admin().onces(), Format::masked));
        runs = shared(3, AGE, () -> history.add(Masked.runs(dibs.admin().runs(), Format::masked)));
        findings = shared(21, FINDINGS_AGE, dibs.admin()::doctor);
        database = shared(0, DATABASE_AGE, dibs.admin()::database);
    }

    /**
     * An answer that one page needs.
     *
     * @param statements how many statements the query takes
     */
    <T> CachedQuery<T> query(int statements, Supplier<T> question) {
        return shared(statements, AGE, question);
    }

    private <T> CachedQuery<T> shared(int statements, Duration age, Supplier<T> question) {
        return new CachedQuery<>(pace, nanos, threads, statements, age, question);
    }

    private static Thread thread(Runnable work) {
        // The thread inherits no thread locals: a data source may have bound the visitor's transaction to its thread.
        Thread thread = new Thread(null, work, "dibs-console", 0, false);
        thread.setDaemon(true);
        return thread;
    }

    /** Ends the threads. A thread with a query under way ends after the answer. */
    void close() {
        threads.shutdown();
        try {
            threads.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The wait of a visitor that comes now: a limit for all queries of its page together. */
    Wait begin() {
        return Wait.begin(patience, FIRST_PATIENCE);
    }

    /** How long a visitor waits if a page is possible without the database. */
    Duration patience() {
        return patience;
    }

    /**
     * Runs work on a thread of the console.
     *
     * @throws java.util.concurrent.RejectedExecutionException if all threads wait for the database
     */
    void execute(Runnable work) {
        threads.execute(work);
    }

    Dibs dibs() {
        return dibs;
    }

    /** The database's description; empty while it is unknown. */
    String database() {
        String known = database.get(Wait.begin(Duration.ZERO, patience)).value();
        return known == null ? "" : Format.text(known);
    }

    CachedQuery<List<LeaseInfo>> holders() {
        return holders;
    }

    CachedQuery<List<OnceInfo>> onces() {
        return onces;
    }

    CachedQuery<List<RunStatus>> runs() {
        return runs;
    }

    /** How the runs went on since somebody first looked at them. */
    RunHistory history() {
        return history;
    }

    CachedQuery<List<Finding>> findings() {
        return findings;
    }

    /** The details of an existing run. */
    CachedQuery<Detail> detail(String run) {
        if (details.size() >= MOST_DETAILS && !details.containsKey(run)) {
            details.clear();
        }
        return details.computeIfAbsent(run, name -> shared(4, DETAIL_AGE, () -> detailOf(dibs.run(name))));
    }

    /** Marks the details as out of date, after a change. */
    void outdateDetail(String run) {
        CachedQuery<Detail> detail = details.get(run);
        if (detail != null) {
            detail.outdate();
        }
    }

    private static Detail detailOf(Run run) {
        return new Detail(
                Masked.errors(run.errors(DETAILS), Format::masked), Masked.dead(run.dead(DETAILS), Format::masked));
    }
}
