package dev.dibs.internal.lease;

import dev.dibs.DibsListener;
import dev.dibs.Lease;
import dev.dibs.Lease.Takeover;
import dev.dibs.LeaseInfo;
import dev.dibs.LeaseLostException;
import dev.dibs.internal.instance.Callbacks;
import dev.dibs.internal.values.Strings;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Counts events, logs those that a person should see, and notifies the listeners. */
public final class Events {

    public final LongAdder acquired = new LongAdder();
    public final LongAdder busy = new LongAdder();
    public final LongAdder takeovers = new LongAdder();
    public final LongAdder lost = new LongAdder();
    public final LongAdder renewalFailures = new LongAdder();
    public final LongAdder lateRenewals = new LongAdder();
    public final LongAdder released = new LongAdder();
    public final LongAdder lockedTransactions = new LongAdder();

    private static final System.Logger LOG = System.getLogger("dev.dibs");

    private final List<DibsListener> listeners;
    private final Callbacks callbacks;

    /** For one instance. The callbacks run what the heartbeat and the deadline watch must not wait for. */
    public Events(List<DibsListener> listeners, Callbacks callbacks) {
        this.listeners = listeners;
        this.callbacks = callbacks;
    }

    /** A call that acquires begins on this thread. */
    public AcquireListeners acquiring(String name) {
        return AcquireListeners.begin(name, listeners);
    }

    public void acquired(Lease lease) {
        acquired.increment();
        if (areHeard()) {
            here(listener -> listener.acquired(lease));
        }
        Optional<Takeover> takeover = lease.takeover();
        if (takeover.isPresent()) {
            takeover(lease, takeover.get());
        }
    }

    private boolean areHeard() {
        return !listeners.isEmpty();
    }

    private void takeover(Lease lease, Takeover takeover) {
        takeovers.increment();
        LOG.log(
                Level.INFO,
                () -> Strings.oneLine("Took over '" + lease.name() + "' from "
                        + takeover.from().holder() + ", whose lease had been over for "
                        + takeover.stale().toMillis() + " ms"));
        here(listener -> listener.takeover(lease, takeover));
    }

    public void busy(String name, Supplier<@Nullable LeaseInfo> holder) {
        busy.increment();
        if (areHeard()) {
            LeaseInfo known = holder.get();
            here(listener -> listener.busy(name, Optional.ofNullable(known)));
        }
    }

    public void lost(Lease lease, LeaseLostException reason, Duration held) {
        lost.increment();
        LOG.log(Level.WARNING, reason.getMessage());
        elsewhere(listener -> listener.lost(lease, reason, held));
    }

    void renewalFailed(int leases, Exception cause) {
        renewalFailures.increment();
        LOG.log(Level.DEBUG, () -> "Could not renew " + leases + " leases; trying again", cause);
        elsewhere(listener -> listener.renewalFailed(leases, cause));
    }

    void released(HeldLease lease) {
        released.increment();
        if (areHeard()) {
            Duration held = lease.held();
            here(listener -> listener.released(lease, held));
        }
    }

    /** A transaction has got a lock without a lease. */
    public void transactionLocked(String name) {
        lockedTransactions.increment();
        here(listener -> listener.transactionLocked(name));
    }

    private void here(Consumer<DibsListener> event) {
        listeners.forEach(listener -> Callbacks.here(() -> event.accept(listener)));
    }

    private void elsewhere(Consumer<DibsListener> event) {
        listeners.forEach(listener -> callbacks.elsewhere(() -> event.accept(listener)));
    }

    /** Runs the user's code on a thread that nothing of ours waits for. */
    void elsewhere(Runnable callback) {
        callbacks.elsewhere(callback);
    }
}
