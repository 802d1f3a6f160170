package dev.dibs.internal.instance;

import java.lang.System.Logger.Level;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** Runs the user's code where nothing of ours waits for it. Whatever it throws is logged and goes no further. */
public final class Callbacks {

    private static final System.Logger LOG = System.getLogger("dev.dibs");

    private final Executor threads;

    /** On these threads. */
    public Callbacks(Executor threads) {
        this.threads = threads;
    }

    /** On a thread of its own; on the caller's if the instance is closed, or there is no thread to be had. */
    public void elsewhere(Runnable callback) {
        try {
            threads.execute(() -> here(callback));
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            here(callback);
        }
    }

    /** On the caller's thread. */
    public static void here(Runnable callback) {
        try {
            callback.run();
        } catch (Throwable e) {
            // Whatever it is, the lease that it is about must not be left without an owner for it.
            LOG.log(Level.ERROR, "A listener failed", e);
        }
    }
}
