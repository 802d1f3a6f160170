package dev.dibs.internal.lease;

import dev.dibs.DibsListener;
import dev.dibs.Lease;
import dev.dibs.Lease.Takeover;
import dev.dibs.LeaseInfo;
import dev.dibs.LeaseLostException;
import dev.dibs.internal.instance.Callbacks;
import dev.dibs.internal.values.Texts;
import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Counts events, logs those that a person should see, and notifies the listener. */
public final class Events {

    public final LongAdder acquired = new LongAdder();
    public final LongAdder busy = new LongAdder();
    public final LongAdder takeovers = new LongAdder();
    public final LongAdder lost = new LongAdder();
    public final LongAdder renewalFailures = new LongAdder();
    public final LongAdder released = new LongAdder();

    private static final System.Logger LOG = System.getLogger("dev.dibs");

    private final DibsListener listener;
    private final Callbacks callbacks;

    /** For one instance. The callbacks run what the heartbeat and the deadline watch must not wait for. */
    public Events(DibsListener listener, Callbacks callbacks) {
        this.listener = listener;
        this.callbacks = callbacks;
    }

    public void acquired(Lease lease) {
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

    public void busy(String name, @Nullable LeaseInfo holder) {
        busy.increment();
        Callbacks.here(() -> listener.busy(name, Optional.ofNullable(holder)));
    }

    public void lost(Lease lease, LeaseLostException reason) {
        lost.increment();
        LOG.log(Level.WARNING, reason.getMessage());
        callbacks.elsewhere(() -> listener.lost(lease, reason));
    }

    void renewalFailed(int leases, Exception cause) {
        renewalFailures.increment();
        LOG.log(Level.DEBUG, () -> "Could not renew " + leases + " leases; trying again", cause);
        callbacks.elsewhere(() -> listener.renewalFailed(leases, cause));
    }

    public void released(Lease lease) {
        released.increment();
        Callbacks.here(() -> listener.released(lease));
    }

    /** Runs the user's code on a thread that nothing of ours waits for. */
    void elsewhere(Runnable callback) {
        callbacks.elsewhere(callback);
    }
}
