package dev.dibs.servlet.app;

import dev.dibs.NotAcquiredException;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletContextEvent;
import jakarta.servlet.ServletContextListener;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A thread of the application itself, which ends when Dibs does. The listener is declared before that of Dibs, so its end comes after that.
 */
public final class WaiterListener implements ServletContextListener {

    private static final long PATIENCE_MILLIS = 60_000;

    private final AtomicReference<Thread> waiter = new AtomicReference<>();

    static WaiterListener of(ServletContext context) {
        return (WaiterListener) context.getAttribute("waiter");
    }

    void start(Runnable work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (IllegalStateException | NotAcquiredException ended) {
                        Thread.currentThread().interrupt();
                    }
                },
                "waiter");
        waiter.set(thread);
        thread.start();
    }

    void interrupt() {
        Thread thread = waiter.get();
        if (thread != null) {
            thread.interrupt();
        }
    }

    @Override
    public void contextInitialized(ServletContextEvent event) {
        event.getServletContext().setAttribute("waiter", this);
    }

    @Override
    public void contextDestroyed(ServletContextEvent event) {
        Thread thread = waiter.get();
        if (thread != null) {
            try {
                thread.join(PATIENCE_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
