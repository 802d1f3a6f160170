package dev.dibs.servlet.app;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.LeaseLostException;
import dev.dibs.servlet.DibsContextListener;
import dev.dibs.servlet.LockFilter;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Does the work that the request names. */
public final class WorkServlet extends HttpServlet {

    private static final long serialVersionUID = 1;
    private static final long ASYNC_MILLIS = 120_000;
    private static final int LONGEST_HEARTBEAT = 60;
    private static final long SHORT_ASYNC_MILLIS = 500;

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        Desk desk = Desk.of(String.valueOf(request.getParameter("desk")));
        switch (String.valueOf(request.getParameter("do"))) {
            case "login" -> login(request, response);
            case "lease" ->
                say(response, LockFilter.leaseOf(request).map(Lease::name).orElse("none"));
            case "locks" -> say(response, dibs().admin().locks().toString());
            case "break" ->
                say(
                        response,
                        dibs().admin().breakLock(request.getParameter("name")).toString());
            case "stay" -> stay(desk, response);
            case "brief" -> brief(desk, response);
            case "lost" -> lost(desk, request, response);
            case "error" -> throw new ServletException("as it was asked for");
            case "forward" ->
                request.getRequestDispatcher("/refuse/inner?do=lease").forward(request, response);
            case "async" -> async(desk, request);
            case "async-error" -> asyncError(desk, request);
            case "async-again" -> asyncAgain(desk, request);
            case "async-dispatch" -> asyncDispatch(desk, request, "/refuse/inner?do=lease");
            case "async-dispatch-error" -> asyncDispatch(desk, request, "/refuse/inner?do=error");
            case "async-too-long" -> request.startAsync().setTimeout(SHORT_ASYNC_MILLIS);
            default -> throw new ServletException("nobody knows " + request.getParameter("do"));
        }
    }

    private Dibs dibs() {
        return DibsContextListener.of(getServletContext());
    }

    static void say(HttpServletResponse response, String text) throws IOException {
        response.setContentType("text/plain");
        response.setCharacterEncoding("UTF-8");
        response.getWriter().print(text);
    }

    private static void login(HttpServletRequest request, HttpServletResponse response) throws IOException {
        request.getSession().setAttribute("customer", request.getParameter("customer"));
        say(response, request.getSession().getId());
    }

    private static void stay(Desk desk, HttpServletResponse response) throws IOException {
        desk.stay();
        say(response, "done");
    }

    /** Long enough to meet other requests. */
    private static void brief(Desk desk, HttpServletResponse response) throws IOException {
        desk.come();
        try {
            Thread.sleep(ThreadLocalRandom.current().nextInt(5));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            desk.leave();
        }
        say(response, "done");
    }

    /** A servlet that must not go on without its lock. */
    private static void lost(Desk desk, HttpServletRequest request, HttpServletResponse response) throws IOException {
        Lease lease = LockFilter.leaseOf(request).orElseThrow();
        desk.stay();
        try {
            for (int tries = 0; tries < LONGEST_HEARTBEAT && lease.isValid(); tries++) {
                LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
            }
            lease.check();
            say(response, "ours");
        } catch (LeaseLostException e) {
            say(response, "lost");
        }
    }

    private static void async(Desk desk, HttpServletRequest request) {
        AsyncContext context = start(request);
        new Thread(() -> {
                    desk.stay();
                    try {
                        say((HttpServletResponse) context.getResponse(), "done");
                    } catch (IOException e) {
                        throw new IllegalStateException(e);
                    } finally {
                        context.complete();
                    }
                })
                .start();
    }

    /** The servlet fails, but the thread that it has started goes on. */
    private static void asyncError(Desk desk, HttpServletRequest request) throws ServletException {
        async(desk, request);
        throw new ServletException("as it was asked for, after the start");
    }

    /** A second cycle of the same request. */
    private static void asyncAgain(Desk desk, HttpServletRequest request) {
        if (request.getAttribute("again") == null) {
            request.setAttribute("again", true);
            start(request).dispatch();
        } else {
            async(desk, request);
        }
    }

    /** To a servlet that answers, or fails, at once. */
    private static void asyncDispatch(Desk desk, HttpServletRequest request, String path) {
        AsyncContext context = start(request);
        new Thread(() -> {
                    desk.stay();
                    context.dispatch(path);
                })
                .start();
    }

    private static AsyncContext start(HttpServletRequest request) {
        AsyncContext context = request.startAsync();
        context.setTimeout(ASYNC_MILLIS);
        return context;
    }
}
