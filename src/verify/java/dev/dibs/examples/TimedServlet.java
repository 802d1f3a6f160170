package dev.dibs.examples;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Locale;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/** How long another servlet keeps its visitors: without the one who made the list, and without the way over the network. */
final class TimedServlet extends HttpServlet {

    private static final long serialVersionUID = 1;
    private static final double PERMITTED = 50;

    private final transient HttpServlet servlet;
    private final transient Queue<Double> millis = new ConcurrentLinkedQueue<>();
    private final transient Set<Thread> makers = ConcurrentHashMap.newKeySet();

    TimedServlet(HttpServlet servlet) {
        this.servlet = servlet;
    }

    /** The thread that calls is one that makes the list. */
    static void making(TimedServlet servlet) {
        servlet.makers.add(Thread.currentThread());
    }

    void forget() {
        millis.clear();
    }

    /** Visitors, p99 and longest wait in ms, visitors who waited longer than 50 ms. */
    String report() {
        double[] sorted =
                millis.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int last = sorted.length - 1;
        long over = millis.stream().filter(wait -> wait > PERMITTED).count();
        return String.format(
                Locale.ROOT, "%d %.1f %.1f %d", sorted.length, sorted[(int) (last * 0.99)], sorted[last], over);
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        long start = System.nanoTime();
        servlet.service(request, response);
        double wait = (System.nanoTime() - start) / 1e6;
        if (!makers.remove(Thread.currentThread())) {
            millis.add(wait);
        }
    }
}
