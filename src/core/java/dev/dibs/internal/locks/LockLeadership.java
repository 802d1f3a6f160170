package dev.dibs.internal.locks;

import dev.dibs.Candidacy;
import dev.dibs.Leadership;
import dev.dibs.Lease;
import dev.dibs.internal.values.Arguments;
import dev.dibs.internal.values.Strings;
import java.time.Duration;
import java.util.Set;
import java.util.function.Consumer;

/** The leadership of a name: its lock, and the candidacies for it. */
public final class LockLeadership implements Leadership {

    final DatabaseLock lock;
    final Set<RunningCandidacy> open;
    final Consumer<? super Lease> onElected;
    final Consumer<? super Lease> onStepDown;

    LockLeadership(
            DatabaseLock lock,
            Set<RunningCandidacy> open,
            Consumer<? super Lease> onElected,
            Consumer<? super Lease> onStepDown) {
        this.lock = lock;
        this.open = open;
        this.onElected = onElected;
        this.onStepDown = onStepDown;
    }

    @Override
    public String name() {
        return lock.name();
    }

    @Override
    public Leadership leaseLength(Duration lease) {
        return new LockLeadership(lock.leaseLength(lease), open, onElected, onStepDown);
    }

    @Override
    public Leadership onElected(Consumer<? super Lease> callback) {
        return new LockLeadership(lock, open, Arguments.required("callback", callback), onStepDown);
    }

    @Override
    public Leadership onStepDown(Consumer<? super Lease> callback) {
        return new LockLeadership(lock, open, onElected, Arguments.required("callback", callback));
    }

    @Override
    public Candidacy campaign() {
        return new RunningCandidacy(this);
    }

    @Override
    public String toString() {
        return "Leadership[" + Strings.escape(name()) + "]";
    }
}
