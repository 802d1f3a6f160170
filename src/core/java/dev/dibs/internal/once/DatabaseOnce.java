package dev.dibs.internal.once;

import dev.dibs.DibsException;
import dev.dibs.Lease;
import dev.dibs.LeaseInfo;
import dev.dibs.LeaseWork;
import dev.dibs.NotAcquiredException;
import dev.dibs.internal.acquire.SelfWait;
import dev.dibs.internal.lease.HeldLease;
import dev.dibs.internal.lease.LeaseKind;
import dev.dibs.internal.once.OnceMemory.Known;
import dev.dibs.internal.retry.Backoff;
import dev.dibs.internal.retry.Patience;
import dev.dibs.internal.retry.RetryPolicy;
import dev.dibs.internal.schema.Errors;
import dev.dibs.internal.values.Arguments;
import dev.dibs.internal.values.Strings;
import dev.dibs.once.Once;
import dev.dibs.once.OnceInfo;
import dev.dibs.once.OnceOutcome;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Work that is done once a period, and the statements that acquire it. */
final class DatabaseOnce implements Once {

    /** The longest pause of a waiter between two statements; another caller may make the work due in between. */
    private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(1);

    private final OnceSpec spec;
    private final OnceContext context;
    private final OnceMemory.Key key;

    DatabaseOnce(OnceSpec spec, OnceSchedule schedule) {
        this.spec = spec;
        this.context = spec.context();
        this.key = new OnceMemory.Key(spec.name(), schedule);
    }

    @Override
    public String name() {
        return key.name();
    }

    @Override
    public <X extends Exception> OnceOutcome tryRun(LeaseWork<Lease, X> work) throws X {
        return attempt(Arguments.required("work", work)).outcome();
    }

    @Override
    public <X extends Exception> OnceOutcome tryRun(Duration wait, LeaseWork<Lease, X> work) throws X {
        Patience patience =
                new Patience(context.instance.clock(), RetryPolicy.acquire(Arguments.checkWait(wait), spec.lease()));
        Backoff backoff = new Backoff(RetryPolicy.CALL);
        Known known = attempt(Arguments.required("work", work));
        SelfWait self = context.acquirer.selfWait(patience, LeaseKind.ONCE, name());
        while (!isDone(known.outcome()) && !patience.isOver()) {
            pause(known, backoff, patience);
            self.warn();
            context.instance.requireOpen();
            // The remembered answer may be minutes old, and the caller wants to know.
            known = ask(work);
        }
        return known.outcome();
    }

    @Override
    public <X extends Exception> void requireDone(Duration wait, LeaseWork<Lease, X> work) throws X {
        if (isDone(tryRun(wait, work))) {
            return;
        }
        OnceMemory.Unrecorded failed = context.memory.paused(name());
        if (failed != null) {
            throw new DibsException(
                    "'" + name() + "' is not done. It failed (" + failed.error() + "), which could not be recorded");
        }
        OnceRow row = look();
        OnceOutcome now = row == null ? OnceOutcome.BUSY : row.outcome(key.schedule());
        if (row != null && now == OnceOutcome.FAILED) {
            throw new DibsException("'" + name() + "' is not done. " + row.failure());
        }
        if (!isDone(now)) {
            LeaseInfo holder = row != null && row.lease().isHeld() ? row.lease().info(LeaseKind.ONCE) : null;
            String who = holder == null ? "somebody else" : holder.holder();
            throw new NotAcquiredException(
                    name(),
                    holder,
                    "'" + name() + "' is not done: " + who + " is doing it"
                            + context.acquirer.selfText(LeaseKind.ONCE, name()));
        }
    }

    @Override
    public Optional<OnceInfo> info() {
        context.instance.requireOpen();
        return Optional.ofNullable(look()).map(OnceRow::info);
    }

    private static boolean isDone(OnceOutcome outcome) {
        return outcome == OnceOutcome.RAN || outcome == OnceOutcome.NOT_DUE;
    }

    private void pause(Known known, Backoff backoff, Patience patience) {
        long left = Math.max(
                backoff.nextNanos(),
                Math.min(known.until() - context.instance.clock().nanos(), LONGEST_PAUSE));
        try {
            TimeUnit.NANOSECONDS.sleep(Math.min(left, patience.remainingNanos()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new NotAcquiredException(
                    name(), null, "'" + name() + "' is not done, and the wait for it was interrupted");
        }
    }

    /** Does the work if it is due, and returns the last known state. */
    private <X extends Exception> Known attempt(LeaseWork<Lease, X> work) throws X {
        context.instance.requireOpen();
        Known known = context.memory.get(key);
        return known != null ? known : ask(work);
    }

    private @Nullable OnceRow look() {
        Errors errors = context.instance.errors();
        return errors.explained(() -> Optional.ofNullable(context.look(name()))).orElse(null);
    }

    private <X extends Exception> Known ask(LeaseWork<Lease, X> work) throws X {
        OnceMemory.Unrecorded failed = context.memory.paused(name());
        if (failed != null) {
            return new Known(OnceOutcome.FAILED, failed.until());
        }
        OnceRequest request = new OnceRequest(context, name(), key.schedule());
        long sent = context.instance.clock().nanos();
        HeldLease acquired = context.acquirer.askOnce(request, spec.lease()).lease();
        OnceRow before = request.before();
        if (acquired == null) {
            return before == null
                    ? new Known(OnceOutcome.BUSY, context.instance.clock().nanos())
                    : context.memory.learn(key, before, sent);
        }
        try {
            new OnceRun(context, acquired, pause(request.failures() + context.memory.unrecorded(name()))).run(work);
        } finally {
            context.memory.forget(key);
        }
        return new Known(OnceOutcome.RAN, sent);
    }

    /** It doubles with each failure since the last success. */
    private Duration pause(long failures) {
        long period = key.schedule().period();
        long longest = Math.min(spec.longestPause().toMillis(), period < 0 ? Long.MAX_VALUE : period);
        long pause = spec.firstPause().toMillis();
        for (long i = 0; i < failures && pause < longest && pause > 0; i++) {
            pause *= 2;
        }
        return Duration.ofMillis(Math.min(pause, longest));
    }

    @Override
    public String toString() {
        return "Once[" + Strings.escape(name()) + "]";
    }
}
