package dev.dibs.internal.runs;

import dev.dibs.claims.RowKey;
import java.util.Collection;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The row that a worker has in hand. If it is lost, the worker is interrupted, but only while the user's work on that row is under way. Our own statements before and after it are never interrupted: that would close the file under an embedded database, or leave it
 * unknown what became of a commit.
 */
final class CurrentRow {

    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Thread thread;
    private @Nullable RowKey key;
    private boolean working;
    private boolean interrupted;

    /** By the worker's thread, before it begins with a row. */
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

    /** By the worker's thread: the user's work begins. */
    void begin() {
        set(true);
    }

    /** By the worker's thread: the user's work has ended. */
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

    /** By the worker's thread, when it is done with the row. Returns whether it was interrupted by us for it. */
    boolean lay() {
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

    /** Whether it is the worker itself that asks, from within its work. */
    boolean isHere() {
        lock.lock();
        try {
            return thread == Thread.currentThread();
        } finally {
            lock.unlock();
        }
    }

    /** The key of the row, for people. */
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
