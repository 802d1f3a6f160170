package dev.dibs.internal.runs;

import dev.dibs.DatabaseFailureException;
import dev.dibs.DibsException;
import dev.dibs.claims.RowKey;
import dev.dibs.internal.claims.HeldClaim;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.time.HeldInterrupt;
import dev.dibs.internal.values.OwnerToken;
import dev.dibs.internal.values.Strings;
import dev.dibs.runs.RunState;
import dev.dibs.runs.RunWorkers;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One worker of a run. It claims rows, works on them, and completes them together with the next claim, until no row is left or it is asked
 * to end.
 *
 * <p>While the database is away, it tries again with growing pauses. If the database refuses a statement, it tries a few times and then
 * ends, since a mistake does not go away. The run's status and errors have the reason.
 */
final class RunWorker<T> implements Runnable {

    private static final System.Logger LOG = System.getLogger("dev.dibs");
    private static final long PAUSED_POLL = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long LONGEST_POLL = TimeUnit.SECONDS.toNanos(1);
    private static final long RETRY_DEAD_EVERY = TimeUnit.SECONDS.toNanos(5);

    private final RunOptions<T> options;
    private final RunTable table;
    private final StopSignal stop;
    private final IdleWorkers idle;
    private final CompletionCheck check;
    /** Its name in the database. */
    final String worker;

    private final RunCounters counters;
    private final RunFailures<T> failures;
    private final Batch<T> batch;
    private final RunRateLimiter limiter;
    private final String label;
    private volatile boolean entered;
    private volatile boolean leaving;
    private @Nullable Throwable failure;
    /** Whether it has found rows, and since then no look without any: only in between does it write to its row. */
    private volatile boolean hasRows;

    private long deadRetriedAt;

    /** When its last look for rows began. */
    private long lookedAt;

    /** Whether that found none. */
    private boolean isIdle;

    /** Whether the database has it as a worker without a row in work. For the thread of the reports. */
    private boolean isSeenIdle = true;

    RunWorker(RunOptions<T> options, RowProcessor<T> processor, StopSignal stop, CompletionCheck check, int number) {
        this.options = options;
        this.table = options.table;
        this.stop = stop;
        this.idle = stop.idle;
        this.worker = OwnerToken.nth(idle.firstName, number);
        this.check = check;
        this.label = options.holder + (options.threads == 1 ? "" : "/" + number);
        this.counters = new RunCounters(table, options.claims, worker);
        this.failures = new RunFailures<>(options, counters, label);
        this.batch = new Batch<>(options, processor, stop, check, counters, failures);
        this.limiter = new RunRateLimiter(table, stop, this);
        this.deadRetriedAt = options.context.clock().nanos() - RETRY_DEAD_EVERY;
    }

    @Override
    public void run() {
        try {
            loop();
        } catch (Throwable e) {
            failure = e;
            stop.failed(e);
            LOG.log(Level.ERROR, "A worker of the run '" + Strings.escape(options.name) + "' ended with an error", e);
            throw e;
        } finally {
            idle.leave(this);
            leave();
        }
    }

    private void loop() {
        StatementFailures errors = new StatementFailures(options, label);
        while (!stop.isWanted()) {
            try {
                RunWorkers.End end = step();
                if (end != null) {
                    stop.ended(end);
                    return;
                }
                DibsException why = failures.endReason() == null ? check.endReason() : failures.endReason();
                if (why != null) {
                    end(why);
                    return;
                }
                errors.over();
            } catch (SqlFailure e) {
                idle.leave(this);
                limiter.know(null);
                if (errors.isHopeless(e)) {
                    giveUp(e);
                    return;
                }
                stop.sleep(errors.pauseNanos(e));
            }
        }
    }

    /** Rows whose work is done but that cannot be completed are released with the others; the message lists them. */
    private void giveUp(SqlFailure refused) {
        DatabaseFailureException why = options.context.errors().explain(refused);
        List<RowKey> given = batch.giveUp();
        String undone = given.isEmpty()
                ? ""
                : " It has processed rows that it could not complete; they will be processed again: " + given + ".";
        end(new DatabaseFailureException(why.getMessage() + "." + undone, why.getCause()));
    }

    private void end(DibsException why) {
        failure = why;
        stop.failed(why);
        LOG.log(Level.ERROR, "A worker of the run '" + Strings.escape(options.name) + "' ends: " + why.getMessage());
    }

    /** Processes one batch, or waits once. Returns how the run has ended, if it has. */
    private RunWorkers.@Nullable End step() throws SqlFailure {
        if (!entered) {
            table.enter(worker, label);
            entered = true;
        }
        if (batch.isInDoubt()) {
            batch.settle();
        }
        RunSwitches run = limiter.await(batch::settle);
        if (run == null || run.state() == RunState.STOPPED) {
            return RunWorkers.End.STOPPED;
        }
        if (stop.isWanted()) {
            return null;
        }
        if (run.state() == RunState.PAUSED) {
            batch.settle();
            limiter.know(null);
            setIdle(false);
            idle.rest(this, PAUSED_POLL);
            return null;
        }
        retryDeadIfDue();
        return batch(run);
    }

