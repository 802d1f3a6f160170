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

    /** Returns false if it is over already. */
    static boolean whenCompleted(AsyncContext context, Lease lease) {
        try {
            context.addListener(new AsyncRelease(lease));
            return true;
        } catch (IllegalStateException over) {
            return false;
        }
    }

    /** The servlet was dispatched to again, and began another cycle, which knows nothing of this listener. */
    @Override
    public void onStartAsync(AsyncEvent event) {
        if (!whenCompleted(event.getAsyncContext(), lease)) {
            lease.close();
        }
    }

    @Override
    public void onComplete(AsyncEvent event) {
        lease.close();
    }

    /** Is completed by whoever handles it. */
    @Override
    public void onTimeout(AsyncEvent event) {}

    /** It has failed, and a container may forget to say that it is completed then. */
    @Override
    public void onError(AsyncEvent event) {
        lease.close();
    }
}
