package dev.dibs.internal.locks;

import dev.dibs.NotAcquiredException;
import dev.dibs.internal.lease.HeldLease;
import dev.dibs.internal.values.Texts;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/**
 * A lock as {@link Lock}: it belongs to the thread that has acquired it, which may lock it again.
 *
 * <p>A thread whose lease was lost still has to unlock, while another thread may have the lock. So each thread has its own hold.
 */
final class ThreadLock implements Lock {

    /** For ever in practice, and still a number of nanoseconds. */
    private static final Duration FOR_EVER = Duration.ofDays(100 * 365);

    private final Acquisition<?> acquisition;
    private final Map<Thread, Hold> holds = new ConcurrentHashMap<>();

    ThreadLock(Acquisition<?> acquisition) {
        this.acquisition = acquisition;
    }

    /** The hold of one thread; no other thread uses it. */
    private static final class Hold {
        final HeldLease lease;
        int depth = 1;

        Hold(HeldLease lease) {
            this.lease = lease;
        }
    }

    @Override
    public void lock() {
        if (lockAgain()) {
            return;
        }
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    take(acquisition.attempt(FOR_EVER).lease());
                    return;
                } catch (NotAcquiredException e) {
                    // This can only be the interrupt, which is kept for later.
                    interrupted |= Thread.interrupted();
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        if (!lockWithin(FOR_EVER)) {
            throw new IllegalStateException("'" + acquisition.name() + "' was busy for ever");
        }
    }

    @Override
    public boolean tryLock() {
        try {
            return lockAgain() || take(acquisition.attempt(Duration.ZERO).lease());
        } catch (NotAcquiredException e) {
            // The thread was interrupted before the database gave a clear answer; its flag is set.
            return false;
        }
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        return lockWithin(Duration.ofNanos(unit.toNanos(Math.max(0, time))));
    }

    private boolean lockWithin(Duration wait) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        try {
            return lockAgain() || take(acquisition.attempt(wait).lease());
        } catch (NotAcquiredException e) {
            boolean unused = Thread.interrupted();
            throw interrupted(e);
        }
    }

    private static InterruptedException interrupted(NotAcquiredException cause) {
        InterruptedException interrupted = new InterruptedException(cause.getMessage());
        interrupted.initCause(cause);
        return interrupted;
    }

    private boolean lockAgain() {
        Hold hold = holds.get(Thread.currentThread());
        if (hold == null) {
            return false;
        }
        hold.lease.check();
        hold.depth++;
        return true;
    }

    private boolean take(@Nullable HeldLease lease) {
        if (lease == null) {
            return false;
        }
        holds.put(Thread.currentThread(), new Hold(lease));
        return true;
    }

    @Override
    public void unlock() {
        Hold hold = holds.get(Thread.currentThread());
        if (hold == null) {
            throw new IllegalMonitorStateException(
                    "this thread does not have '" + acquisition.name() + "', so it cannot unlock it");
        }
        hold.depth--;
        if (hold.depth == 0) {
            holds.remove(Thread.currentThread());
            hold.lease.closeOrThrow();
        }
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException(
                "a lock over processes has no conditions, because no process could signal another");
    }

    @Override
    public String toString() {
        return "Lock[" + Texts.escape(acquisition.name()) + "]";
    }
}
