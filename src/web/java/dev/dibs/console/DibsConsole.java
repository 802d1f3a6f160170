package dev.dibs.console;

import dev.dibs.Dibs;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A console in a servlet container: locks, once-guards, runs, tokens and health, with buttons to act on them. Mount it anywhere,
 * for example at {@code /console/*}. It shows nothing without one of the roles {@link ConsoleAccess#VIEWER} and {@link
 * ConsoleAccess#ADMIN}.
 *
 * <p>All visitors share its answers from the database: it sends five statements a second at most, for any number of visitors. Its
 * threads end some seconds after the last visit, and with the servlet.
 */
@SuppressWarnings("exports")
public final class DibsConsole extends HttpServlet {

    /** The name under which the console finds a {@link Dibs} in the servlet context. */
    public static final String ATTRIBUTE = "dev.dibs.Dibs";

    /** The init parameter with the name of the environment, such as production. It is in the head and the title of each page. */
    public static final String ENVIRONMENT = "environment";

    /**
     * The init parameter with the address, relative to the console's pages, that ends a session on POST. With it each page has a
     * button to sign out.
     */
    public static final String SIGN_OUT = "signOut";

    private static final long serialVersionUID = 1;

    /** Allows only the console's own style and script, and no frame around it. */
    private static final String POLICY = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self';"
            + " form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

    /** The pages of one instance. */
    private record Crew(Dibs dibs, Pages pages) {}

    private final transient @Nullable Dibs given;
    private final transient AccessCheck access;
    private final transient LongSupplier nanos;
    private final transient Duration patience;
    private final transient AtomicReference<@Nullable Crew> crew = new AtomicReference<>();

    /** Uses the {@link Dibs} in the servlet context, under {@link #ATTRIBUTE}; the container decides on roles. For web.xml. */
    public DibsConsole() {
        this(HttpServletRequest::isUserInRole);
    }

    /** Uses the {@link Dibs} in the servlet context, under {@link #ATTRIBUTE}. */
    public DibsConsole(ConsoleAccess access) {
        this(access, null, System::nanoTime, Snapshot.PATIENCE);
    }

    /** Uses this {@link Dibs}; the container decides on roles. */
    public DibsConsole(Dibs dibs) {
        this(dibs, HttpServletRequest::isUserInRole);
    }

    /** Uses this {@link Dibs}. The caller closes it. */
    public DibsConsole(Dibs dibs, ConsoleAccess access) {
        this(access, dibs, System::nanoTime, Snapshot.PATIENCE);
    }

    /** For tests: with their own clock and patience. */
    DibsConsole(ConsoleAccess access, @Nullable Dibs given, LongSupplier nanos, Duration patience) {
        this.patience = patience;
        this.given = given;
        this.access = new AccessCheck(access);
        this.nanos = nanos;
    }

    @Override
    @SuppressWarnings("exports")
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String page = Requests.page(request);
        if (page == null) {
            // Without the slash, the relative links would lead elsewhere.
            send(response, Answer.redirect(Requests.withSlash(request)));
            return;
        }
        Answer asset = Assets.get(page);
        send(response, asset == null ? page(request, page) : asset);
    }

    private Answer page(HttpServletRequest request, String page) {
        PageRequest pageRequest = access.pageRequest(request, page);
        if (!access.mayView(request)) {
            return MessagePages.refused(pageRequest, ConsoleAccess.VIEWER);
        }
        Pages pages = pages();
        if (pages == null) {
            return MessagePages.noDibs(pageRequest);
        }
        return pages.get(pageRequest);
    }

    @Override
    @SuppressWarnings("exports")
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String page = Requests.page(request);
        send(response, page == null || !Actions.ALL.contains(page) ? notAllowed() : press(request, page));
    }

    private Answer press(HttpServletRequest request, String page) {
        PageRequest pageRequest = access.pageRequest(request, page);
        if (!pageRequest.who().admin()) {
            Actions.refuse(pageRequest, "no role " + ConsoleAccess.ADMIN);
            return MessagePages.refused(pageRequest, ConsoleAccess.ADMIN);
        }
        if (!access.isOurs(request, pageRequest)) {
            Actions.refuse(pageRequest, "not sent by a button of the console");
            return MessagePages.forged(pageRequest);
        }
        Pages pages = pages();
        if (pages == null) {
            return MessagePages.noDibs(pageRequest);
        }
        Actions.Done done = pages.actions().press(pageRequest);
        access.keep(request, done.message());
        return Answer.redirect(done.page());
    }

    @Override
    @SuppressWarnings("exports")
    protected void doTrace(HttpServletRequest request, HttpServletResponse response) throws IOException {
        send(response, notAllowed());
    }

    private static Answer notAllowed() {
        return new Answer(405, Answer.TEXT, "There is no such button\n", java.util.Map.of("Allow", "GET, HEAD"));
    }

    private String parameter(String name) {
        String value = getInitParameter(name);
        return value == null ? "" : value.strip();
    }

    /** The pages of the instance that is in the context now; it may have changed. */
    private @Nullable Pages pages() {
        Dibs dibs = given != null
                ? given
                : getServletContext().getAttribute(ATTRIBUTE) instanceof Dibs found ? found : null;
        if (dibs == null) {
            return null;
        }
        Crew known = crew.updateAndGet(before -> before != null && before.dibs() == dibs
                ? before
                : new Crew(
                        dibs,
                        new Pages(new Snapshot(dibs, nanos, patience), parameter(ENVIRONMENT), parameter(SIGN_OUT))));
        return known == null ? null : known.pages();
    }

    /** Ends the console's threads. */
    @Override
    public void destroy() {
        Crew last = crew.getAndSet(null);
        if (last != null) {
            last.pages().close();
        }
    }

    private static void send(HttpServletResponse response, Answer answer) throws IOException {
        response.setStatus(answer.status());
        response.setHeader("Cache-Control", "no-store");
        response.setHeader("Content-Security-Policy", POLICY);
        response.setHeader("X-Content-Type-Options", "nosniff");
        response.setHeader("X-Frame-Options", "DENY");
        response.setHeader("Referrer-Policy", "same-origin");
        answer.headers().forEach(response::setHeader);
        byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
        response.setContentType(answer.type());
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }
}
