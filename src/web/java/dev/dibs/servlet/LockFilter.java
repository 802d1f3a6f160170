package dev.dibs.servlet;

import dev.dibs.Dibs;
import dev.dibs.DibsException;
import dev.dibs.Lease;
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
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Serves one request at a time per key, over all nodes; a key may be a user, a customer or a device. A request that comes meanwhile
 * waits, if that is configured, and then gets 409 or 503 with {@code Retry-After}.
 *
 * <p>The lock is that of {@link Dibs#lock(String, Object)} for the filter's kind and the request's key. It is held from before the
 * call of the servlet until the servlet has returned, or until an asynchronous request is completed. The servlet finds the {@link
 * Lease} by {@link #leaseOf}. A lease may be lost, so commit work that must not happen twice under {@link Lease#guard}. If the request
 * for the lock fails, the answer is 503: no request is served without the lock.
 *
 * <p>Configure it by init parameters ({@code docs/reference/servlet.md} lists them) or by {@link #builder}. Its {@link Dibs} is that of the
 * {@link DibsContextListener}.
 */
@SuppressWarnings("exports")
public final class LockFilter implements Filter {

    /** The attribute of a request with its {@link Lease}. */
    public static final String LEASE = "dev.dibs.Lease";

    private static final System.Logger LOG = System.getLogger("dev.dibs");

    private final @Nullable LockFilterSettings given;
    private volatile @Nullable Gate gate;
    private final AtomicBoolean missed = new AtomicBoolean();

    /** The result of {@link #init}. */
    private record Gate(Dibs dibs, LockFilterSettings settings, String kind, String mark) {}

    /** For a {@code web.xml}: uses the settings of the filter's init parameters. */
    public LockFilter() {
        this(null);
    }

    LockFilter(@Nullable LockFilterSettings given) {
        this.given = given;
    }

    /** For settings in Java. */
    public static LockFilterBuilder builder(LockKey key) {
        return new LockFilterBuilder(key);
    }

    /** The lease of the request; with several filters that of the innermost one; empty if it passed without a lock. */
    public static Optional<Lease> leaseOf(ServletRequest request) {
        return Optional.ofNullable((Lease) request.getAttribute(LEASE));
    }

    /**
     * Reads the settings.
     *
     * @throws ServletException if a setting is wrong, or the application has no {@link Dibs}
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
            refuseWithoutKey(gate, answer);
        }
    }

    /** Logs the first one alone: a stranger may send many. */
    private void refuseWithoutKey(Gate gate, HttpServletResponse response) throws IOException {
        Refusal refusal = Refusal.withoutKey(gate.settings());
        if (!missed.getAndSet(true)) {
            LOG.log(
                    Level.WARNING,
                    "The filter for '" + gate.kind() + "' answers " + refusal.status() + ": " + refusal.message()
                            + ". Send it, or set noKey = pass, or passWithoutKey() in Java, to serve such requests"
                            + " without a lock. Later ones are not logged");
        }
        refusal.send(response);
    }

    @Override
    public void destroy() {
        gate = null;
    }

    /** Whether the request has its lock already. A forward, a dispatch or an error page is a part of the same request. */
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
        } catch (DibsException | IllegalStateException e) {
            // No request is served without the lock. Here the database failed, the thread was interrupted, or the
            // application is
            // ending.
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
            // After an exception the request does not go on, although not every container completes it.
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
