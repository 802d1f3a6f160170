package dev.dibs.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.pages.JavaBlocks;
import dev.dibs.pages.Page;
import dev.dibs.servlet.DibsContextListener;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.catalina.Context;
import org.apache.catalina.core.StandardContext;
import org.apache.catalina.startup.ContextConfig;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.scan.StandardJarScanner;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The three files of docs/situations/servlet-application.md, in a Tomcat. */
@Tag("flow")
@Timeout(300)
class ServletPageTest {

    private static final Page PAGE = Page.of("docs", "situations", "servlet-application.md");

    /** It looks for threads that the application has left behind, and finds those of H2 and of other tests. */
    private static final Logger LOADER = Logger.getLogger("org.apache.catalina.loader.WebappClassLoaderBase");

    private final HttpClient browser = HttpClient.newHttpClient();
    private final Tomcat tomcat = new Tomcat();

    @TempDir
    private Path folder;

    @Test
    void oneRequestOfACustomerAtATime() throws Exception {
        Context context = deploy();
        try {
            HttpResponse<String> served = post("X-Customer", "42");
            assertThat(served.body()).isEqualTo(PAGE.blocks("text").get(0).code());
            Dibs dibs = DibsContextListener.of(context.getServletContext());
            try (Lease held = dibs.lock("sync", "42").acquire(Duration.ZERO)) {
                HttpResponse<String> busy = post("X-Customer", "42");
                assertThat(busy.statusCode()).isEqualTo(409);
                assertThat(busy.headers().firstValue("Retry-After")).isPresent();
                assertThat(post("X-Customer", "43").statusCode()).isEqualTo(200);
                held.check();
            }
            assertThat(post("X-Other", "42").statusCode()).isEqualTo(400);
        } finally {
            tomcat.stop();
            tomcat.destroy();
        }
    }

    private Context deploy() throws Exception {
        Path web = Files.createDirectories(folder.resolve("app/WEB-INF"));
        List<Page.Block> xml = PAGE.blocks("xml");
        Files.writeString(web.resolve("web.xml"), xml.get(0).code());
        Path settings = Files.writeString(
                folder.resolve("context.xml"), xml.get(1).code().replace("./demo", folder + "/demo"));
        Path classes = web.resolve("classes");
        assertThat(new JavaBlocks(classes, Around.class, List.of()).refused(PAGE.blocks("java")))
                .isEmpty();

        LOADER.setLevel(Level.OFF);
        tomcat.setBaseDir(folder.resolve("tomcat").toString());
        tomcat.getEngine().setName("page-" + Integer.toHexString(System.identityHashCode(tomcat)));
        tomcat.setPort(0);
        tomcat.setSilent(true);
        tomcat.getConnector()
                .setProperty("address", InetAddress.getLoopbackAddress().getHostAddress());
        StandardContext context = new NamingContext();
        context.setPath("");
        context.setDocBase(folder.resolve("app").toString());
        context.setConfigFile(settings.toUri().toURL());
        ((StandardJarScanner) context.getJarScanner()).setScanClassPath(false);
        context.addLifecycleListener(new ContextConfig());
        tomcat.getHost().addChild(context);
        tomcat.start();
        return context;
    }

    private HttpResponse<String> post(String header, String value) throws IOException, InterruptedException {
        URI place = URI.create("http://" + InetAddress.getLoopbackAddress().getHostAddress() + ":"
                + tomcat.getConnector().getLocalPort() + "/sync/");
        return browser.send(
                HttpRequest.newBuilder(place)
                        .header(header, value)
                        .timeout(Duration.ofSeconds(60))
                        .POST(BodyPublishers.noBody())
                        .build(),
                BodyHandlers.ofString());
    }
}
