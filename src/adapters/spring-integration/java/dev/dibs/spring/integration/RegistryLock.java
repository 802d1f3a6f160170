package dev.dibs.spring.integration;

import dev.dibs.Lease;
import dev.dibs.LeaseLostException;
import dev.dibs.ThreadLock;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/**
 * A view of the lock for a key. All views of a key share the object that the registry knows, so that a thread has its hold whichever
 * it uses.
 */
class RegistryLock implements DibsLock {

    static final Duration SHORTEST = Duration.ofMillis(50);

    /** For ever in practice. */
    private static final Duration FOR_EVER = Duration.ofDays(100 * 365);

    private final DibsLockRegistry registry;
    private final String key;
    private final ThreadLock lock;
    private final @Nullable Duration timeToLive;

    /** How many threads have it or want it, each once. */
    private final AtomicInteger users = new AtomicInteger();

    private volatile long lastUsed = System.nanoTime();

    RegistryLock(DibsLockRegistry registry, String key, ThreadLock lock, @Nullable Duration timeToLive) {
        this.registry = registry;
        this.key = key;
        this.lock = lock;
        this.timeToLive = timeToLive;
    }

    /** A way to lock. */
    private interface Locking {
        boolean lock(ThreadLock lock) throws InterruptedException;
    }

    static Duration lease(Duration wanted) {
        return wanted.compareTo(SHORTEST) < 0 ? SHORTEST : wanted;
    }

    /** The registry calls it while it looks this lock up. */
    RegistryLock used(int more) {
        users.addAndGet(more);
        lastUsed = System.nanoTime();
        return this;
    }

    boolean isUnused(long millis) {
        return users.get() == 0 && System.nanoTime() - lastUsed >= TimeUnit.MILLISECONDS.toNanos(millis);
    }

    private boolean locked(Locking way) throws InterruptedException {
        RegistryLock used = registry.enter(key, this);
        boolean first = !used.lock.isHeldByCurrentThread();
        boolean locked = false;
        try {
            locked = way.lock(used.lock);
            return locked;
        } finally {
            if (!locked || !first) {
                registry.leave(key, used);
            }
        }
    }

    @Override
    public void lock() {
        lockNow(timeToLive);
    }

    @Override
    public void lock(Duration length) {
        lockNow(length);
    }

    private void lockNow(@Nullable Duration length) {
        try {
            boolean unused = locked(own -> {
                if (length == null) {
                    own.lock();
                } else {
                    own.lock(lease(length));
                }
                return true;
            });
        } catch (InterruptedException e) {
            throw new IllegalStateException("an interrupt does not end this wait", e);
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        if (!tryLockWithin(FOR_EVER, timeToLive)) {
            throw new IllegalStateException(this + " was busy for ever");
        }
    }

    @Override
    public boolean tryLock() {
        try {
            return timeToLive == null ? locked(ThreadLock::tryLock) : tryLockWithin(Duration.ZERO, timeToLive);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        return tryLockWithin(Duration.ofNanos(unit.toNanos(Math.max(0, time))), timeToLive);
    }

    @Override
    public boolean tryLock(Duration wait, Duration length) throws InterruptedException {
        return tryLockWithin(wait, length);
    }

    private boolean tryLockWithin(Duration wait, @Nullable Duration length) throws InterruptedException {
        return locked(own -> length == null
                ? own.tryLock(TimeUnit.NANOSECONDS.convert(wait), TimeUnit.NANOSECONDS)
                : own.tryLock(wait, lease(length)));
    }

    @Override
    public void unlock() {
        RegistryLock used = registry.known(key, this);
        boolean last = used.lock.getHoldCount() == 1;
        try {
            used.lock.unlock();
        } catch (LeaseLostException e) {
            throw new ConcurrentModificationException(e.getMessage(), e);
        } finally {
            if (last) {
                registry.leave(key, used);
            }
        }
    }

    boolean extend(Duration length) {
        return registry.known(key, this).lock.extend(length);
    }

    @Override
    public Optional<Lease> lease() {
        return registry.known(key, this).lock.lease();
    }

    @Override
    public Condition newCondition() {
        return lock.newCondition();
    }

    @Override
    public String toString() {
        return "Dibs" + lock;
    }
}
