package dev.dibs.internal.instance;

import java.lang.System.Logger.Level;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs the user's code where no thread of Dibs waits for it. An exception or error from it is logged and not passed on.
 *
 * <p>It has daemon threads. They are few, because an outage may lose thousands of leases at once. If all are busy for a
 * while and callbacks wait, a few more threads are added. So a callback that blocks does not keep back the others.
 */
public final class Callbacks {

    private static final System.Logger LOG = System.getLogger("dev.dibs");
    private static final int FEW = 4;
    private static final long IDLE_SECONDS = 5;
    private static final long BLOCKED_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Executor others;
    private final ThreadPoolExecutor threads;
    private final AtomicBoolean isWatched = new AtomicBoolean();

    /**
     * Starts no thread yet.
     *
     * @param others the threads that check these ones from time to time
     */
    Callbacks(Executor others, ThreadFactory factory) {
        this.others = others;
        this.threads =
                new ThreadPoolExecutor(FEW, FEW, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
        threads.allowCoreThreadTimeOut(true);
    }

    /** Runs it on a thread of its own, or on the caller's thread if the instance is closed or no thread can be started. */
    public void elsewhere(Runnable callback) {
        try {
            threads.execute(() -> here(callback));
            if (areWaiting()) {
                watch();
            }
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            here(callback);
        }
    }

    /** Runs it on the caller's thread. */
    public static void here(Runnable callback) {
        try {
            callback.run();
        } catch (Throwable e) {
            // Even an Error must not pass: the caller still has to hand over or release the lease.
            LOG.log(Level.ERROR, "A listener failed", e);
        }
    }

    private boolean areWaiting() {
        return !threads.getQueue().isEmpty();
    }

    /** A check that is skipped here is made up for at the next callback. */
    private void watch() {
        if (!isWatched.compareAndSet(false, true)) {
            return;
        }
        try {
            others.execute(this::addWhileBlocked);
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            isWatched.set(false);
        }
    }

    private void addWhileBlocked() {
        try {
            while (areWaiting()) {
                long ended = threads.getCompletedTaskCount();
                LockSupport.parkNanos(BLOCKED_NANOS);
                if (areWaiting() && threads.getCompletedTaskCount() == ended) {
                    add();
                }
            }
        } finally {
            isWatched.set(false);
        }
        if (areWaiting()) {
            watch();
        }
    }

    private void add() {
        int more = threads.getCorePoolSize() + FEW;
        LOG.log(
                Level.WARNING,
                threads.getActiveCount() + " callbacks (onLost, a listener's) have blocked their threads for a second; "
                        + threads.getQueue().size() + " others wait and get " + FEW
                        + " more threads. Keep callbacks short");
        threads.setMaximumPoolSize(more);
        threads.setCorePoolSize(more);
    }

    /** Ends the threads after their pending callbacks. */
    void shutdown() {
        threads.shutdown();
    }
}
