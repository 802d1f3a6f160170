package dev.dibs.contract.locks.lease;

import static org.awaitility.Awaitility.await;

import dev.dibs.Acquirable;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.LeaseLostException;
import dev.dibs.contract.support.ContractFixture;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** A loss interrupts the work, and nothing else. The instance that breaks a lock knows of the loss at once. */
class InterruptOnLossContract extends ContractFixture {

    private static final Duration WAIT = LONG;
    private static final int MOST = 20_000;

    private static Acquirable<Lease> interrupted(Dibs dibs, String name) {
        return dibs.lock(name).interruptOnLoss();
    }

    /** Breaks the lock on another thread. */
    private static CompletableFuture<Void> broken(Dibs dibs, String name) {
        return CompletableFuture.runAsync(() -> dibs.admin().breakLock(name));
    }

    private static void sleep() throws InterruptedException {
        Thread.sleep(WAIT.toMillis());
    }

    @Test
    void aLossInterruptsTheWork() {
        String name = fresh("run");
        assertThatThrownBy(() -> interrupted(here(), name).run(WAIT, lease -> {
                    CompletableFuture<Void> unused = broken(here(), name);
                    sleep();
                }))
                .isInstanceOf(LeaseLostException.class)
                .satisfies(lost ->
                        assertThat(lost.getSuppressed()).hasAtLeastOneElementOfType(InterruptedException.class));
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThatThrownBy(() -> here().semaphore(name, 1).interruptOnLoss().tryCall(permit -> {
                    here().close();
                    sleep();
                    return 1;
                }))
                .isInstanceOf(LeaseLostException.class);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    /** What comes after the call must not see its interrupt. */
    @Test
    void workThatDoesNotMindLeavesNoInterrupt() {
        String name = fresh("ignored");
        assertThatThrownBy(() -> interrupted(here(), name).tryRun(lease -> {
                    CompletableFuture<Void> unused = broken(here(), name);
                    await().pollInSameThread()
                            .until(() -> Thread.currentThread().isInterrupted());
                }))
                .isInstanceOf(LeaseLostException.class);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void anInterruptFromOutsidePassesThrough() {
        String name = fresh("outside");
        Thread caller = Thread.currentThread();
        closing(Thread::interrupted);
        assertThatThrownBy(() -> interrupted(here(), name).run(WAIT, lease -> {
                    CompletableFuture<Void> unused = CompletableFuture.runAsync(caller::interrupt);
                    sleep();
                }))
                .isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
        interrupted(here(), name).run(WAIT, lease -> caller.interrupt());
        assertThat(Thread.interrupted()).as("the flag is the caller's").isTrue();
    }

    @Test
    void anInterruptFromOutsideIsKeptIfTheLeaseIsLostLater() {
        String name = fresh("both");
        CountDownLatch lost = new CountDownLatch(2);
        closing(Thread::interrupted);
        assertThatThrownBy(() -> interrupted(here(), name).run(WAIT, lease -> {
                    lease.onLost(loss -> lost.countDown());
                    Thread.currentThread().interrupt();
                    CompletableFuture<Void> unused = broken(here(), name).thenRun(lost::countDown);
                    // The flag would end a wait.
                    while (lost.getCount() > 0) {
                        Thread.onSpinWait();
                    }
                    Thread.sleep(1);
                }))
                .isInstanceOf(InterruptedException.class);
        assertThatThrownBy(() -> interrupted(here(), name).run(WAIT, lease -> {
                    CountDownLatch again = new CountDownLatch(1);
                    lease.onLost(loss -> again.countDown());
                    Thread.currentThread().interrupt();
                    CompletableFuture<Void> unused = broken(here(), name);
                    while (again.getCount() > 0) {
                        Thread.onSpinWait();
                    }
                }))
                .isInstanceOf(LeaseLostException.class);
        assertThat(Thread.interrupted()).as("from outside").isTrue();
    }

    @Test
    void anInterruptFromOutsideThatTheWorkHasAnsweredIsKept() {
        String name = fresh("answered");
        closing(Thread::interrupted);
        assertThatThrownBy(() -> interrupted(here(), name).run(WAIT, lease -> {
                    Thread.currentThread().interrupt();
                    try {
                        sleep();
                    } catch (InterruptedException e) {
                        CompletableFuture<Void> unused = broken(here(), name);
                        await().pollInSameThread()
                                .until(() -> Thread.currentThread().isInterrupted());
                        throw e;
                    }
                }))
                .isInstanceOf(InterruptedException.class);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void noInterruptComesAfterTheWork() {
        String name = fresh("late");
        AtomicBoolean over = new AtomicBoolean();
        closing(() -> over.set(true));
        Dibs dibs = dibs();
        CompletableFuture<Void> breaker = CompletableFuture.runAsync(() -> {
            while (!over.get()) {
                dibs.admin().breakLock(name);
            }
        });
        int losses = 0;
        // A slow machine may need more rounds until a break comes while the lock is held.
        for (int round = 0; round < inFullRun(200, 40) || (losses == 0 && round < MOST); round++) {
            try {
                interrupted(dibs, name).run(WAIT, lease -> Thread.onSpinWait());
            } catch (LeaseLostException e) {
                losses++;
            }
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        }
        over.set(true);
        breaker.join();
        assertThat(losses).as("losses near the end of the work").isPositive();
    }
}
