package dev.dibs.contract.locks.acquire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.LeaseLostException;
import dev.dibs.contract.support.Fixture;
import dev.dibs.database.FullRun;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A lock as in java.util.concurrent: it belongs to a thread, which may lock it again. */
@Tag("contract")
@SuppressWarnings("LockNotBeforeTry")
class ThreadLockContract extends Fixture {

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
        try (Dibs dibs = dibs();
                Dibs there = dibs()) {
            Lock lock = dibs.lock(name).asLock();
            lock.lock();
            lock.lock();
            assertThat(lock.tryLock()).isTrue();
            lock.unlock();
            lock.unlock();
            assertThat(fromAnotherThread(lock)).isFalse();
            assertThat(there.lock(name).tryAcquire()).isEmpty();
            lock.unlock();
            assertThat(fromAnotherThread(lock)).isTrue();
            assertThat(there.lock(name).tryAcquire()).isPresent();
        }
    }

    @Test
    void unlockNeedsTheThreadsOwnLock() {
        try (Dibs dibs = dibs()) {
            Lock lock = dibs.lock(fresh("foreign")).asLock();
            assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
            lock.lock();
            CompletableFuture<Void> other = CompletableFuture.runAsync(lock::unlock);
            assertThatThrownBy(other::join).hasCauseInstanceOf(IllegalMonitorStateException.class);
            assertThat(fromAnotherThread(lock)).isFalse();
            lock.unlock();
            assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
            assertThatThrownBy(lock::newCondition).isInstanceOf(UnsupportedOperationException.class);
        }
    }

    @Test
    void aLossSurfacesWhenItIsUnlocked() {
        String name = fresh("lost");
        try (Dibs dibs = dibs();
                Dibs there = dibs()) {
            Lock lock = dibs.lock(name).asLock();
            lock.lock();
            lock.lock();
            // The instance that breaks it knows at once.
            dibs.admin().breakLock(name);
            // The background may have the row locked for an instant, to release what was broken.
            try (Lease successor = there.lock(name).acquire(SOON)) {
                assertThatThrownBy(lock::lock).isInstanceOf(LeaseLostException.class);
                lock.unlock();
                assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
                assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
                successor.check();
            }
            lock.lock();
            lock.unlock();
        }
    }

    @Test
    void timedAndInterruptible() throws Exception {
        String name = fresh("timed");
        try (Dibs dibs = dibs();
                Dibs there = dibs();
                Lease busy = there.lock(name).tryAcquire().orElseThrow()) {
            Lock lock = dibs.lock(name).asLock();
            Lock free = dibs.lock(fresh("free")).asLock();
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
    }

    @Test
    void lockWaitsOverAnInterrupt() throws Exception {
        String name = fresh("patient");
        try (Dibs dibs = dibs();
                Dibs there = dibs()) {
            Lease busy = there.lock(name).tryAcquire().orElseThrow();
            Lock lock = dibs.lock(name).asLock();
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
    }

    @Test
    @FullRun(except = "postgresql")
    void onlyOneThreadOfTwoInstancesIsInside() throws Exception {
        String name = fresh("inside");
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        try (Dibs here = dibs();
                Dibs there = dibs()) {
            Lock[] locks = {here.lock(name).asLock(), there.lock(name).asLock()};
            inThreads(6, number -> {
                Lock lock = locks[number % 2];
                for (int i = 0; i < 10; i++) {
                    lock.lock();
                    most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                    inside.decrementAndGet();
                    lock.unlock();
                }
            });
        }
        assertThat(most).hasValue(1);
    }
}
