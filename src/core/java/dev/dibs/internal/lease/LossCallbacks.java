package dev.dibs.internal.lease;

import dev.dibs.LeaseLostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The loss of one lease, and the callbacks that wait for it. Safe for use by any thread. */
final class LossCallbacks {

    private final ReentrantLock lock = new ReentrantLock();
    private final List<Consumer<? super LeaseLostException>> callbacks = new ArrayList<>();
    private volatile @Nullable LeaseLostException loss;

    /** Null if it is not lost; or if it was lost just now, and the reason is not stored yet. */
    @Nullable
    LeaseLostException loss() {
        return loss;
    }

    /** Returns the loss if it has happened already: then the callback was not added. */
    @Nullable
    LeaseLostException add(Consumer<? super LeaseLostException> callback) {
        lock.lock();
        try {
            LeaseLostException already = loss;
            if (already == null) {
                callbacks.add(callback);
            }
            return already;
        } finally {
            lock.unlock();
        }
    }

    /** It is lost. Returns the callbacks, each once. */
    List<Consumer<? super LeaseLostException>> lost(LeaseLostException lost) {
        lock.lock();
        try {
            loss = lost;
            List<Consumer<? super LeaseLostException>> taken = List.copyOf(callbacks);
            callbacks.clear();
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /** Its release has found that it is not ours. It was closed, so nobody is called back. */
    void foundAtRelease(LeaseLostException lost) {
        loss = lost;
    }
}
