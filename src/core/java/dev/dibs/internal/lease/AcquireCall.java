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
 * One call that acquires, as listeners notice it.
 *
 * <p>For one thread.
 */
public final class AcquireCall {

    /** Nobody listens to it. */
    public static final AcquireCall NO_LISTENERS = new AcquireCall(List.of());

    private final List<Consumer<? super AcquireEnd>> ends;
    private final long began;

    private AcquireCall(List<Consumer<? super AcquireEnd>> ends) {
        this.ends = ends;
        this.began = System.nanoTime();
    }

    /** Begins now. Without a listener it costs nothing. */
    static AcquireCall begin(String name, List<DibsListener> listeners) {
        if (listeners.isEmpty()) {
            return NO_LISTENERS;
        }
        AcquireCall call = new AcquireCall(new ArrayList<>(listeners.size()));
        listeners.forEach(listener -> Callbacks.here(() -> call.ends.add(listener.acquiring(name))));
        return call;
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
