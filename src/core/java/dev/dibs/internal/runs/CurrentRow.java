package dev.dibs.internal.runs;

import dev.dibs.claims.RowKey;
import dev.dibs.internal.time.Mutex;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The row that a worker processes now. If the row is lost, the worker is interrupted, but only while the user's work on it runs. Our own
 * statements before and after it are never interrupted: an interrupt would close the file of an embedded database, or hide the outcome of a
 * commit.
 */
final class CurrentRow {

    private final Mutex lock = new Mutex();
    private @Nullable Thread thread;
    private @Nullable RowKey key;
    private boolean working;
    private boolean interrupted;

    /** For the worker's thread, before it begins with a row. */
    void take(RowKey row) {
        locked(() -> {
            thread = Thread.currentThread();
            key = row;
            interrupted = false;
            return true;
        });
    }

    /** For the worker's thread: the user's work begins. */
    void begin() {
        locked(() -> working = true);
    }

    /** For the worker's thread: the user's work has ended. */
    void end() {
        locked(() -> working = false);
    }

    /** For the worker's thread, when it is done with the row. Returns whether we have interrupted it because of that row. */
    boolean clear() {
        return locked(() -> {
            thread = null;
            key = null;
            return interrupted;
        });
    }

    /** Interrupts the user's work on the row, if it runs just now. */
    void interruptIf(Predicate<? super RowKey> isMeant) {
        try (Mutex.Held unused = lock.hold()) {
            if (working && thread != null && key != null && isMeant.test(key)) {
                interrupted = true;
                thread.interrupt();
            }
        }
    }

    /** Whether the calling thread is the worker itself, within its work. */
    boolean isHere() {
        return locked(() -> thread == Thread.currentThread());
    }

    /** The row's key for people; null between two rows. */
    @Nullable
    String text() {
        return locked(() -> key == null ? null : key.toString());
    }

    private <T extends @Nullable Object> T locked(Supplier<T> action) {
        try (Mutex.Held unused = lock.hold()) {
            return action.get();
        }
    }
}
