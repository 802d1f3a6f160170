package dev.dibs.spring.integration;

import dev.dibs.ThreadLock;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.support.locks.DistributedLock;

/** A lock with the interface that Spring Integration has since 7.0. Before that, nothing loads this class. */
final class DistributedRegistryLock extends RegistryLock implements DistributedLock {

    private DistributedRegistryLock(
            DibsLockRegistry registry, String key, ThreadLock lock, @Nullable Duration timeToLive) {
        super(registry, key, lock, timeToLive);
    }

    /** Not a constructor: the verifier of the caller's class would load this one. */
    static RegistryLock create(DibsLockRegistry registry, String key, ThreadLock lock, @Nullable Duration timeToLive) {
        return new DistributedRegistryLock(registry, key, lock, timeToLive);
    }
}
