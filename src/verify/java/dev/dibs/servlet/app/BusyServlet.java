package dev.dibs.servlet.app;

import dev.dibs.Dibs;
import dev.dibs.servlet.DibsContextListener;
import dev.dibs.servlet.LockFilter;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;

/** Uses all of Dibs, and leaves an open lease and a waiter when its application ends. */
public final class BusyServlet extends HttpServlet {

    private static final long serialVersionUID = 1;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Dibs dibs = DibsContextListener.of(getServletContext());
        String name = LockFilter.leaseOf(request).orElseThrow().name();
        dibs.lock("held").acquire(Duration.ofMinutes(1)).onLost(lost -> {});
        WaiterListener.of(getServletContext()).start(() -> dibs.lock("held").acquire(Duration.ofHours(1)));
        dibs.semaphore("some", 2).tryAcquire();
        dibs.readWriteLock("data").read().tryRun(lease -> lease.check());
        dibs.once("daily").every(Duration.ofMillis(100)).tryRun(lease -> {});
        dibs.tokens("reset").consume(dibs.tokens("reset").issue("7", Duration.ofMinutes(1)));
        WorkServlet.say(response, name);
    }
}
