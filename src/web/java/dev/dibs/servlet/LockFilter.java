package dev.dibs.servlet;

import dev.dibs.Dibs;
import dev.dibs.DibsException;
import dev.dibs.Lease;
import dev.dibs.NotAcquiredException;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.FilterConfig;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Serves one request at a time per key, over all nodes: of a user, a customer, a device. Who comes meanwhile waits for a while, if so
 * configured, and then gets 409 or 503, with {@code Retry-After}.
 *
 * <p>The lock is the one that {@link Dibs#lock(String, Object)} has for the filter's kind and the request's key, held from before the
 * servlet is called until it has returned, or an asynchronous request is completed. The servlet finds the {@link Lease} by {@link
 * #leaseOf}: a lease may be lost, so what must not be done twice is committed under {@link Lease#guard}. If the lock cannot be asked
 * for, the answer is 503: no request is served without it.
 *
 * <p>Configured by init parameters ({@code docs/servlet.md} has all of them) or by {@link #builder}. It takes its {@link Dibs} from
 * the {@link DibsContextListener}.
 */
@SuppressWarnings("exports")
public final class LockFilter implements Filter {

    /** The attribute of a request that has the {@link Lease} it is served under. */
    public static final String LEASE = "dev.dibs.Lease";

    private static final System.Logger LOG = System.getLogger("dev.dibs");

    private final @Nullable LockFilterSettings given;
    private volatile @Nullable Gate gate;

    /** What {@link #init} finds out. */
    private record Gate(Dibs dibs, LockFilterSettings settings, String kind, String mark) {}

    /** For a {@code web.xml}: with the settings of the filter's init parameters. */
    public LockFilter() {
        this(null);
    }

    LockFilter(@Nullable LockFilterSettings given) {
        this.given = given;
    }

    /** For an application that makes its settings in Java. */
    public static LockFilterBuilder builder(LockKey key) {
        return new LockFilterBuilder(key);
    }

    /** The lease that the request is served under; of several the innermost filter's; empty if it went through without one. */
    public static Optional<Lease> leaseOf(ServletRequest request) {
        return Optional.ofNullable((Lease) request.getAttribute(LEASE));
    }

    /**
     * Reads the settings.
     *
     * @throws ServletException if one is wrong, or the application has no {@link Dibs}
     */
    @Override
    public void init(FilterConfig config) throws ServletException {
        LockFilterSettings settings = FilterParameters.of(config, given);
        try {
            Dibs dibs = DibsContextListener.of(config.getServletContext());
            String kind = settings.kind() == null ? config.getFilterName() : settings.kind();
            gate = new Gate(dibs, settings, LockFilterBuilder.checkKind(kind), mark(config));
        } catch (IllegalStateException | IllegalArgumentException e) {
            throw new ServletException("The filter " + config.getFilterName() + ": " + e.getMessage(), e);
        }
    }

    private static String mark(FilterConfig config) {
        return LockFilter.class.getName() + "." + config.getFilterName();
    }

    /** Serves the request under its lock, or refuses it. */
    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        Gate gate = this.gate;
        if (gate == null) {
            throw new ServletException("This filter was not initialized");
        }
        if (!(request instanceof HttpServletRequest http) || !(response instanceof HttpServletResponse answer)) {
            throw new ServletException("This filter is for HTTP alone");
        }
        if (isServed(gate, http) || !gate.settings().locks(http.getMethod())) {
            chain.doFilter(http, answer);
            return;
        }
        String key = gate.settings().key().of(http);
        if (key != null && !key.isEmpty()) {
            serveUnderLock(gate, key, http, answer, chain);
        } else if (gate.settings().passesWithoutKey()) {
            chain.doFilter(http, answer);
        } else {
            Refusal.WITHOUT_KEY.send(answer);
        }
    }

    @Override
    public void destroy() {
        gate = null;
    }

    /** What a request that has its lock forwards to, or is dispatched to, is a part of it; so is the page that shows its error. */
    private static boolean isServed(Gate gate, HttpServletRequest request) {
        return request.getAttribute(gate.mark()) != null || request.getDispatcherType() == DispatcherType.ERROR;
    }

    private static void serveUnderLock(
            Gate gate, String key, HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        LockFilterSettings settings = gate.settings();
        Optional<Lease> lease;
        try {
            lease = gate.dibs()
                    .lock(gate.kind(), KeyText.of(key, settings.isSecret()))
                    .tryAcquire(settings.longestWait());
        } catch (DibsException | NotAcquiredException | IllegalStateException e) {
            // Not without the lock: the database cannot be asked, the thread is to end, or the application is ending.
            LOG.log(Level.WARNING, "A request was refused, since its lock could not be asked for: " + e.getMessage());
            Refusal.unavailable(settings).send(response);
            return;
        }
        if (lease.isPresent()) {
            serve(gate, lease.get(), request, response, chain);
        } else {
            Refusal.busy(settings).send(response);
        }
    }

    private static void serve(
            Gate gate, Lease lease, HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        Object outer = request.getAttribute(LEASE);
        boolean goesOn = false;
        try {
            lease.onLost(lost -> LOG.log(Level.WARNING, "While a request was served: " + lost.getMessage()));
            request.setAttribute(LEASE, lease);
            request.setAttribute(gate.mark(), lease);
            chain.doFilter(request, response);
            // After an exception nothing goes on: not every container completes such a request.
            goesOn = request.isAsyncStarted() && AsyncRelease.whenCompleted(request.getAsyncContext(), lease);
        } finally {
            if (!goesOn) {
                lease.close();
                request.removeAttribute(gate.mark());
                request.setAttribute(LEASE, outer);
            }
        }
    }
}
