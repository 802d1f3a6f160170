package dev.dibs.internal.time;

import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A daemon thread that does rounds. A round returns when the next one is due. Any thread may ask for an earlier one.
 *
 * <p>The thread starts when a round is first asked for, and sleeps for as long as none is due. A round that throws is logged and
 * repeated. Only {@link #stop} ends the thread; a lack of memory or a failing logger does not. If it has ended all the same, or
 * could not be started, the next request for a round starts a new one.
 */
public final class BackgroundLoop {

    /** The answer of a round when no further one is due. */
    public static final long NEVER = Long.MAX_VALUE;

    private static final System.Logger LOG = System.getLogger("dev.dibs");
    private static final long AFTER_FAILURE = TimeUnit.MILLISECONDS.toNanos(200);

    private final String name;
    private final LongSupplier round;
    private final long origin = System.nanoTime();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition sooner = lock.newCondition();
    private final AtomicLong next = new AtomicLong(NEVER);
    private volatile @Nullable Thread thread;
    private volatile boolean stopped;

    /**
     * Starts no thread yet.
     *
     * @param round does a round and returns after how many nanoseconds the next one is due, or {@link #NEVER}
     */
    public BackgroundLoop(String name, LongSupplier round) {
        this.name = name;
        this.round = round;
    }

    /** Asks for a round within this many nanoseconds. Cheap if one is due before that anyway. */
    public void within(long nanos) {
        long due = now() + Math.max(0, nanos);
        if (next.getAndAccumulate(due, Math::min) > due || !isAlive()) {
            wake();
        }
    }

    private boolean isAlive() {
        Thread running = thread;
        return running != null && running.isAlive();
    }

    private long now() {
        return System.nanoTime() - origin;
    }

    private void wake() {
        lock.lock();
        try {
            if (!isAlive() && !stopped) {
                thread = start();
            }
            sooner.signal();
        } finally {
            lock.unlock();
        }
    }

    private Thread start() {
        // The thread inherits no thread locals: a data source may have bound a transaction to the thread that calls
        // this first.
        Thread started = new Thread(null, this::goRound, name, 0, false);
        started.setDaemon(true);
        // The calling thread may belong to an application that is undeployed before this thread ends.
        started.setContextClassLoader(BackgroundLoop.class.getClassLoader());
        started.start();
        return started;
    }

    private void goRound() {
        while (!stopped) {
            try {
                roundWhenDue();
            } catch (Throwable e) {
                // Plan the next round first: logging the failure may fail, too.
                next.accumulateAndGet(now(), Math::min);
                logFailure(e);
                LockSupport.parkNanos(AFTER_FAILURE);
            }
        }
    }

    private void roundWhenDue() {
        if (awaitNext()) {
            next.set(NEVER);
            long delay = Math.max(0, round.getAsLong());
            if (delay != NEVER) {
                next.accumulateAndGet(now() + delay, Math::min);
            }
        }
    }

    private void logFailure(Throwable failure) {
        try {
            LOG.log(Level.ERROR, "A round of " + name + " failed; it is repeated", failure);
        } catch (Throwable e) {
            // The logger failed, so the failure cannot be reported. The round is repeated all the same.
        }
    }

    private boolean awaitNext() {
        lock.lock();
        try {
            while (!stopped) {
                long due = next.get();
                long wait = due == NEVER ? NEVER : due - now();
                if (wait <= 0) {
                    return true;
                }
                sleep(wait);
            }
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** A sleep that is too short does no harm: the caller checks the time again. */
    @SuppressWarnings("WaitNotInLoop")
    private void sleep(long nanos) {
        try {
            long unused = sooner.awaitNanos(nanos);
        } catch (InterruptedException e) {
            // Dibs never interrupts this thread, so the interrupt comes from elsewhere. It goes on until it is stopped.
            LOG.log(Level.DEBUG, "Thread " + name + " was interrupted and goes on", e);
        }
    }

    /** Ends the thread after its current round. Returns false if that took longer than this time. */
    public boolean stop(long millis) {
        Thread running;
        lock.lock();
        try {
            stopped = true;
            running = thread;
            sooner.signal();
        } finally {
            lock.unlock();
        }
        return running == null || running == Thread.currentThread() || join(running, millis);
    }

    /** Waits even if the calling thread is interrupted: leases that are not released here stay busy until they end by time. */
    private static boolean join(Thread running, long millis) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        try (HeldInterrupt interrupt = new HeldInterrupt()) {
            for (long left = millis; running.isAlive() && left > 0; ) {
                try {
                    running.join(left);
                } catch (InterruptedException e) {
                    interrupt.add();
                }
                left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            }
        }
        return !running.isAlive();
    }
}
