package dev.dibs;

import dev.dibs.OnceMemory.Known;
import dev.dibs.core.Arguments;
import dev.dibs.core.Backoff;
import dev.dibs.core.Patience;
import dev.dibs.sql.SqlFailure;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Something that is done once a period, by whoever comes first, over all processes that use the same table.
 *
 * <p>To ask costs one round trip, and none while it is known not to be due: an instance remembers that, for five minutes at most. So
 * it may be asked by every page view.
 *
 * <p>Made by {@link Dibs#once}. Immutable, cheap, safe for use by any thread. After {@link Dibs#close()} every method that asks throws
 * {@code IllegalStateException}.
 */
public final class Once {

    /** Between two questions of one who waits; somebody may have made it due meanwhile. */
    private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(1);

    private final OnceContext context;
    private final OnceMemory.Key key;
    private final Duration lease;
    private final Duration firstPause;
    private final Duration longestPause;

    Once(
            OnceContext context,
            String name,
            OnceSchedule schedule,
            Duration lease,
            Duration firstPause,
            Duration longestPause) {
        this.context = context;
        this.key = new OnceMemory.Key(name, schedule);
        this.lease = lease;
        this.firstPause = firstPause;
        this.longestPause = longestPause;
    }

    /** Its name. */
    public String name() {
        return key.name();
    }

    /**
     * Does the work if it is due and nobody else is at it. The next one is due a period after the work has ended well. If it throws, that
     * is recorded, and it is due again after a pause ({@link OnceBuilder#backOff}); until then others get FAILED. If it closes the lease
     * itself, nothing is recorded.
     *
     * @return RAN, or why not
     * @throws X whatever the work throws
     * @throws NotAcquiredException if the thread is interrupted between retries; its interrupt flag is set
     * @throws LeaseLostException if the lease was lost before the work ended, so that it may be done again
     * @throws DibsException if the database can not be asked or gives no clear answer, or can not be told in time that the work is done
     */
    public <X extends Exception> OnceOutcome tryRun(LeaseWork<X> work) throws X {
        return attempt(Arguments.required("work", work)).outcome();
    }

    /**
     * The same, but waits while somebody else is at it, and while it is not tried again after a failure, and then does the work if nobody
     * has done it. No connection is held meanwhile. What the work throws in this call ends the wait.
     *
     * @param wait how long at most; zero for not at all
     * @return RAN or FRESH if it is done; BUSY or FAILED if it still is not
     * @throws X whatever the work throws
     * @throws NotAcquiredException if the thread is interrupted; its interrupt flag is set
     * @throws IllegalArgumentException if {@code wait} is negative
     * @throws LeaseLostException if the lease was lost before the work ended, so that it may be done again
     * @throws DibsException if the database can not be asked or gives no clear answer, or can not be told in time that the work is done
     */
    public <X extends Exception> OnceOutcome tryRun(Duration wait, LeaseWork<X> work) throws X {
        Patience patience = new Patience(context.clock(), Acquisition.checkWait(wait), lease);
        Backoff backoff = new Backoff();
        Known known = attempt(Arguments.required("work", work));
        while (!isDone(known.outcome()) && !patience.isOver()) {
            pause(known, backoff, patience);
            context.keeper().requireOpen();
            // What is remembered may be minutes old: the caller insists.
            known = ask(work);
        }
        return known.outcome();
    }

    /**
     * Returns only if it is done: by this call, or by somebody else in this period. For what must have been done before the program goes
     * on, as a migration. Waits as {@link #tryRun(Duration, LeaseWork)}.
     *
     * @param wait how long at most; zero for not at all
     * @throws X whatever the work throws
     * @throws NotAcquiredException if somebody else is still at it, saying who; or if the thread is interrupted
     * @throws IllegalArgumentException if {@code wait} is negative
     * @throws LeaseLostException if the lease was lost before the work ended, so that it may be done again
     * @throws DibsException if it failed a short time ago, with the error and the time of the next try; or as {@link #tryRun(LeaseWork)}
     */
    public <X extends Exception> void requireDone(Duration wait, LeaseWork<X> work) throws X {
        if (isDone(tryRun(wait, work))) {
            return;
        }
        OnceRow row = look();
        OnceOutcome now = row == null ? OnceOutcome.BUSY : row.outcome(key.schedule());
        if (row != null && now == OnceOutcome.FAILED) {
            throw new DibsException("'" + name() + "' is not done. " + row.failure(), null);
        }
        if (!isDone(now)) {
            LockInfo holder = row != null && row.lease().isHeld() ? row.lease().info() : null;
            String who = holder == null ? "somebody else" : holder.holder();
            throw new NotAcquiredException(name(), holder, "'" + name() + "' is not done: " + who + " is at it");
        }
    }

    /**
     * What is known of it: who is at it, when it was last done, why it failed last. Costs one round trip.
     *
     * @return empty if nobody has ever tried it
     * @throws DibsException if the database can not be asked
     */
    public Optional<OnceInfo> info() {
        context.keeper().requireOpen();
        return Optional.ofNullable(look()).map(OnceRow::info);
    }

    private static boolean isDone(OnceOutcome outcome) {
        return outcome == OnceOutcome.RAN || outcome == OnceOutcome.FRESH;
    }

    private void pause(Known known, Backoff backoff, Patience patience) {
        long left = Math.max(
                backoff.nextNanos(), Math.min(known.until() - context.clock().nanos(), LONGEST_PAUSE));
        try {
            TimeUnit.NANOSECONDS.sleep(Math.min(left, patience.remainingNanos()));
        } catch (InterruptedException e) {
            throw interrupted("'" + name() + "' is not done, and the wait for it was interrupted");
        }
    }

    /** Does the work if it is due, and returns what is known then. */
    private <X extends Exception> Known attempt(LeaseWork<X> work) throws X {
        context.keeper().requireOpen();
        Known known = context.memory().get(key);
        return known != null ? known : ask(work);
    }

    private <X extends Exception> Known ask(LeaseWork<X> work) throws X {
        Known last = context.memory().last(key);
        Long succeededAt = last == null ? null : last.succeededAt();
        if (last == null && key.schedule().period() < 0) {
            // The database can not tell what is due by a calendar before it is told what was.
            long sent = context.clock().nanos();
            OnceRow row = look();
            if (row != null && row.settles(key.schedule())) {
                return context.memory().learn(key, row, sent);
            }
            succeededAt = row == null ? null : row.succeededAt();
        }
        return acquire(new OnceRequest(context.database(), name(), key.schedule(), succeededAt), work);
    }

    private @Nullable OnceRow look() {
        try {
            return context.look(name());
        } catch (SqlFailure e) {
            throw context.errors().explain(e);
        }
    }

    private <X extends Exception> Known acquire(OnceRequest request, LeaseWork<X> work) throws X {
        long sent = context.clock().nanos();
        HeldLease acquired = context.acquirer().askOnce(request, lease).lease();
        OnceRow before = request.before();
        if (acquired == null) {
            return before == null ? busy() : context.memory().learn(key, before, sent);
        }
        try {
            new OnceRun(context, acquired, pause(request.failures())).run(work);
        } finally {
            context.memory().forget(key);
        }
        return new Known(OnceOutcome.RAN, sent, null);
    }

    private Known busy() {
        return new Known(OnceOutcome.BUSY, context.clock().nanos(), null);
    }

    /** Doubled for each failure in a row before this one. */
    private Duration pause(long failures) {
        long longest = longestPause();
        long pause = firstPause.toMillis();
        for (long i = 0; i < failures && pause < longest && pause > 0; i++) {
            pause *= 2;
        }
        return Duration.ofMillis(Math.min(pause, longest));
    }

    private long longestPause() {
        long longest = longestPause.toMillis();
        long period = key.schedule().period();
        return period < 0 ? longest : Math.min(longest, period);
    }

    private NotAcquiredException interrupted(String message) {
        Thread.currentThread().interrupt();
        return new NotAcquiredException(name(), null, message);
    }

    @Override
    public String toString() {
        return "Once[" + name() + "]";
    }
}
