package dev.dibs.internal.lease;

import dev.dibs.LeaseLostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The loss of one lease, and the callbacks that wait for it. Safe for use by any thread. */
final class LossCallbacks {

    private static final State NOTHING = new State(null, List.of());

    /** It changes as a whole: a callback is either called at the loss, or is told that the lease is lost already. */
    private final AtomicReference<State> state = new AtomicReference<>(NOTHING);

    private record State(@Nullable LeaseLostException loss, List<Consumer<? super LeaseLostException>> callbacks) {

        State with(Consumer<? super LeaseLostException> callback) {
            List<Consumer<? super LeaseLostException>> more = new ArrayList<>(callbacks);
            more.add(callback);
            return new State(null, more);
        }
    }

    /** Null if it is not lost; or if it was lost just now, and the reason is not stored yet. */
    @Nullable
    LeaseLostException loss() {
        return state.get().loss();
    }

    /** Returns the loss if it has happened already: then the callback was not added. */
    @Nullable
    LeaseLostException add(Consumer<? super LeaseLostException> callback) {
        return state.updateAndGet(now -> now.loss() == null ? now.with(callback) : now)
                .loss();
    }

    /** It is lost. Returns the callbacks, each once. */
    List<Consumer<? super LeaseLostException>> lost(LeaseLostException lost) {
        return state.getAndSet(new State(lost, List.of())).callbacks();
    }

    /** Its release has found that it is not ours. It was closed, so nobody is called back. */
    void foundAtRelease(LeaseLostException lost) {
        state.set(new State(lost, List.of()));
    }
}
