package dev.dibs.internal.time;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** A lock among the threads of this JVM, for the length of a block. Nothing is synchronized, since that would pin virtual threads. */
public final class Mutex {

    private final ReentrantLock lock = new ReentrantLock();
    private final Held held = lock::unlock;

    /** Held until it is closed, by the same thread. */
    public interface Held extends AutoCloseable {
        @Override
        void close();
    }

    public Held hold() {
        lock.lock();
        return held;
    }

    /** A new condition, for threads that hold it. */
    public Condition condition() {
        return lock.newCondition();
    }
}
