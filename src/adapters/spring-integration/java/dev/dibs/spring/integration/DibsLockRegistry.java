package dev.dibs.spring.integration;

import dev.dibs.Dibs;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;
import org.springframework.util.ClassUtils;

/**
 * A lock registry of Spring Integration, from 6.5 on, that takes locks of Dibs. The lock for a key is the lock {@code region:key} of
 * Dibs. It belongs to a thread, which may lock it again.
 *
 * <p>Dibs renews the leases of its locks, so a lock is held as long as its thread needs it, and is free soon after its process has
 * died. With {@link #atMost} leases end by time, as those of a {@code JdbcLockRegistry} do.
 *
 * <p>A registry forgets locks that nobody uses when there are more than 100,000. Safe for use by any thread.
 *
 * <p>It has no type arguments: the interfaces have them only since 7.0, and Spring reads them at run time. To call {@code
 * executeLocked}, declare it as {@code LockRegistry<?>}.
 */
@SuppressWarnings("rawtypes")
public final class DibsLockRegistry implements ExpirableLockRegistry, RenewableLockRegistry {

    private static final int MOST = 100_000;

    /** For a lease that is not renewed, in a registry whose leases are. */
    private static final Duration RENEWED = Duration.ofSeconds(30);

    /** The interface is new in 7.0. */
    private static final boolean HAS_DISTRIBUTED_LOCKS = ClassUtils.isPresent(
            "org.springframework.integration.support.locks.DistributedLock", DibsLockRegistry.class.getClassLoader());

    private final Dibs dibs;
    private final String region;
    private final @Nullable Duration timeToLive;
    private final Map<String, RegistryLock> locks = new ConcurrentHashMap<>();

    /**
     * Takes locks of this instance.
     *
     * @param dibs the application closes it, after its last message
     * @param region the part of the locks' names before the key, so that two registries do not meet; without a colon
     * @throws IllegalArgumentException if the region is not valid
     */
    public DibsLockRegistry(Dibs dibs, String region) {
        this(dibs, region, null);
    }

    private DibsLockRegistry(Dibs dibs, String region, @Nullable Duration timeToLive) {
        if (dibs == null) {
            throw new IllegalArgumentException("the dibs is null");
        }
        this.dibs = dibs;
        this.region = region;
        this.timeToLive = timeToLive;
        var unused = dibs.lock(region, "the region is checked");
    }

    /**
     * A registry for the same region whose leases are not renewed. They end after that time, unless {@link #renewLock(Object)} extends
     * them. A thread that locks again extends its lease, too. Locks of both registries exclude each other.
     *
     * @param length at most one day; less than 50 milliseconds are rounded up
     * @throws IllegalArgumentException if it is longer than a day
     */
    public DibsLockRegistry atMost(Duration length) {
        Duration checked = RegistryLock.lease(length);
        var unused = dibs.lock(region, "the length is checked").atMost(checked);
        return new DibsLockRegistry(dibs, region, checked);
    }

    /**
     * The lock for a key; the same object for an equal key, as long as it is used.
     *
     * @param key by its {@code toString()}; at most 200 characters together with the region
     * @throws IllegalArgumentException if it is null or too long
     */
    @Override
    public DibsLock obtain(Object key) {
        return lock(key);
    }

    private RegistryLock lock(Object key) {
        if (key == null) {
            throw new IllegalArgumentException("the lock's key is null");
        }
        if (locks.size() > MOST) {
            expireUnusedOlderThan(0);
        }
        return locks.computeIfAbsent(key.toString(), this::create);
    }

    private RegistryLock create(String key) {
        var lock = dibs.lock(region, key).asLock();
        return HAS_DISTRIBUTED_LOCKS
                ? DistributedRegistryLock.create(this, key, lock, timeToLive)
                : new RegistryLock(this, key, lock, timeToLive);
    }

    /** The lock that all threads use: this one, or one that was obtained since it was forgotten. It is not forgotten while it is used. */
    RegistryLock enter(String key, RegistryLock lock) {
        return locks.compute(key, (name, known) -> (known == null ? lock : known).used(1));
    }

    void leave(String key, RegistryLock lock) {
        locks.computeIfPresent(key, (name, known) -> known == lock ? known.used(-1) : known);
    }

    /** The lock that a thread may have. */
    RegistryLock known(String key, RegistryLock lock) {
        return locks.getOrDefault(key, lock);
    }

    @Override
    public void expireUnusedOlderThan(long age) {
        locks.keySet().forEach(key -> locks.computeIfPresent(key, (name, lock) -> lock.isUnused(age) ? null : lock));
    }

    /**
     * Extends the lease of a lock that this thread has: for the time of {@link #atMost}, or else 30 seconds. A lease that Dibs renews
     * stays as it is.
     *
     * @throws IllegalMonitorStateException if this thread does not have it
     * @throws IllegalStateException if the lease is lost
     * @throws dev.dibs.DatabaseFailureException if the database did not answer
     */
    @Override
    public void renewLock(Object key) {
        renew(lock(key), timeToLive == null ? RENEWED : timeToLive);
    }

    /**
     * The same for a time that the caller chooses.
     *
     * @param key as for {@link #obtain}
     * @param length at most one day; less than 50 milliseconds are rounded up
     * @throws IllegalMonitorStateException as {@link #renewLock(Object)}
     * @throws IllegalStateException as {@link #renewLock(Object)}
     * @throws dev.dibs.DatabaseFailureException as {@link #renewLock(Object)}
     */
    // In the interface since 7.0.
    @Override
    public void renewLock(Object key, Duration length) {
        renew(lock(key), RegistryLock.lease(length));
    }

    private static void renew(RegistryLock lock, Duration length) {
        if (!lock.extend(length)) {
            throw new IllegalStateException("the lock could not be renewed, because it is lost: " + lock);
        }
    }

    @Override
    public String toString() {
        return "DibsLockRegistry[" + region + (timeToLive == null ? "" : ", " + timeToLive + " at most") + "]";
    }
}
