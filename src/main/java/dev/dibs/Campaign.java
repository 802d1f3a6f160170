package dev.dibs;

import dev.dibs.core.Callbacks;
import dev.dibs.core.Rounds;
import dev.dibs.core.Texts;
import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One candidate for a {@link Leadership}, who leads or waits for the chance. Close it to step down.
 *
 * <p>Safe for use by any thread.
 */
public final class Campaign implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger("dev.dibs");
    private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long AFTER_ERROR = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long AFTER_FAILURE = TimeUnit.SECONDS.toNanos(2);
    private static final long CLOSE_PATIENCE_MILLIS = 5_000;

    private final NamedLock lock;
    private final Set<Campaign> open;
    private final Consumer<? super Lease> onElected;
    private final Consumer<? super Lease> onLost;
    private final Rounds rounds;
    private final AtomicReference<@Nullable Reign> current = new AtomicReference<>();
    private volatile boolean closed;

    /** The campaign's thread only. */
    private boolean failing;

    /** After a failure others have the chance first. */
    private volatile long notBefore = System.nanoTime();

    Campaign(NamedLock lock, Set<Campaign> open, Consumer<? super Lease> onElected, Consumer<? super Lease> onLost) {
        this.lock = lock;
        this.open = open;
        this.onElected = onElected;
        this.onLost = onLost;
        this.rounds = new Rounds("dibs-campaign", this::round);
        lock.requireOpen();
        open.add(this);
        rounds.within(0);
    }

    /** One time of leading. */
    private static final class Reign {

        private enum State {
            NEW,
            KNOWN,
            OVER
        }

        final Lease lease;
        final AtomicReference<State> state = new AtomicReference<>(State.NEW);

        Reign(Lease lease) {
            this.lease = lease;
        }

        boolean begin() {
            return state.compareAndSet(State.NEW, State.KNOWN);
        }

        /** Whether somebody was told of its beginning, and is now to be told of its end. */
        boolean end() {
            return state.getAndSet(State.OVER) == State.KNOWN;
        }
    }

    /** Whether this candidate certainly leads now. Asks the local clock and not the database. */
    public boolean isLeader() {
        return lease().filter(Lease::isValid).isPresent();
    }

    /** The lease under which this candidate leads; empty if it does not. */
    public Optional<Lease> lease() {
        Reign reign = current.get();
        return reign == null ? Optional.empty() : Optional.of(reign.lease);
    }

    private long round() {
        if (closed || current.get() != null) {
            return Rounds.NEVER;
        }
        long early = notBefore - System.nanoTime();
        if (early > 0) {
            return early;
        }
        Lease lease;
        try {
            lease = lock.tryAcquire().orElse(null);
            failing = false;
        } catch (DibsException e) {
            LOG.log(
                    failing ? Level.DEBUG : Level.WARNING,
                    "The campaign for '" + Texts.escape(lock.name()) + "' goes on: " + e.getMessage());
            failing = true;
            return AFTER_ERROR;
        } catch (IllegalStateException e) {
            // Its Dibs was closed.
            boolean unused = rounds.stop(0);
            return Rounds.NEVER;
        }
        if (lease == null) {
            return ThreadLocalRandom.current().nextLong(LONGEST_PAUSE / 2, LONGEST_PAUSE + 1);
        }
        return lead(new Reign(lease));
    }

    private long lead(Reign reign) {
        current.set(reign);
        if (closed || !reign.begin()) {
            end(reign);
            return Rounds.NEVER;
        }
        reign.lease.onLost(loss -> end(reign));
        try {
            onElected.accept(reign.lease);
        } catch (RuntimeException | Error e) {
            LOG.log(
                    Level.ERROR,
                    "What is to be done by the leader of '" + Texts.escape(lock.name()) + "' failed; it steps down",
                    e);
            notBefore = System.nanoTime() + AFTER_FAILURE;
            end(reign);
            return AFTER_FAILURE;
        }
        return Rounds.NEVER;
    }

    private void end(Reign reign) {
        if (reign.end()) {
            Callbacks.here(() -> onLost.accept(reign.lease));
        }
        reign.lease.close();
        if (current.compareAndSet(reign, null)) {
            rounds.within(LONGEST_PAUSE);
        }
    }

    /**
     * Steps down, so that somebody else can be elected at once, and stands no more. Waits some seconds at most for what is done on
     * election to return. Does nothing the second time.
     */
    @Override
    public void close() {
        closed = true;
        open.remove(this);
        Reign reign = current.get();
        if (reign != null) {
            end(reign);
        }
        boolean unused = rounds.stop(CLOSE_PATIENCE_MILLIS);
    }

    @Override
    public String toString() {
        return "Campaign[" + lock.name() + (isLeader() ? ", leads]" : "]");
    }
}
