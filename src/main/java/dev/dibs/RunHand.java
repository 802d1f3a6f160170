package dev.dibs;

import java.util.Collection;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The row that a worker has in hand: who hears that it is lost interrupts the worker, and only while it works on that row. */
final class RunHand {

    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Thread thread;
    private @Nullable RowKey key;

    /** By the worker's thread, before it begins with a row. */
    void take(RowKey row) {
        lock.lock();
        try {
            thread = Thread.currentThread();
            key = row;
        } finally {
            lock.unlock();
        }
    }

    /** By the worker's thread, when it is done with the row; an interrupt that came for the row ends with it. */
    void lay() {
        lock.lock();
        try {
            thread = null;
            key = null;
        } finally {
            lock.unlock();
        }
    }

    void interruptIfAmong(Collection<RowKey> lost) {
        lock.lock();
        try {
            if (thread != null && key != null && lost.contains(key)) {
                thread.interrupt();
            }
        } finally {
            lock.unlock();
        }
    }

    void interrupt() {
        lock.lock();
        try {
            if (thread != null) {
                thread.interrupt();
            }
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
