package dev.dibs.internal.lease;

import dev.dibs.AcquireEnd;
import dev.dibs.AcquireEnd.Outcome;
import dev.dibs.DibsListener;
import dev.dibs.LeaseInfo;
import dev.dibs.NotAcquiredException;
import dev.dibs.internal.instance.Callbacks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Who listens to one call that acquires.
 *
 * <p>For one thread.
 */
public final class AcquireListeners {

    /** Nobody listens to it. */
    public static final AcquireListeners NO_LISTENERS = new AcquireListeners(List.of());

    private final List<Consumer<? super AcquireEnd>> ends;
    private final long began;

    private AcquireListeners(List<Consumer<? super AcquireEnd>> ends) {
        this.ends = ends;
        this.began = System.nanoTime();
    }

    /** Begins now. Without a listener it costs nothing. */
    static AcquireListeners begin(String name, List<DibsListener> listeners) {
        if (listeners.isEmpty()) {
            return NO_LISTENERS;
        }
        AcquireListeners begun = new AcquireListeners(new ArrayList<>(listeners.size()));
        listeners.forEach(listener -> Callbacks.here(() -> begun.ends.add(listener.acquiring(name))));
        return begun;
    }

    /** The database has answered. */
    public void ended(boolean isAcquired, Supplier<@Nullable LeaseInfo> holder) {
        end(isAcquired ? Outcome.ACQUIRED : Outcome.BUSY, holder, null);
    }

    public void failed(Throwable failure) {
        end(failure instanceof NotAcquiredException ? Outcome.INTERRUPTED : Outcome.FAILED, () -> null, failure);
    }

    private void end(Outcome outcome, Supplier<@Nullable LeaseInfo> holder, @Nullable Throwable failure) {
        if (ends.isEmpty()) {
            return;
        }
        AcquireEnd end = new AcquireEnd(
                outcome,
                Duration.ofNanos(System.nanoTime() - began),
                Optional.ofNullable(holder.get()),
                Optional.ofNullable(failure));
        ends.forEach(listener -> Callbacks.here(() -> listener.accept(end)));
    }
}
