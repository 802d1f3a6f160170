package dev.dibs.shedlock;

import dev.dibs.Dibs;
import dev.dibs.TimedLease;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

/**
 * A provider of ShedLock that takes locks of Dibs. A lock of ShedLock is the lock of Dibs with that name.
 *
 * <p>{@code lockAtMostFor} is the length of a {@linkplain dev.dibs.NamedLock#atMost lease that is not renewed}: at most one day; less
 * than 50 milliseconds are rounded up. {@code lockAtLeastFor} holds also if the process dies. A lock that is released late frees no
 * lock of a successor: the release changes only its own lease.
 *
 * <p>A lock that cannot be acquired because the database does not answer is a {@link dev.dibs.DatabaseFailureException}. A release never
 * throws.
 *
 * <p>Safe for use by any thread.
 */
public final class DibsLockProvider implements ExtensibleLockProvider {

    private static final Duration SHORTEST = Duration.ofMillis(50);
    private static final Duration LONGEST = Duration.ofDays(1);

    /** Of a lock's name, the thread that has acquired it. */
    private record Key(Thread thread, String name) {}

    private final Dibs dibs;
    private final Map<Key, TimedLease> leases = new ConcurrentHashMap<>();

    /**
     * Takes locks of this instance.
     *
     * @param dibs the application closes it, after the last task
     */
    public DibsLockProvider(Dibs dibs) {
        if (dibs == null) {
            throw new IllegalArgumentException("the dibs is null");
        }
        this.dibs = dibs;
    }

    /**
     * Acquires the lock if it is free.
     *
     * @throws IllegalArgumentException if {@code lockAtMostFor} is longer than a day, or Dibs does not accept the name
     * @throws dev.dibs.DatabaseFailureException if the request to the database fails
     */
    @Override
    public Optional<SimpleLock> lock(LockConfiguration wanted) {
        return dibs.lock(wanted.getName())
                .holdAtLeast(millisAtLeast(wanted.getLockAtLeastFor()))
                .atMost(lease(wanted))
                .tryAcquire()
                .map(lease -> {
                    Key key = new Key(Thread.currentThread(), lease.name());
                    leases.put(key, lease);
                    return new DibsLock(wanted, key, lease);
                });
    }

    /**
     * The lease of this thread on a lock that it has acquired by ShedLock: for its fence, a guard, or to be called back when it is lost.
     * Do not close it: ShedLock does.
     *
     * @param name the name of ShedLock's lock
     * @return empty if this thread has not acquired it, or has released it
     */
    public Optional<TimedLease> lease(String name) {
        return Optional.ofNullable(leases.get(new Key(Thread.currentThread(), name)));
    }

    /**
     * A provider for the time of a move: it takes the lock of Dibs and that of a former provider, or none. So it excludes nodes that
     * have only the former provider, and nodes that have only Dibs.
     *
     * @param former the provider of the nodes that have not moved yet
     */
    public ExtensibleLockProvider together(ExtensibleLockProvider former) {
        if (former == null) {
            throw new IllegalArgumentException("the former provider is null");
        }
        return new TwoLockProvider(former, this);
    }

    private static Duration lease(LockConfiguration wanted) {
        Duration atMost = millisAtLeast(wanted.getLockAtMostFor());
        if (atMost.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("the lockAtMostFor of '" + wanted.getName() + "' is " + atMost
                    + "; it must be a day at most. A task that takes longer extends its lock by LockExtender");
        }
        return atMost.compareTo(SHORTEST) < 0 ? SHORTEST : atMost;
    }

    /** Rounded up. */
    private static Duration millisAtLeast(Duration length) {
        return Duration.ofMillis(length.plusNanos(999_999).toMillis());
    }

    /** For one thread, as ShedLock uses it. */
    private final class DibsLock extends AbstractSimpleLock {

        private final Key key;
        private final TimedLease lease;

        DibsLock(LockConfiguration wanted, Key key, TimedLease lease) {
            super(wanted);
            this.key = key;
            this.lease = lease;
        }

        @Override
        protected void doUnlock() {
            leases.remove(key, lease);
            lease.close();
        }

        @Override
        protected Optional<SimpleLock> doExtend(LockConfiguration more) {
            if (lease.extend(lease(more), millisAtLeast(more.getLockAtLeastFor()))) {
                return Optional.of(new DibsLock(more, key, lease));
            }
            // ShedLock does not unlock it any more.
            leases.remove(key, lease);
            return Optional.empty();
        }
    }
}
