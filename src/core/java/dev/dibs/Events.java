package dev.dibs;

import dev.dibs.core.Callbacks;
import dev.dibs.core.Texts;
import java.lang.System.Logger.Level;
import java.util.Optional;
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
    private final Callbacks callbacks;

    /** For one instance; the callbacks are for what the heartbeat and the deadline watch must not wait for. */
    Events(DibsListener listener, Callbacks callbacks) {
        this.listener = listener;
        this.callbacks = callbacks;
    }

    void acquired(Lease lease) {
        acquired.increment();
        Callbacks.here(() -> listener.acquired(lease));
        lease.takeover().ifPresent(takeover -> takeover(lease, takeover));
    }

    private void takeover(Lease lease, Takeover takeover) {
        takeovers.increment();
        LOG.log(
                Level.INFO,
                () -> Texts.oneLine("Took over '" + lease.name() + "' from "
                        + takeover.from().holder() + ", whose lease had been over for "
                        + takeover.stale().toMillis() + " ms"));
        Callbacks.here(() -> listener.takeover(lease, takeover));
    }

    void busy(String name, @Nullable LockInfo holder) {
        busy.increment();
        Callbacks.here(() -> listener.busy(name, Optional.ofNullable(holder)));
    }

    void lost(Lease lease, LeaseLostException reason) {
        lost.increment();
        LOG.log(Level.WARNING, reason.getMessage());
        callbacks.elsewhere(() -> listener.lost(lease, reason));
    }

    void renewalFailed(int leases, Exception cause) {
        renewalFailures.increment();
        LOG.log(Level.DEBUG, () -> "Could not renew " + leases + " leases; trying again", cause);
        callbacks.elsewhere(() -> listener.renewalFailed(leases, cause));
    }

    void released(Lease lease) {
        released.increment();
        Callbacks.here(() -> listener.released(lease));
    }

    /** Runs the user's code where nothing of ours waits for it. */
    void elsewhere(Runnable callback) {
        callbacks.elsewhere(callback);
    }
}
