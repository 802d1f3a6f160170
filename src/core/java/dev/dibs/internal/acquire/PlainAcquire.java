package dev.dibs.internal.acquire;

import java.time.Duration;

/** Asks; if it is busy, waits and asks again. */
public record PlainAcquire(Acquirer acquirer, LeaseRequest request) implements Acquiring {

    @Override
    public AcquireOutcome acquire(Duration lease, Duration wait) {
        AcquireLoop loop = acquirer.loop(request, lease, wait);
        try {
            return loop.finish(
                    loop.ask(request, lease.toMillis(), AcquireLoop.IF_BUSY),
                    () -> () -> loop.ask(request, lease.toMillis(), AcquireLoop.IF_BUSY));
        } catch (InterruptedException | RuntimeException | Error e) {
            throw loop.failed(e);
        }
    }
}
