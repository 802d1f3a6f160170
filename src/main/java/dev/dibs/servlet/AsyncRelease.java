package dev.dibs.servlet;

import dev.dibs.Lease;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;

/** Keeps the lock of a request that goes on after the servlet has returned, until the container says that it is completed. */
final class AsyncRelease implements AsyncListener {

    private final Lease lease;

    private AsyncRelease(Lease lease) {
        this.lease = lease;
    }

    static void whenCompleted(AsyncContext context, Lease lease) {
        try {
            context.addListener(new AsyncRelease(lease));
        } catch (IllegalStateException over) {
            lease.close();
        }
    }

    /** The servlet was dispatched to again, and began another cycle, which knows nothing of this listener. */
    @Override
    public void onStartAsync(AsyncEvent event) {
        whenCompleted(event.getAsyncContext(), lease);
    }

    @Override
    public void onComplete(AsyncEvent event) {
        lease.close();
    }

    /** Is completed by whoever handles it. */
    @Override
    public void onTimeout(AsyncEvent event) {}

    /** Is completed by whoever handles it. */
    @Override
    public void onError(AsyncEvent event) {}
}
