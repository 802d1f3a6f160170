package dev.dibs.servlet.app;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.LifecycleState;
import org.apache.catalina.startup.ContextConfig;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.ContextResource;
import org.apache.tomcat.util.scan.StandardJarScanner;

/** A Tomcat on 127.0.0.1 with the application of {@code servlet/web.xml}; prints its address. Arguments: a directory for its files. */
public final class WebAppMain {

    private WebAppMain() {}

    public static void main(String[] args) throws IOException, LifecycleException {
        Path directory = Path.of(args[0]);
        Path descriptor = Files.createDirectories(directory.resolve("app").resolve("WEB-INF"))
                .resolve("web.xml");
        try (InputStream source = WebAppMain.class.getResourceAsStream("/servlet/web.xml")) {
            Files.copy(source, descriptor);
        }
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(directory.toString());
        tomcat.setPort(0);
        tomcat.enableNaming();
        String host = InetAddress.getLoopbackAddress().getHostAddress();
        tomcat.getConnector().setProperty("address", host);
        Context context =
                tomcat.addContext("/app", descriptor.getParent().getParent().toString());
        ((StandardJarScanner) context.getJarScanner()).setScanClassPath(false);
        context.addLifecycleListener(new ContextConfig());
        context.addServletContainerInitializer(new AddedFilters(), null);
        context.getNamingResources().addResource(pool());
        tomcat.start();
        if (context.getState() != LifecycleState.STARTED) {
            throw new IllegalStateException("the application did not start");
        }
        System.out.println("READY http://" + host + ":" + tomcat.getConnector().getLocalPort() + "/app");
        tomcat.getServer().await();
    }

    static ContextResource pool() {
        ContextResource resource = new ContextResource();
        resource.setName("jdbc/shop");
        resource.setType("javax.sql.DataSource");
        resource.setProperty("factory", PoolFactory.class.getName());
        return resource;
    }
}
