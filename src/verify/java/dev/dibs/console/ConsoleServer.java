package dev.dibs.console;

import jakarta.servlet.Servlet;
import java.net.InetAddress;
import java.nio.file.Path;
import java.security.Principal;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.Wrapper;
import org.apache.catalina.authenticator.BasicAuthenticator;
import org.apache.catalina.realm.GenericPrincipal;
import org.apache.catalina.realm.RealmBase;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.LoginConfig;
import org.apache.tomcat.util.descriptor.web.SecurityCollection;
import org.apache.tomcat.util.descriptor.web.SecurityConstraint;

/** A Tomcat on 127.0.0.1 with the users viewer, admin and other, whose passwords are their names. */
final class ConsoleServer implements AutoCloseable {

    /** It looks for threads that the application has left behind, and finds those of the tests. */
    private static final Logger LOADER = Logger.getLogger("org.apache.catalina.loader.WebappClassLoaderBase");

    private static final Map<String, List<String>> USERS = Map.of(
            "viewer", List.of(ConsoleAccess.VIEWER), "admin", List.of(ConsoleAccess.ADMIN), "other", List.of("other"));

    private final Tomcat tomcat = new Tomcat();

    /** Either any user may visit it, whatever their roles, or there is no sign-in. */
    ConsoleServer(Path directory, String contextPath, String mapping, Servlet console, boolean login)
            throws LifecycleException {
        LOADER.setLevel(Level.OFF);
        tomcat.setBaseDir(directory.toString());
        // Two of the same name in one JVM would conflict: the name is their JMX domain.
        tomcat.getEngine().setName("test-" + Integer.toHexString(System.identityHashCode(tomcat)));
        tomcat.setPort(0);
        tomcat.setSilent(true);
        tomcat.getConnector()
                .setProperty("address", InetAddress.getLoopbackAddress().getHostAddress());
        Context context = tomcat.addContext(contextPath, directory.toString());
        Wrapper servlet = Tomcat.addServlet(context, "console", console);
        servlet.addInitParameter(DibsConsole.ENVIRONMENT, "staging");
        servlet.addMapping(mapping);
        if (login) {
            askForAUser(context);
        }
        tomcat.start();
    }

    private static void askForAUser(Context context) {
        SecurityConstraint constraint = new SecurityConstraint();
        constraint.addAuthRole("**");
        SecurityCollection all = new SecurityCollection();
        all.addPattern("/*");
        constraint.addCollection(all);
        context.addConstraint(constraint);
        context.setLoginConfig(new LoginConfig("BASIC", "tests", null, null));
        context.setRealm(new Users());
        context.getPipeline().addValve(new BasicAuthenticator());
    }

    private static final class Users extends RealmBase {
        @Override
        protected String getPassword(String username) {
            return username;
        }

        @Override
        protected Principal getPrincipal(String username) {
            return new GenericPrincipal(username, USERS.get(username));
        }
    }

    void attribute(String name, Object value) {
        ((Context) tomcat.getHost().findChildren()[0]).getServletContext().setAttribute(name, value);
    }

    String url() {
        return "http://" + InetAddress.getLoopbackAddress().getHostAddress() + ":"
                + tomcat.getConnector().getLocalPort();
    }

    @Override
    public void close() throws LifecycleException {
        tomcat.stop();
        tomcat.destroy();
    }
}
