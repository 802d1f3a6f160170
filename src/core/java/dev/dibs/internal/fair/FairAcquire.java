package dev.dibs.internal.fair;

import dev.dibs.internal.acquire.AcquireLoop;
import dev.dibs.internal.acquire.AcquireOutcome;
import dev.dibs.internal.acquire.Acquirer;
import dev.dibs.internal.acquire.Acquiring;
import dev.dibs.internal.acquire.LeaseRequest;
import dev.dibs.internal.acquire.LockRequest;
import java.time.Duration;

/** Acquires a lock in turn: asks only if nobody waits, or by its place in the queue. */
record FairAcquire(Acquirer acquirer, FairQueue queue, LockRequest lock) implements Acquiring {

    @Override
    public LeaseRequest request() {
        return lock;
    }

    @Override
    public AcquireOutcome acquire(Duration lease, Duration wait) {
        AcquireLoop caller = acquirer.caller(lock, lease, wait);
        try {
            AcquireOutcome attempt = caller.ask(new FairRequest(lock, null), lease.toMillis(), AcquireLoop.ALWAYS);
            return caller.finish(attempt, () -> queue.enter(lock, caller, lease.toMillis()));
        } catch (InterruptedException | RuntimeException | Error e) {
            throw caller.failed(e);
        }
    }
}
