package dev.dibs;

import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Counts what happens, logs what a person should see, and tells the listener. */
final class Events {

    final LongAdder acquired = new LongAdder();
    final LongAdder busy = new LongAdder();
    final LongAdder takeovers = new LongAdder();
    final LongAdder lost = new LongAdder();
    final LongAdder renewalFailures = new LongAdder();
    final LongAdder released = new LongAdder();

    private static final System.Logger LOG = System.getLogger("dev.dibs");

    private final DibsListener listener;
    private final Executor threads;

    /**
     * For one instance.
     *
     * @param threads where the user's code runs that the heartbeat and the deadline watch must not wait for
     */
    Events(DibsListener listener, Executor threads) {
        this.listener = listener;
        this.threads = threads;
    }

    void acquired(Lease lease) {
        acquired.increment();
        guarded(() -> listener.acquired(lease));
        lease.takeover().ifPresent(takeover -> takeover(lease, takeover));
    }

    private void takeover(Lease lease, Takeover takeover) {
        takeovers.increment();
        LOG.log(
                Level.INFO,
                () -> "Took over '" + lease.name() + "' from " + takeover.from().holder() + ", whose lease"
                        + " had been over for " + takeover.stale().toMillis() + " ms");
        guarded(() -> listener.takeover(lease, takeover));
    }

    void busy(String name, @Nullable LockInfo holder) {
        busy.increment();
        guarded(() -> listener.busy(name, Optional.ofNullable(holder)));
    }

    void lost(Lease lease, LeaseLostException reason) {
        lost.increment();
        LOG.log(Level.WARNING, reason.getMessage());
        elsewhere(() -> listener.lost(lease, reason));
    }

    void renewalFailed(int leases, Exception cause) {
        renewalFailures.increment();
        LOG.log(Level.DEBUG, () -> "Could not renew " + leases + " leases; trying again", cause);
        elsewhere(() -> listener.renewalFailed(leases, cause));
    }

    void released(Lease lease) {
        released.increment();
        guarded(() -> listener.released(lease));
    }

    /** Runs the user's code on a thread of its own. */
    void elsewhere(Runnable callback) {
        try {
            threads.execute(() -> guarded(callback));
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            // The instance is closed, or there is no thread to be had.
            guarded(callback);
        }
    }

    private static void guarded(Runnable callback) {
        try {
            callback.run();
        } catch (Throwable e) {
            // Whatever it is, the lease that it is about must not be left without an owner for it.
            LOG.log(Level.ERROR, "A listener failed", e);
        }
    }
}
