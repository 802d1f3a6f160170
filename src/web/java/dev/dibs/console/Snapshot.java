package dev.dibs.console;

import dev.dibs.Dibs;
import dev.dibs.Finding;
import dev.dibs.HolderInfo;
import dev.dibs.once.OnceInfo;
import dev.dibs.runs.DeadLetter;
import dev.dibs.runs.Run;
import dev.dibs.runs.RunError;
import dev.dibs.runs.RunStatus;
import dev.dibs.tokens.TokenCounts;
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

/** What the console has seen of the database lately, for all who look; error texts without passwords. */
final class Snapshot {

    /** How many errors and dead rows of a run are kept. */
    static final int DETAILS = 100;

    private static final Duration AGE = Duration.ofSeconds(2);
    private static final Duration DETAIL_AGE = Duration.ofSeconds(5);
    /** Long, since the doctor tries the rights of each table, which the pace does not count. */
    private static final Duration FINDINGS_AGE = Duration.ofMinutes(2);

    private static final Duration DATABASE_AGE = Duration.ofHours(1);

    /** So long a visitor waits for news, or for what comes of a button. */
    static final Duration PATIENCE = Duration.ofSeconds(2);

    /** So long where nothing is known: a first connection may take its time. */
    private static final Duration FIRST_PATIENCE = Duration.ofSeconds(10);

    /** Where the database does not answer, so many questions hang at most. */
    private static final int THREADS = 8;

    private static final int IDLE_SECONDS = 5;
    private static final int CLOSE_SECONDS = 2;

    /** More runs than that are not looked at by one crew at the same time. */
    private static final int MOST_DETAILS = 200;

    /** Of one run. */
    record Detail(List<RunError> errors, List<DeadLetter> dead) {}

    private final Dibs dibs;
    private final Pace pace;
    private final LongSupplier nanos;
    private final Duration patience;
    private final ExecutorService threads = new ThreadPoolExecutor(
            0, THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), Snapshot::thread);
    private final Map<String, CachedQuery<Detail>> details = new ConcurrentHashMap<>();
    private final CachedQuery<List<HolderInfo>> holders;
    private final CachedQuery<List<OnceInfo>> onces;
    private final CachedQuery<List<RunStatus>> runs;
    private final CachedQuery<List<TokenCounts>> tokens;
    private final CachedQuery<List<Finding>> findings;
    private final CachedQuery<String> database;

    Snapshot(Dibs dibs, LongSupplier nanos) {
        this(dibs, nanos, PATIENCE);
    }

    /** With a patience of a test's own. */
    Snapshot(Dibs dibs, LongSupplier nanos, Duration patience) {
        this.dibs = dibs;
        this.nanos = nanos;
        this.patience = patience;
        this.pace = new Pace(nanos);
        // How many statements each costs is what a test counts.
        holders = shared(4, AGE, () -> dibs.admin().holders().listAll());
        onces = shared(
                1,
                AGE,
                () -> dibs.admin().onces().stream().map(Snapshot::masked).toList());
        runs = shared(3, AGE, dibs.admin()::runs);
        tokens = shared(1, AGE, dibs.admin()::tokenCounts);
        findings = shared(15, FINDINGS_AGE, dibs.admin()::doctor);
        database = shared(0, DATABASE_AGE, dibs.admin()::database);
    }

    private <T> CachedQuery<T> shared(int statements, Duration age, Supplier<T> question) {
        return new CachedQuery<>(pace, nanos, threads, statements, age, question);
    }

    private static Thread thread(Runnable work) {
        // Nothing is inherited: a data source may have bound the visitor's transaction to its thread.
        Thread thread = new Thread(null, work, "dibs-console", 0, false);
        thread.setDaemon(true);
        return thread;
    }

    /** Ends the threads; one whose question is under way ends with the answer. */
    void close() {
        threads.shutdown();
        try {
            threads.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** For a visitor that comes now: everything that its page asks together takes no longer. */
    Wait begin() {
        return Wait.begin(patience, FIRST_PATIENCE);
    }

    /** So long a visitor waits where something can be said without the database. */
    Duration patience() {
        return patience;
    }

    /**
     * Has it done in a thread of the console's.
     *
     * @throws java.util.concurrent.RejectedExecutionException if all of them wait for the database
     */
    void execute(Runnable work) {
        threads.execute(work);
    }

    Dibs dibs() {
        return dibs;
    }

    /** Which database it is; empty if it has not said so yet. */
    String database() {
        String known = database.get(Wait.begin(Duration.ZERO, patience)).value();
        return known == null ? "" : Format.text(known);
    }

    CachedQuery<List<HolderInfo>> holders() {
        return holders;
    }

    CachedQuery<List<OnceInfo>> onces() {
        return onces;
    }

    CachedQuery<List<RunStatus>> runs() {
        return runs;
    }

    CachedQuery<List<TokenCounts>> tokens() {
        return tokens;
    }

    CachedQuery<List<Finding>> findings() {
        return findings;
    }

    /** The details of a run that is there. */
    CachedQuery<Detail> detail(String run) {
        if (details.size() >= MOST_DETAILS && !details.containsKey(run)) {
            details.clear();
        }
        return details.computeIfAbsent(run, name -> shared(4, DETAIL_AGE, () -> detailOf(dibs.run(name))));
    }

    /** Something was changed in it. */
    void outdateDetail(String run) {
        CachedQuery<Detail> detail = details.get(run);
        if (detail != null) {
            detail.outdate();
        }
    }

    private static Detail detailOf(Run run) {
        return new Detail(
                run.errors(DETAILS).stream().map(Snapshot::masked).toList(),
                run.dead(DETAILS).stream()
                        .map(row ->
                                new DeadLetter(row.key(), row.attempts(), row.failedAt(), Format.masked(row.message())))
                        .toList());
    }

    private static RunError masked(RunError error) {
        return new RunError(
                error.key(),
                error.attempt(),
                error.worker(),
                error.failedAt(),
                error.errorClass(),
                Format.masked(error.message()),
                Format.masked(error.stack()));
    }

    private static OnceInfo masked(OnceInfo once) {
        return new OnceInfo(
                once.name(),
                once.running(),
                once.holder(),
                once.lastSuccess(),
                once.lastFailure(),
                Format.masked(once.error()),
                once.failures(),
                once.retryAt(),
                once.lastDuration());
    }
}
