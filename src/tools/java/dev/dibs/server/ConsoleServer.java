package dev.dibs.server;

import dev.dibs.Dibs;
import dev.dibs.DibsException;
import dev.dibs.console.DibsConsole;
import dev.dibs.internal.values.OwnerToken;
import dev.dibs.tokens.OneTimeTokens;
import jakarta.servlet.SessionTrackingMode;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.Wrapper;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.core.StandardContext;
import org.apache.catalina.startup.Tomcat;
import org.apache.catalina.valves.ErrorReportValve;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;
import org.apache.tomcat.util.http.Rfc6265CookieProcessor;
import org.jspecify.annotations.Nullable;

/**
 * Serves the console at 127.0.0.1, to who opens a link that is good once. The links are one-time tokens in the database that the console
 * shows.
 *
 * <p>Safe for use by several threads.
 */
public final class ConsoleServer implements AutoCloseable {

    /** Where the console listens, and no other machine can reach it. */
    public static final String ADDRESS = "127.0.0.1";

    /** For how long a link is good. */
    public static final Duration LINK = Duration.ofMinutes(10);

    private static final String PURPOSE = "dibs-console";
    private static final String ALL = "/*";
    private static final int THREADS = 16;

    /** A browser on this machine sends what it has to say at once. */
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private static final int LONGEST_FORM = 16 * 1024;
    private static final int SESSION_MINUTES = 12 * 60;

    private final Tomcat tomcat;
    private final Path folder;
    private final OneTimeTokens links;
    private final String user;

    /** Where the console is, with a slash at both ends. Cookies are those of a machine, whatever the port: so nobody may guess it. */
    private final String path = "/" + OwnerToken.next() + "/";

    /** The payload of the links: those that another console of the same database has printed are good there alone. */
    private final String id = OwnerToken.next();

    private final AtomicBoolean closed = new AtomicBoolean();

    private ConsoleServer(Tomcat tomcat, Path folder, OneTimeTokens links, String user) {
        this.tomcat = tomcat;
        this.folder = folder;
        this.links = links;
        this.user = user;
    }

    /**
     * Starts it.
     *
     * @param port 0 for one that is free
     * @param user as whom they act who open a link
     * @param mayChange whether they may press buttons
     * @param environment what the pages call the place where they are, such as production; may be empty
     * @throws IOException if the port is taken, or there is no place for its files
     */
    public static ConsoleServer start(Dibs dibs, int port, String user, boolean mayChange, String environment)
            throws IOException {
        Path folder = Files.createTempDirectory("dibs-console");
        OneTimeTokens links = dibs.tokens(PURPOSE);
        ConsoleServer server = new ConsoleServer(tomcat(folder, port), folder, links, user);
        try {
            server.mount(new DibsConsole(dibs), mayChange, environment);
            server.tomcat.start();
            return server;
        } catch (LifecycleException e) {
            server.close();
            throw new IOException(
                    "No console at " + ADDRESS + ":" + port + ": " + rootOf(e).getMessage(), e);
        }
    }

    private static Throwable rootOf(Throwable e) {
        Throwable root = e;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }

    private static Tomcat tomcat(Path folder, int port) {
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(folder.toString());
        // Two of the same name in one JVM get in each other's way: the name is their domain in JMX.
        tomcat.getEngine().setName("dibs-console-" + Integer.toHexString(System.identityHashCode(tomcat)));
        tomcat.setSilent(true);
        Connector connector = new Connector();
        connector.setProperty("address", ADDRESS);
        connector.setProperty("maxThreads", String.valueOf(THREADS));
        connector.setProperty("connectionTimeout", String.valueOf(TIMEOUT.toMillis()));
        connector.setProperty("maxSwallowSize", String.valueOf(LONGEST_FORM));
        connector.setMaxPostSize(LONGEST_FORM);
        connector.setPort(port);
        connector.setThrowOnFailure(true);
        tomcat.setConnector(connector);
        ErrorReportValve errors = new ErrorReportValve();
        errors.setShowReport(false);
        errors.setShowServerInfo(false);
        tomcat.getHost().getPipeline().addValve(errors);
        return tomcat;
    }

    private void mount(DibsConsole console, boolean mayChange, String environment) {
        StandardContext context = (StandardContext) tomcat.addContext("", null);
        // It would look for what an application leaves behind in the JVM; this one ends with it.
        context.setClearReferencesThreadLocals(false);
        context.setClearReferencesRmiTargets(false);
        context.setSessionCookiePath(path);
        context.setSessionCookieName("dibs-console-" + Long.toHexString(System.nanoTime()));
        context.setSessionTimeout(SESSION_MINUTES);
        Rfc6265CookieProcessor cookies = new Rfc6265CookieProcessor();
        cookies.setSameSiteCookies("strict");
        context.setCookieProcessor(cookies);
        context.addServletContainerInitializer(
                (classes, servlets) -> servlets.setSessionTrackingModes(Set.of(SessionTrackingMode.COOKIE)), null);
        context.getPipeline().addValve(new Gate(path));
        FilterDef filter = new FilterDef();
        filter.setFilterName("access");
        filter.setFilter(new LocalAccess(path + Login.PAGE, mayChange));
        context.addFilterDef(filter);
        FilterMap everything = new FilterMap();
        everything.setFilterName("access");
        everything.addURLPattern(ALL);
        context.addFilterMap(everything);
        Tomcat.addServlet(context, "login", new Login(links, id)).addMapping(path + Login.PAGE);
        Tomcat.addServlet(context, "logout", new Logout()).addMapping(path + Logout.PAGE);
        Wrapper servlet = Tomcat.addServlet(context, "console", console);
        servlet.addInitParameter(DibsConsole.ENVIRONMENT, environment);
        servlet.addInitParameter(DibsConsole.SIGN_OUT, Logout.PAGE);
        servlet.addMapping(path + "*");
    }

    /** Where it listens. */
    public int port() {
        return tomcat.getConnector().getLocalPort();
    }

    /** Where it is, without a way in. The path is a secret of this console and its visitors. */
    public String address() {
        return "http://" + ADDRESS + ":" + port() + path;
    }

    /**
     * Makes a link that lets in whoever opens it first.
     *
     * @throws DibsException if it cannot be written down
     */
    public String link() {
        return address() + Login.PAGE + "?token=" + links.issue(user, LINK, id);
    }

    /** Lets nobody in any more, and leaves nothing behind. Does nothing the second time. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        try {
            tomcat.stop();
            tomcat.destroy();
        } catch (LifecycleException e) {
            throw new DibsException("the console did not end: " + e.getMessage(), e);
        } finally {
            delete(folder);
        }
    }

    private static void delete(Path folder) {
        try {
            Files.walkFileTree(folder, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    Files.delete(file);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException e) throws IOException {
                    Files.delete(directory);
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            System.getLogger("dev.dibs").log(System.Logger.Level.DEBUG, "The console has left " + folder, e);
        }
    }
}
