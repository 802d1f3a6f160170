package dev.dibs.contract.locks.acquire;

import static org.awaitility.Awaitility.await;

import dev.dibs.Lease;
import dev.dibs.LeaseLostException;
import dev.dibs.ThreadLock;
import dev.dibs.contract.support.ContractFixture;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;

/** A lock as in java.util.concurrent: it belongs to a thread, which may lock it again; what the thread has of it, and for how long. */
@SuppressWarnings("LockNotBeforeTry")
class ThreadLockContract extends ContractFixture {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private static boolean fromAnotherThread(Lock lock) {
        return CompletableFuture.supplyAsync(() -> {
                    boolean got = lock.tryLock();
                    if (got) {
                        lock.unlock();
                    }
                    return got;
                })
                .join();
    }

    @Test
    void aThreadLocksAgainAndUnlocksAsOften() {
        String name = fresh("again");
        Lock lock = here().lock(name).asLock();
        lock.lock();
        lock.lock();
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
        lock.unlock();
        assertThat(fromAnotherThread(lock)).isFalse();
        assertThat(there().lock(name).tryAcquire()).isEmpty();
        lock.unlock();
        assertThat(fromAnotherThread(lock)).isTrue();
        assertThat(there().lock(name).tryAcquire()).isPresent();
    }

    @Test
    void unlockNeedsTheThreadsOwnLock() {
        Lock lock = here().lock(fresh("foreign")).asLock();
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
        lock.lock();
        CompletableFuture<Void> other = CompletableFuture.runAsync(lock::unlock);
        assertThatThrownBy(other::join).hasCauseInstanceOf(IllegalMonitorStateException.class);
        assertThat(fromAnotherThread(lock)).isFalse();
        lock.unlock();
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
        assertThatThrownBy(lock::newCondition).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void aLossSurfacesWhenItIsUnlocked() {
        String name = fresh("lost");
        Lock lock = here().lock(name).asLock();
        lock.lock();
        lock.lock();
        // The instance that breaks it knows at once.
        here().admin().breakLock(name);
        // The background may have the row locked for an instant, to release what was broken.
        try (Lease successor = there().lock(name).acquire(SOON)) {
            assertThatThrownBy(lock::lock).isInstanceOf(LeaseLostException.class);
            lock.unlock();
            assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
            assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
            successor.check();
        }
        lock.lock();
        lock.unlock();
    }

    @Test
    void timedAndInterruptible() throws Exception {
        String name = fresh("timed");
        Lease busy = there().lock(name).tryAcquire().orElseThrow();
        Lock lock = here().lock(name).asLock();
        Lock free = here().lock(fresh("free")).asLock();
        for (TimeUnit unit : TimeUnit.values()) {
            assertThat(free.tryLock(Long.MAX_VALUE, unit)).as("for ever").isTrue();
            free.unlock();
        }
        long start = System.nanoTime();
        assertThat(lock.tryLock(200, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(200));
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread waiter = new Thread(() -> {
            try {
                lock.lockInterruptibly();
            } catch (Throwable e) {
                thrown.set(e);
                thrown.get()
                        .addSuppressed(new IllegalStateException(
                                "flag " + Thread.currentThread().isInterrupted()));
            }
        });
        waiter.start();
        Thread.sleep(200);
        waiter.interrupt();
        waiter.join(60_000);
        assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
        assertThat(thrown.get().getSuppressed()[0]).hasMessage("flag false");
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> lock.tryLock(1, TimeUnit.SECONDS)).isInstanceOf(InterruptedException.class);
        busy.check();
    }

    @Test
    void lockWaitsOverAnInterrupt() throws Exception {
        String name = fresh("patient");
        Lease busy = there().lock(name).tryAcquire().orElseThrow();
        Lock lock = here().lock(name).asLock();
        CountDownLatch locked = new CountDownLatch(1);
        AtomicReference<Boolean> flag = new AtomicReference<>();
        Thread waiter = new Thread(() -> {
            lock.lock();
            flag.set(Thread.interrupted());
            lock.unlock();
            locked.countDown();
        });
        waiter.start();
        Thread.sleep(200);
        waiter.interrupt();
        assertThat(locked.await(300, TimeUnit.MILLISECONDS)).isFalse();
        busy.close();
        assertThat(locked.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(flag).hasValue(true);
    }

    @Test
    void aThreadAsksForItsHoldsAndItsLease() {
        ThreadLock lock = here().lock(fresh("count")).asLock();
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

    @Test
    void aThreadLocksForATimeAtMost() throws Exception {
        String name = fresh("most");
        ThreadLock lock = here().lock(name).asLock();
        assertThat(lock.tryLock(SOON, SECOND)).isTrue();
        Lease lease = lock.lease().orElseThrow();
        await().until(() -> !lease.isValid());
        assertThat(lock.extend(LONG)).as("it does not come back").isFalse();
        assertThatThrownBy(() -> lock.lock(LONG)).isInstanceOf(LeaseLostException.class);
        assertThat(lock.getHoldCount()).isEqualTo(1);
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
        there().lock(name).acquire(SOON).close();
    }

    @Test
    void aThreadThatLocksAgainExtendsItsLease() throws Exception {
        String name = fresh("again");
        ThreadLock lock = here().lock(name).asLock();
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
        assertThat(there().lock(name).tryAcquire()).isEmpty();
        lock.unlock();
        assertThat(there().lock(name).tryAcquire(SOON)).isPresent();
        assertThatThrownBy(() -> lock.lock(Duration.ofMillis(49))).isInstanceOf(IllegalArgumentException.class);
    }
}
