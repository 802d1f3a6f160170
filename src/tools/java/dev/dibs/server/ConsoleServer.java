package dev.dibs.server;

import dev.dibs.Dibs;
import dev.dibs.DibsException;
import dev.dibs.console.DibsConsole;
import dev.dibs.internal.values.OwnerToken;
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
 * Serves the console at 127.0.0.1, to the first person that opens its link. It writes nothing into the database to sign a visitor
 * in.
 *
 * <p>Safe for use by several threads.
 */
public final class ConsoleServer implements AutoCloseable {

    /** The address of the console, which no other machine can reach. */
    public static final String ADDRESS = "127.0.0.1";

    /** How long a link is valid. */
    public static final Duration LINK = Duration.ofMinutes(10);

    private static final String ALL = "/*";
    private static final int THREADS = 16;

    /** A browser on this machine sends its whole request at once. */
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private static final int LONGEST_FORM = 16 * 1024;
    private static final int SESSION_MINUTES = 12 * 60;

    private final Tomcat tomcat;
    private final Path folder;
    private final LoginLinks links = new LoginLinks(LINK, System::nanoTime);
    private final String user;

    /**
     * The path of the console, with a slash at both ends. It is secret, because cookies do not depend on the port: other servers of this
     * machine share them.
     */
    private final String path = "/" + OwnerToken.next() + "/";

    private final AtomicBoolean closed = new AtomicBoolean();

    private ConsoleServer(Tomcat tomcat, Path folder, String user) {
        this.tomcat = tomcat;
        this.folder = folder;
        this.user = user;
    }

    /**
     * Starts it.
     *
     * @param port 0 for a free one
     * @param user the user as whom visitors act
     * @param mayChange whether visitors may press buttons
     * @param environment the pages' name for this environment, such as production; may be empty
     * @throws IOException if the port is in use, or its files cannot be written
     */
    public static ConsoleServer start(Dibs dibs, int port, String user, boolean mayChange, String environment)
            throws IOException {
        Path folder = Files.createTempDirectory(
                "dibs-console-" + ProcessHandle.current().pid() + "-");
        ConsoleServer server = new ConsoleServer(tomcat(folder, port), folder, user);
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
        // Two of the same name in one JVM would conflict: the name is their JMX domain.
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
        // Tomcat would look for an application's leftovers in the JVM; this JVM ends with it.
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
        Tomcat.addServlet(context, "login", new Login(links, user)).addMapping(path + Login.PAGE);
        Tomcat.addServlet(context, "logout", new Logout()).addMapping(path + Logout.PAGE);
        Wrapper servlet = Tomcat.addServlet(context, "console", console);
        servlet.addInitParameter(DibsConsole.ENVIRONMENT, environment);
        servlet.addInitParameter(DibsConsole.SIGN_OUT, Logout.PAGE);
        servlet.addMapping(path + "*");
    }

    /** The port on which it listens. */
    public int port() {
        return tomcat.getConnector().getLocalPort();
    }

    /** The address without a login. The path is a secret of this console and its visitors. */
    public String address() {
        return "http://" + ADDRESS + ":" + port() + path;
    }

    /** Makes a link for the first person that opens it. */
    public String link() {
        return address() + Login.PAGE + "?token=" + links.next();
    }

    /** Stops the server and removes its files. Does nothing the second time. */
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
