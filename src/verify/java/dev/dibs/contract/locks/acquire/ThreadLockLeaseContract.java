package dev.dibs.contract.locks.acquire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.LeaseLostException;
import dev.dibs.ThreadLock;
import dev.dibs.contract.support.Fixture;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a thread has of a lock, and for how long. */
@Tag("contract")
@SuppressWarnings("LockNotBeforeTry")
class ThreadLockLeaseContract extends Fixture {

    private static final Duration SECOND = Duration.ofSeconds(1);

    @Test
    void aThreadAsksForItsHoldsAndItsLease() {
        try (Dibs dibs = dibs()) {
            ThreadLock lock = dibs.lock(fresh("count")).asLock();
            assertThat(lock.getHoldCount()).isZero();
            assertThat(lock.lease()).isEmpty();
            lock.lock();
            lock.lock(LONG);
            assertThat(lock.getHoldCount()).isEqualTo(2);
            assertThat(lock.isHeldByCurrentThread()).isTrue();
            assertThat(lock.lease().orElseThrow().fencingToken()).isPositive();
            assertThat(lock.extend(LONG)).as("it is renewed").isTrue();
            boolean elsewhere =
                    CompletableFuture.supplyAsync(lock::isHeldByCurrentThread).join();
            assertThat(elsewhere).isFalse();
            lock.unlock();
            lock.unlock();
            assertThat(lock.isHeldByCurrentThread()).isFalse();
            assertThatThrownBy(() -> lock.extend(LONG)).isInstanceOf(IllegalMonitorStateException.class);
        }
    }

    @Test
    void aThreadLocksForATimeAtMost() throws Exception {
        String name = fresh("most");
        try (Dibs dibs = dibs();
                Dibs there = dibs()) {
            ThreadLock lock = dibs.lock(name).asLock();
            assertThat(lock.tryLock(Duration.ZERO, SECOND)).isTrue();
            Lease lease = lock.lease().orElseThrow();
            await().until(() -> !lease.isValid());
            assertThat(lock.extend(LONG)).as("it does not come back").isFalse();
            assertThatThrownBy(() -> lock.lock(LONG)).isInstanceOf(LeaseLostException.class);
            assertThat(lock.getHoldCount()).isEqualTo(1);
            assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
            there.lock(name).acquire(SOON).close();
        }
    }

    @Test
    void aThreadThatLocksAgainExtendsItsLease() throws Exception {
        String name = fresh("again");
        try (Dibs dibs = dibs();
                Dibs there = dibs()) {
            ThreadLock lock = dibs.lock(name).asLock();
            lock.lock(LONG);
            lock.lock();
            assertThat(lock.tryLock(Duration.ZERO, LONG.multipliedBy(2))).isTrue();
            assertThat(lock.lease().orElseThrow().remaining()).isGreaterThan(LONG);
            assertThat(lock.extend(LONG.multipliedBy(3))).isTrue();
            assertThat(lock.lease().orElseThrow().remaining()).isGreaterThan(LONG.multipliedBy(2));
            boolean got = CompletableFuture.supplyAsync(() -> {
                        try {
                            return lock.tryLock(Duration.ofMillis(50), LONG);
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                    })
                    .join();
            assertThat(got).isFalse();
            lock.unlock();
            lock.unlock();
            assertThat(there.lock(name).tryAcquire()).isEmpty();
            lock.unlock();
            assertThat(there.lock(name).tryAcquire(SOON)).isPresent();
            assertThatThrownBy(() -> lock.lock(Duration.ofMillis(49))).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
