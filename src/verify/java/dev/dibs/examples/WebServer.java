package dev.dibs.examples;

import jakarta.servlet.http.HttpServlet;
import java.io.CharArrayWriter;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.startup.Tomcat;
import org.apache.catalina.valves.AbstractAccessLogValve;

/** A Tomcat on 127.0.0.1, with an access log that leaves out the queries. */
final class WebServer implements AutoCloseable {

    /** It looks for threads that the application has left behind, and finds those of the tests. */
    private static final Logger LOADER = Logger.getLogger("org.apache.catalina.loader.WebappClassLoaderBase");

    private static final String WITHOUT_QUERY = "%m %U %s";

    private final Tomcat tomcat = new Tomcat();
    private final List<String> log = new CopyOnWriteArrayList<>();

    WebServer(Path directory, Map<String, HttpServlet> servlets) throws LifecycleException {
        LOADER.setLevel(Level.OFF);
        tomcat.setBaseDir(directory.toString());
        // Two of the same name in one JVM would conflict: the name is their JMX domain.
        tomcat.getEngine().setName("test-" + Integer.toHexString(System.identityHashCode(tomcat)));
        tomcat.setPort(0);
        tomcat.setSilent(true);
        tomcat.getConnector()
                .setProperty("address", InetAddress.getLoopbackAddress().getHostAddress());
        Context context = tomcat.addContext("", directory.toString());
        servlets.forEach(
                (path, servlet) -> Tomcat.addServlet(context, path, servlet).addMapping(path));
        AbstractAccessLogValve valve = new AbstractAccessLogValve() {
            @Override
            protected void log(CharArrayWriter line) {
                log.add(line.toString());
            }
        };
        valve.setPattern(WITHOUT_QUERY);
        context.getPipeline().addValve(valve);
        tomcat.start();
    }

    String url() {
        return "http://" + InetAddress.getLoopbackAddress().getHostAddress() + ":"
                + tomcat.getConnector().getLocalPort();
    }

    List<String> log() {
        return log;
    }

    @Override
    public void close() throws LifecycleException {
        tomcat.stop();
        tomcat.destroy();
    }
}
