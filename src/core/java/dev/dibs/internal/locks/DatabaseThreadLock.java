package dev.dibs.internal.locks;

import dev.dibs.Lease;
import dev.dibs.NotAcquiredException;
import dev.dibs.ThreadLock;
import dev.dibs.TimedLease;
import dev.dibs.internal.lease.HeldLease;
import dev.dibs.internal.time.HeldInterrupt;
import dev.dibs.internal.time.Term;
import dev.dibs.internal.values.Arguments;
import dev.dibs.internal.values.Strings;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/**
 * A lock as {@link java.util.concurrent.locks.Lock}: it belongs to the thread that has acquired it, which may lock it again.
 *
 * <p>A thread whose lease was lost still has to unlock, while another thread may have the lock. So each thread has its own hold.
 */
final class DatabaseThreadLock implements ThreadLock {

    /** For ever in practice, and still a number of nanoseconds. */
    private static final Duration FOR_EVER = Duration.ofDays(100 * 365);

    private final DatabaseLock acquisition;
    private final Map<Thread, Hold> holds = new ConcurrentHashMap<>();

    DatabaseThreadLock(DatabaseLock acquisition) {
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
        lock(acquisition, null);
    }

    @Override
    public void lock(Duration atMost) {
        lock(acquisition.atMost(atMost), atMost);
    }

    private void lock(Acquisition<?> way, @Nullable Duration atMost) {
        if (lockAgain(atMost)) {
            return;
        }
        try (HeldInterrupt interrupt = new HeldInterrupt()) {
            while (true) {
                try {
                    take(way.heldWithin(FOR_EVER));
                    return;
                } catch (NotAcquiredException e) {
                    // This can only be an interrupt, whose flag is set.
                    boolean unused = Thread.interrupted();
                    interrupt.add();
                }
            }
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        if (!lockWithin(acquisition, FOR_EVER, null)) {
            throw new IllegalStateException("'" + acquisition.name() + "' was busy for ever");
        }
    }

    @Override
    public boolean tryLock() {
        try {
            return lockAgain(null) || take(acquisition.heldWithin(Duration.ZERO));
        } catch (NotAcquiredException e) {
            // The thread was interrupted before the database gave a clear answer; its flag is set.
            return false;
        }
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        return lockWithin(acquisition, Duration.ofNanos(unit.toNanos(Math.max(0, time))), null);
    }

    @Override
    public boolean tryLock(Duration wait, Duration atMost) throws InterruptedException {
        return lockWithin(acquisition.atMost(atMost), Arguments.checkWait(wait), atMost);
    }

    private boolean lockWithin(Acquisition<?> way, Duration wait, @Nullable Duration atMost)
            throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        try {
            return lockAgain(atMost) || take(way.heldWithin(wait));
        } catch (NotAcquiredException e) {
            boolean unused = Thread.interrupted();
            InterruptedException interrupted = new InterruptedException(e.getMessage());
            interrupted.initCause(e);
            throw interrupted;
        }
    }

    private boolean lockAgain(@Nullable Duration atMost) {
        Hold hold = holds.get(Thread.currentThread());
        if (hold == null) {
            return false;
        }
        if (atMost != null && hold.lease instanceof TimedLease timed) {
            boolean unused = timed.extend(atMost);
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
        Hold hold = required("unlock");
        hold.depth--;
        if (hold.depth == 0) {
            holds.remove(Thread.currentThread());
            hold.lease.closeOrThrow();
        }
    }

    private Hold required(String action) {
        Hold hold = holds.get(Thread.currentThread());
        if (hold == null) {
            throw new IllegalMonitorStateException(
                    "this thread does not have '" + acquisition.name() + "', so it cannot " + action + " it");
        }
        return hold;
    }

    @Override
    public boolean extend(Duration length) {
        Term.checkTimed(length);
        HeldLease lease = required("extend").lease;
        return lease instanceof TimedLease timed ? timed.extend(length) : lease.isValid();
    }

    @Override
    public int getHoldCount() {
        Hold hold = holds.get(Thread.currentThread());
        return hold == null ? 0 : hold.depth;
    }

    @Override
    public Optional<Lease> lease() {
        return Optional.ofNullable(holds.get(Thread.currentThread())).map(hold -> hold.lease);
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException(
                "a lock over processes has no conditions, because no process could signal another");
    }

    @Override
    public String toString() {
        return "Lock[" + Strings.escape(acquisition.name()) + "]";
    }
}
