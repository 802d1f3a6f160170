package dev.dibs.internal.acquire;

import java.time.Duration;

/** Asks; if it is busy, waits and asks again. */
public record PlainAcquire(Acquirer acquirer, LeaseRequest request) implements Acquiring {

    @Override
    public AcquireOutcome acquire(Duration lease, Duration wait) {
        AcquireLoop caller = acquirer.caller(request, lease, wait);
        try {
            return caller.finish(
                    caller.ask(request, lease.toMillis(), AcquireLoop.IF_BUSY),
                    () -> () -> caller.ask(request, lease.toMillis(), AcquireLoop.IF_BUSY));
        } catch (InterruptedException | RuntimeException | Error e) {
            throw caller.failed(e);
        }
    }
}
