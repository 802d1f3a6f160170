package dev.dibs.internal.runs;

import dev.dibs.claims.RowKey;
import java.util.Collection;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The row that a worker processes now. If the row is lost, the worker is interrupted, but only while the user's work on it runs. Our own
 * statements before and after it are never interrupted: an interrupt would close the file of an embedded database, or hide the outcome of a
 * commit.
 */
final class CurrentRow {

    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Thread thread;
    private @Nullable RowKey key;
    private boolean working;
    private boolean interrupted;

    /** For the worker's thread, before it begins with a row. */
    void take(RowKey row) {
        lock.lock();
        try {
            thread = Thread.currentThread();
            key = row;
            interrupted = false;
        } finally {
            lock.unlock();
        }
    }

    /** For the worker's thread: the user's work begins. */
    void begin() {
        set(true);
    }

    /** For the worker's thread: the user's work has ended. */
    void end() {
        set(false);
    }

    private void set(boolean now) {
        lock.lock();
        try {
            working = now;
        } finally {
            lock.unlock();
        }
    }

    /** For the worker's thread, when it is done with the row. Returns whether we have interrupted it because of that row. */
    boolean clear() {
        lock.lock();
        try {
            thread = null;
            key = null;
            return interrupted;
        } finally {
            lock.unlock();
        }
    }

    void interruptIfAmong(Collection<RowKey> lost) {
        lock.lock();
        try {
            if (working && thread != null && key != null && lost.contains(key)) {
                interrupted = true;
                thread.interrupt();
            }
        } finally {
            lock.unlock();
        }
    }

    void interrupt() {
        lock.lock();
        try {
            if (working && thread != null) {
                interrupted = true;
                thread.interrupt();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Whether the calling thread is the worker itself, within its work. */
    boolean isHere() {
        lock.lock();
        try {
            return thread == Thread.currentThread();
        } finally {
            lock.unlock();
        }
    }

    @Nullable
    String text() {
        lock.lock();
        try {
            return key == null ? null : key.toString();
        } finally {
            lock.unlock();
        }
    }
}
