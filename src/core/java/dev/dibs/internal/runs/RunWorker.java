package dev.dibs.internal.runs;

import dev.dibs.DatabaseFailureException;
import dev.dibs.DibsException;
import dev.dibs.claims.RowKey;
import dev.dibs.internal.claims.HeldClaim;
import dev.dibs.internal.claims.store.ClaimedRow;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.time.HeldInterrupt;
import dev.dibs.internal.values.OwnerToken;
import dev.dibs.internal.values.Strings;
import dev.dibs.runs.RunState;
import dev.dibs.runs.RunWorkers;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
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
    /** Usually the other workers are about to complete the last rows. */
    private static final long FIRST_POLL = TimeUnit.MILLISECONDS.toNanos(5);

    private static final long LONGEST_POLL = TimeUnit.SECONDS.toNanos(1);
    private static final long RETRY_DEAD_EVERY = TimeUnit.SECONDS.toNanos(5);

    private final RunOptions<T> options;
    private final RunTable table;
    private final RowProcessor<T> processor;
    private final StopSignal stop;
    private final CompletionCheck check;
    private final String worker = OwnerToken.next();
    private final RunCounters counters;
    private final CurrentRow current = new CurrentRow();
    private final Batch<T> transaction;
    private final RunFailures<T> failures;
    private final SilentRefusals<T> refusals;
    private final RunRateLimiter limiter;
    private final AtomicLong processed = new AtomicLong();
    private final String label;
    private volatile boolean entered;
    private @Nullable Throwable failure;

    private @Nullable HeldClaim<T> claim;
    private List<ClaimedRow<T>> finished = new ArrayList<>();
    private long poll = FIRST_POLL;
    private long deadRetriedAt;

    RunWorker(RunOptions<T> options, RowProcessor<T> processor, StopSignal stop, CompletionCheck check, int number) {
        this.options = options;
        this.table = options.table;
        this.processor = processor;
        this.stop = stop;
        this.check = check;
        this.label = options.holder + (options.threads == 1 ? "" : "/" + number);
        this.counters = new RunCounters(table, options.claims, worker);
        this.failures = new RunFailures<>(options, counters, label);
        this.refusals = new SilentRefusals<>(table, options.claims, counters, failures, check, label);
        this.transaction = new Batch<>(options, counters, check, refusals);
        this.limiter = new RunRateLimiter(table, stop);
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
                limiter.forget();
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
        String undone = finished.isEmpty()
                ? ""
                : " It has processed rows that it could not complete; they will be processed again: "
                        + finished.stream().map(ClaimedRow::key).toList() + ".";
        finished = new ArrayList<>();
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
        if (counters.isDoubtful()) {
            settle();
        }
        RunSwitches run = limiter.await(this::settle);
        if (run == null || run.state() == RunState.STOPPED) {
            return RunWorkers.End.STOPPED;
        }
        if (stop.isWanted()) {
            return null;
        }
        if (run.state() == RunState.PAUSED) {
            settle();
            limiter.forget();
            stop.sleep(PAUSED_POLL);
            return null;
        }
        retryDeadIfDue();
        return batch(run);
    }

    private RunWorkers.@Nullable End batch(RunSwitches before) throws SqlFailure {
        Batch.Next<T> next;
        try {
            next = transaction.next(claim, finished, (int) before.batch());
        } catch (SqlFailure e) {
            if (finished.isEmpty() || !e.isMistake()) {
                throw e;
            }
            settle();
            return null;
        }
        failures.completed(finished.size(), List.of(), null);
        finish();
        claim = next.claim();
        failures.beginBatch();
        refusals.record();
        RunSwitches run = next.run();
        limiter.know(run);
        if (run == null || run.state() != RunState.RUNNING || failures.endReason() != null) {
            settle();
            return null;
        }
        if (next.claim().isEmpty()) {
            claim = null;
            return next.claim().hasSearchedAll() ? idle() : null;
        }
        poll = FIRST_POLL;
        if (run.isFinished()) {
            table.reopen();
        }
        work(next.claim());
        return null;
    }

    private RunWorkers.@Nullable End idle() throws SqlFailure {
        RunRow run = table.read().orElse(null);
        if (run == null || (run.deadToRetry() > 0 && failures.retryDead())) {
            return null;
        }
        if (options.pollEvery != null) {
            stop.sleep(options.pollEvery.toNanos());
            return null;
        }
        RunWorkers.End end = RunFinish.of(table, options.claims, run);
        if (end == null) {
            if (poll == LONGEST_POLL) {
                options.claims.store().refused().suspect();
            }
            stop.sleep(poll);
            poll = Math.min(LONGEST_POLL, poll * 2);
        }
        return end;
    }

    private void retryDeadIfDue() throws SqlFailure {
        long now = options.context.clock().nanos();
        if (now - deadRetriedAt >= RETRY_DEAD_EVERY) {
            deadRetriedAt = now;
            boolean unused = failures.retryDead();
        }
    }

    private void work(HeldClaim<T> rows) throws SqlFailure {
        rows.onLost(lost -> current.interruptIf(lost::contains));
        for (ClaimedRow<T> row : rows.claimed()) {
            if (stop.isWanted() || failures.isRefused()) {
                return;
            }
            if (rows.isHeld(row.key())) {
                work(rows, row);
            }
        }
        failures.worked(rows);
    }

    private void work(HeldClaim<T> rows, ClaimedRow<T> row) throws SqlFailure {
        counters.correct();
        boolean suspect = row.origin() == ClaimedRow.Origin.LEFT_OVER;
        if (suspect) {
            completeFinished(rows);
            if (!failures.begin(rows, row)) {
                ErrorBudget.check(table, label);
                return;
            }
        }
        Throwable error = null;
        RowProcessor.Outcome outcome = null;
        boolean byUs = false;
        current.take(row.key());
        try {
            if (row.unreadable() != null) {
                throw row.unreadable();
            }
            outcome = processor.process(rows, row, transaction, current);
        } catch (SqlFailure e) {
            throw e;
        } catch (Throwable e) {
            error = e;
        } finally {
            byUs = current.clear();
        }
        boolean interrupted = Thread.interrupted() || error instanceof InterruptedException;
        if (interrupted && !byUs && options.executor != null) {
            // The owner of the threads is shutting them down.
            stop.now();
        }
        if (error != null && !(interrupted && isMeant(rows, row))) {
            failed(rows, row, error, suspect);
        } else if (outcome == RowProcessor.Outcome.WORKED) {
            finished.add(row);
            processed.incrementAndGet();
            if (suspect) {
                completeFinished(rows);
            }
        } else if (outcome == RowProcessor.Outcome.COMPLETED) {
            rows.done(List.of(row.key()));
            processed.incrementAndGet();
        } else if (outcome == RowProcessor.Outcome.MISSED) {
            refusals.completed(rows, List.of(row), List.of());
            refusals.record();
        }
    }

    /** If the virtual machine is broken, the worker ends, whether or not that can be recorded. */
    private void failed(HeldClaim<T> rows, ClaimedRow<T> row, Throwable error, boolean begun) throws SqlFailure {
        VirtualMachineError fatal =
                error instanceof VirtualMachineError broken && !(error instanceof StackOverflowError) ? broken : null;
        try {
            failures.record(rows, row, error, begun);
            ErrorBudget.check(table, label);
        } catch (SqlFailure e) {
            if (fatal == null) {
                throw e;
            }
            fatal.addSuppressed(e);
        }
        if (fatal != null) {
            throw fatal;
        }
    }

    /** Whether we have interrupted the work: that is no failure of the row. */
    private boolean isMeant(HeldClaim<T> rows, ClaimedRow<T> row) {
        return stop.isWanted() || !rows.isHeld(row.key());
    }

    /** Completes finished rows at once, before a row that may end this process. */
    private void completeFinished(@Nullable HeldClaim<T> rows) throws SqlFailure {
        try {
            transaction.complete(rows, finished);
        } catch (SqlFailure e) {
            if (rows == null || finished.isEmpty() || !e.isMistake()) {
                throw e;
            }
            completeEach(rows);
        }
        if (rows != null) {
            rows.done(finished.stream().map(ClaimedRow::key).toList());
        }
        finished = new ArrayList<>();
    }

    /** A refused row does not keep the others from their completion. It has failed, unless the database refuses the statement itself. */
    private void completeEach(HeldClaim<T> rows) throws SqlFailure {
        transaction.requireAccepted();
        List<RowKey> refused = new ArrayList<>();
        DatabaseFailureException why = null;
        int all = finished.size();
        while (!finished.isEmpty()) {
            ClaimedRow<T> row = finished.get(0);
            try {
                transaction.complete(rows, List.of(row));
            } catch (SqlFailure e) {
                if (!e.isMistake()) {
                    throw e;
                }
                refused.add(row.key());
                why = options.context.errors().explain(e);
                failures.refused(rows, row, why);
            }
            rows.done(List.of(row.key()));
            finished.remove(0);
        }
        ErrorBudget.check(table, label);
        failures.completed(all - refused.size(), refused, why);
    }

    /** Completes the finished rows and releases the rest. */
    private void settle() throws SqlFailure {
        completeFinished(claim);
        finish();
    }

    private void finish() {
        failures.settled();
        if (claim != null) {
            claim.done(finished.stream().map(ClaimedRow::key).toList());
            transaction.release(claim);
            claim.close();
        }
        claim = null;
        finished = new ArrayList<>();
    }

    /** Reports that this worker is alive; on another thread. */
    void beat(Duration since) throws SqlFailure {
        if (entered) {
            long rows = processed.getAndSet(0);
            table.see(worker, Math.round(rows * 1e6 / Math.max(1, since.toMillis())), current.text());
        }
    }

    /** Whether the database has answered it. */
    boolean hasEntered() {
        return entered;
    }

    boolean isHere() {
        return current.isHere();
    }

    void interrupt() {
        current.interruptIf(row -> true);
    }

    private void leave() {
        // If the pool's owner interrupts the worker, it ends, but not in the middle of its releases.
        try (HeldInterrupt unused = new HeldInterrupt()) {
            WorkerShutdown shutdown = new WorkerShutdown(options.name);
            Throwable why = failure;
            shutdown.attempt(true, this::settle);
            // Also if that failed: a claim that stays would be renewed.
            shutdown.attempt(false, this::finish);
            if (entered) {
                shutdown.attempt(true, () -> table.leave(worker, counters.known(), WorkerShutdown.reason(why)));
            }
            if (why != null) {
                shutdown.attempt(!failures.isRefused(), () -> table.record(label, why));
            }
        }
    }
}
