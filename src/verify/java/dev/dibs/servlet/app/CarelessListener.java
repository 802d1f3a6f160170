package dev.dibs.servlet.app;

import dev.dibs.servlet.DibsContextListener;
import jakarta.servlet.ServletContextEvent;
import jakarta.servlet.ServletContextListener;

/** An application that forgets to close its Dibs. */
public final class CarelessListener implements ServletContextListener {

    private final DibsContextListener listener = new DibsContextListener();

    @Override
    public void contextInitialized(ServletContextEvent event) {
        listener.contextInitialized(event);
    }

    /** Only the waiter is ended. */
    @Override
    public void contextDestroyed(ServletContextEvent event) {
        WaiterListener.of(event.getServletContext()).interrupt();
    }
}
