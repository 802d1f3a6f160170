package dev.dibs.internal.instance;

import java.lang.System.Logger.Level;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** Runs the user's code where no thread of Dibs waits for it. An exception or error from it is logged and not passed on. */
public final class Callbacks {

    private static final System.Logger LOG = System.getLogger("dev.dibs");

    private final Executor threads;

    /** Runs callbacks on these threads. */
    public Callbacks(Executor threads) {
        this.threads = threads;
    }

    /** Runs it on a thread of its own, or on the caller's thread if the instance is closed or no thread can be started. */
    public void elsewhere(Runnable callback) {
        try {
            threads.execute(() -> here(callback));
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
}
