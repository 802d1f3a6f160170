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
 * Daemon threads for the user's code. They are few, since an outage may lose thousands of leases at once; when none of them has come
 * back for a while and others wait, a few more are added, so that callbacks that block do not silence the others.
 */
final class CallbackThreads implements Executor {

    private static final System.Logger LOG = System.getLogger("dev.dibs");
    private static final int FEW = 4;
    private static final long IDLE_SECONDS = 5;
    private static final long BLOCKED_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Executor others;
    private final ThreadPoolExecutor threads;
    private final AtomicBoolean isWatched = new AtomicBoolean();

    /**
     * None yet.
     *
     * @param others for a look at them from time to time
     */
    CallbackThreads(Executor others, ThreadFactory factory) {
        this.others = others;
        this.threads =
                new ThreadPoolExecutor(FEW, FEW, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
        threads.allowCoreThreadTimeOut(true);
    }

    @Override
    public void execute(Runnable callback) {
        threads.execute(callback);
        if (areWaiting()) {
            watch();
        }
    }

    private boolean areWaiting() {
        return !threads.getQueue().isEmpty();
    }

    /** What is given up here is done at the next callback. */
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
                        + threads.getQueue().size() + " others wait, and get " + FEW
                        + " threads more. Let callbacks be short");
        threads.setMaximumPoolSize(more);
        threads.setCorePoolSize(more);
    }

    /** Ends them when they have done what they were given. */
    void shutdown() {
        threads.shutdown();
    }
}
