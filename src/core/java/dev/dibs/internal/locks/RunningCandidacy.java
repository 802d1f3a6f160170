package dev.dibs.internal.locks;

import dev.dibs.Candidacy;
import dev.dibs.DatabaseFailureException;
import dev.dibs.Lease;
import dev.dibs.internal.instance.Callbacks;
import dev.dibs.internal.lease.HeldLease;
import dev.dibs.internal.retry.RetryPolicy;
import dev.dibs.internal.time.BackgroundLoop;
import dev.dibs.internal.time.Deadline;
import dev.dibs.internal.time.Term;
import dev.dibs.internal.values.Strings;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** One candidate for the leadership of a name, which leads or waits for the chance. Safe for use by any thread. */
public final class RunningCandidacy implements Candidacy {

    private static final System.Logger LOG = System.getLogger("dev.dibs");
    private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long AFTER_FAILURE = TimeUnit.SECONDS.toNanos(2);

    /** A database that is full, or read-only, answers a look and refuses the acquire: each try would look like a new outage. */
    private static final long BETWEEN_WARNINGS = TimeUnit.MINUTES.toNanos(1);

    /** For a statement that is running. */
    private static final long SHORT_WAIT_MILLIS = 5_000;

    private final LockLeadership leadership;
    private final BackgroundLoop loop;
    private final AtomicReference<@Nullable Leading> current = new AtomicReference<>();
    private volatile boolean closed;

    /** Only the loop's thread uses it. */
    private boolean failing;

    /** Only the loop's thread uses it. */
    private long quietUntil = System.nanoTime();

    /** After a failure, other candidates have the first chance. */
    private volatile long notBefore = System.nanoTime();

    RunningCandidacy(LockLeadership leadership) {
        this.leadership = leadership;
        this.loop = new BackgroundLoop("dibs-candidacy", this::round);
        leadership.lock.acquirer.requireOpen();
        leadership.open.add(this);
        loop.within(0);
    }

    private static final class Leading {

        private enum State {
            NEW,
            KNOWN,
            OVER
        }

        final HeldLease lease;
        final AtomicReference<State> state = new AtomicReference<>(State.NEW);

        /** Two things must end before the lock is released: the leader's work, and the callback that stops it. */
        private final AtomicInteger running = new AtomicInteger(2);

        private volatile boolean isToBeReleased;
        private volatile long deadline = System.nanoTime();

        Leading(HeldLease lease) {
            this.lease = lease;
        }

        boolean begin() {
            return state.compareAndSet(State.NEW, State.KNOWN);
        }

        /** Ends the lease here: it is not valid and not renewed from here on. Others get the lock only when it is released or expires. */
        void end() {
            Term term = lease.term();
            if (term != null) {
                deadline = System.nanoTime() + term.remainingNanos();
            }
            isToBeReleased = lease.endHere();
        }

        /** One of the two has ended. */
        void oneEnded() {
            if (running.decrementAndGet() == 0 && isToBeReleased) {
                lease.releaseEnded();
            }
        }
    }

    @Override
    public boolean isLeader() {
        return lease().filter(Lease::isValid).isPresent();
    }

    @Override
    public Optional<Lease> lease() {
        Leading leading = current.get();
        return leading == null ? Optional.empty() : Optional.of(leading.lease);
    }

    /** Warns once for each outage, and once a minute at most. */
    private void warn(DatabaseFailureException e) {
        long now = System.nanoTime();
        boolean warns = !failing && now - quietUntil >= 0;
        if (warns) {
            quietUntil = now + BETWEEN_WARNINGS;
        }
        failing = true;
        LOG.log(
                warns ? Level.WARNING : Level.DEBUG,
                "The candidacy for '" + Strings.escape(leadership.name()) + "' goes on: " + e.getMessage());
    }

    private long round() {
        if (closed || current.get() != null) {
            return BackgroundLoop.NEVER;
        }
        long early = notBefore - System.nanoTime();
        if (early > 0) {
            return early;
        }
        HeldLease lease;
        try {
            lease = leadership.lock.ifFree();
            failing = false;
        } catch (DatabaseFailureException e) {
            warn(e);
            return RetryPolicy.CANDIDACY_PAUSE.toNanos();
        } catch (IllegalStateException e) {
            // Its Dibs was closed.
            boolean unused = loop.stop(0);
            return BackgroundLoop.NEVER;
        }
        if (lease == null) {
            return ThreadLocalRandom.current().nextLong(LONGEST_PAUSE / 2, LONGEST_PAUSE + 1);
        }
        return lead(new Leading(lease));
    }

    private long lead(Leading leading) {
        current.set(leading);
        if (closed) {
            end(leading);
        }
        long next = leading.begin() ? work(leading) : BackgroundLoop.NEVER;
        leading.oneEnded();
        return next;
    }

    private long work(Leading leading) {
        leading.lease.onLost(loss -> end(leading));
        try {
            leadership.onElected.accept(leading.lease);
            return BackgroundLoop.NEVER;
        } catch (Throwable e) {
            notBefore = System.nanoTime() + AFTER_FAILURE;
            end(leading);
            LOG.log(
                    Level.ERROR,
                    "What is to be done by the leader of '" + Strings.escape(leadership.name())
                            + "' failed; it steps down",
                    e);
            return AFTER_FAILURE;
        }
    }

    private void end(Leading leading) {
        Leading.State before = leading.state.getAndSet(Leading.State.OVER);
        if (before == Leading.State.OVER) {
            return;
        }
        leading.end();
        if (before == Leading.State.KNOWN) {
            Callbacks.here(() -> leadership.onStepDown.accept(leading.lease));
        }
        leading.oneEnded();
        if (current.compareAndSet(leading, null)) {
            loop.within(LONGEST_PAUSE);
        }
    }

    @Override
    public void close() {
        boolean unused = loop.stop(stepDown());
    }

    /** Asks the leader to stop, and returns how many milliseconds it has for that. */
    private long stepDown() {
        closed = true;
        leadership.open.remove(this);
        Leading leading = current.get();
        if (leading == null) {
            return SHORT_WAIT_MILLIS;
        }
        end(leading);
        long left = TimeUnit.NANOSECONDS.toMillis(leading.deadline - System.nanoTime());
        return Math.max(SHORT_WAIT_MILLIS, left);
    }

    /** Asks all leaders to stop before it waits for the first. A leader that does not stop in time keeps the lock until its lease ends. */
    public static void closeAll(Set<RunningCandidacy> candidates, Deadline deadline) {
        List<RunningCandidacy> open = List.copyOf(candidates);
        open.forEach(RunningCandidacy::stepDown);
        for (RunningCandidacy candidate : open) {
            boolean unused = candidate.loop.stop(deadline.millis());
        }
    }

    @Override
    public String toString() {
        return "Candidacy[" + Strings.escape(leadership.name()) + (isLeader() ? ", leads]" : "]");
    }
}
