package dev.dibs.servlet;

import dev.dibs.Lease;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;

/** Keeps the lock of a request that goes on after the servlet has returned, until the container reports that it is completed. */
final class AsyncRelease implements AsyncListener {

    private final Lease lease;

    private AsyncRelease(Lease lease) {
        this.lease = lease;
    }

    /** Returns false if the request is over already. */
    static boolean whenCompleted(AsyncContext context, Lease lease) {
        try {
            context.addListener(new AsyncRelease(lease));
            return true;
        } catch (IllegalStateException over) {
            return false;
        }
    }

    /** The request was dispatched again and began another asynchronous cycle, which does not have this listener. */
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

    /** The code that handles the timeout completes the request. */
    @Override
    public void onTimeout(AsyncEvent event) {}

    /** The request has failed, and a container may not report its completion then. */
    @Override
    public void onError(AsyncEvent event) {
        lease.close();
    }
}