    private RunWorkers.@Nullable End batch(RunSwitches before) throws SqlFailure {
        RunSwitches run;
        lookedAt = idle.now();
        try {
            run = batch.next((int) before.batch(), isIdle);
        } catch (SqlFailure e) {
            if (!batch.isRefused(e)) {
                throw e;
            }
            batch.settle();
            return null;
        }
        limiter.know(run);
        if (run == null || run.state() != RunState.RUNNING || failures.endReason() != null) {
            batch.settle();
            return null;
        }
        HeldClaim<T> claim = batch.claim();
        limiter.claimed(claim.size());
        if (claim.isEmpty()) {
            // A worker that goes on to search keeps its place.
            return claim.hasSearchedAll() ? idle(run) : null;
        }
        hasRows = true;
        boolean full = claim.size() >= before.batch()
                || !claim.hasSearchedAll()
                || options.claims.store().leavesRows();
        idle.found(this, lookedAt, full, pauseNanos());
        setIdle(false);
        if (run.isFinished()) {
            table.reopen();
        }
        batch.work();
        return null;
    }

    private RunWorkers.@Nullable End idle(RunSwitches seen) throws SqlFailure {
        boolean hasWorked = hasRows;
        hasRows = false;
        if (options.pollEvery != null) {
            if ((!isIdle || seen.deadToRetry() > 0) && failures.retryDead()) {
                return null;
            }
            setIdle(true);
            idle.sleep(this, lookedAt, pauseNanos());
            return null;
        }
        RunRow run = table.read().orElse(null);
        if (run == null || (run.deadToRetry() > 0 && failures.retryDead())) {
            return null;
        }
        if (hasWorked) {
            idle.poll = IdleWorkers.FIRST_POLL;
        }
        RunWorkers.End end = RunFinish.of(table, options.claims, run);
        if (end == null) {
            if (idle.poll == LONGEST_POLL) {
                options.claims.store().refused().suspect();
            }
            idle.sleep(this, lookedAt, pauseNanos());
            idle.poll = Math.min(LONGEST_POLL, idle.poll * 2);
        }
        return end;
    }

    /** How long after the beginning of a look that found nothing the next one is due. */
    private long pauseNanos() {
        return options.pollEvery == null ? idle.poll : TimeUnit.NANOSECONDS.convert(options.pollEvery);
    }

    /** It sleeps between two looks and can be woken, or it does not. */
    private void setIdle(boolean now) {
        if (now != isIdle) {
            isIdle = now;
            options.wakes.idle(options.name, now);
        }
    }

    private void retryDeadIfDue() throws SqlFailure {
        long now = options.context.clock().nanos();
        if (!isIdle && now - deadRetriedAt >= RETRY_DEAD_EVERY) {
            deadRetriedAt = now;
            boolean unused = failures.retryDead();
        }
    }

    /** Whether its last report is still true, and no statement of its own that writes to its row is under way. */
    boolean isQuiet() {
        return isAlive() && !hasRows && isSeenIdle && batch.processed.get() == 0;
    }

    /** Whether it has begun, and not ended: an end that cannot be written must not look alive. */
    boolean isAlive() {
        return entered && !leaving;
    }

    /** Reports that this worker is alive; on another thread. */
    void report(Duration since) throws SqlFailure {
        long rows = batch.processed.getAndSet(0);
        String row = batch.current.text();
        isSeenIdle = false;
        table.see(worker, Math.round(rows * 1e6 / Math.max(1, since.toMillis())), row);
        isSeenIdle = rows == 0 && row == null;
    }

    boolean isHere() {
        return batch.current.isHere();
    }

    void interrupt() {
        batch.current.interruptIf(row -> true);
    }

    private void leave() {
        // If the pool's owner interrupts the worker, it ends, but not in the middle of its releases.
        try (HeldInterrupt unused = new HeldInterrupt()) {
            WorkerShutdown shutdown = new WorkerShutdown(options.name);
            Throwable why = failure;
            setIdle(false);
            shutdown.attempt(true, batch::settle);
            // Also if that failed: a claim that stays would be renewed.
            shutdown.attempt(false, batch::end);
            // Its row is not written any more, but for this.
            leaving = true;
            if (entered) {
                shutdown.attempt(true, () -> table.leave(worker, counters.known(), WorkerShutdown.reason(why)));
            }
            if (why != null) {
                shutdown.attempt(!failures.isRefused(), () -> table.record(label, why));
            }
        }
    }
}
