package dev.dibs.examples;

import bookshop.Slow;
import com.zaxxer.hikari.HikariJNDIFactory;
import dev.dibs.Dibs;
import dev.dibs.console.ConsoleAccess;
import dev.dibs.database.DriverDataSource;
import dev.dibs.database.Sql;
import dev.dibs.servlet.DibsContextListener;
import java.net.InetAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.Principal;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.LifecycleState;
import org.apache.catalina.realm.GenericPrincipal;
import org.apache.catalina.realm.RealmBase;
import org.apache.catalina.startup.ContextConfig;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.ContextResource;
import org.apache.tomcat.util.scan.StandardJarScanner;

/** {@code examples/bookshop} with its own web.xml in a Tomcat on 127.0.0.1, and its visitors. */
final class Bookshop implements AutoCloseable {

    static final Duration PATIENCE = Duration.ofSeconds(90);

    private static final Path APPLICATION = Path.of("examples", "bookshop", "src", "main", "webapp");
    private static final String URL = "jdbc:h2:mem:driven-bookshop;DB_CLOSE_DELAY=-1";

    /** It looks for threads that the application has left behind, and finds those of the tests. */
    private static final Logger LOADER = Logger.getLogger("org.apache.catalina.loader.WebappClassLoaderBase");

    private final HttpClient browser =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Tomcat tomcat = new Tomcat();
    private final Context context = new NamingContext();

    Bookshop(Path directory, Slow slow) throws LifecycleException {
        LOADER.setLevel(Level.OFF);
        tomcat.setBaseDir(directory.toString());
        // Two of the same name in one JVM would conflict: the name is their JMX domain.
        tomcat.getEngine().setName("test-" + Integer.toHexString(System.identityHashCode(tomcat)));
        tomcat.setPort(0);
        tomcat.setSilent(true);
        tomcat.getConnector()
                .setProperty("address", InetAddress.getLoopbackAddress().getHostAddress());
        context.setPath("");
        context.setDocBase(APPLICATION.toAbsolutePath().toString());
        ((StandardJarScanner) context.getJarScanner()).setScanClassPath(false);
        context.addLifecycleListener(new ContextConfig());
        context.addServletContainerInitializer(
                (classes, application) -> application.setAttribute(Slow.ATTRIBUTE, slow), null);
        context.getNamingResources().addResource(pool());
        context.setRealm(new Staff());
        tomcat.getHost().addChild(context);
        tomcat.start();
        if (context.getState() != LifecycleState.STARTED) {
            throw new IllegalStateException("the bookshop did not open");
        }
    }

    private static ContextResource pool() {
        ContextResource pool = new ContextResource();
        pool.setName("jdbc/dibs");
        pool.setType("javax.sql.DataSource");
        pool.setCloseMethod("close");
        pool.setProperty("factory", HikariJNDIFactory.class.getName());
        pool.setProperty("jdbcUrl", URL);
        return pool;
    }

    /** Their passwords are their names. */
    private static final class Staff extends RealmBase {
        @Override
        protected String getPassword(String username) {
            return username;
        }

        @Override
        protected Principal getPrincipal(String username) {
            return new GenericPrincipal(username, List.of(username.equals("admin") ? ConsoleAccess.ADMIN : "clerk"));
        }
    }

    Dibs dibs() {
        return DibsContextListener.of(context.getServletContext());
    }

    HttpResponse<String> get(String path, String user) throws Exception {
        return await(send(request(path, user)));
    }

    HttpResponse<String> get(String path) throws Exception {
        return await(ask(path));
    }

    /** Does not wait for the answer. */
    CompletableFuture<HttpResponse<String>> ask(String path) {
        return send(request(path, ""));
    }

    /** Does not wait for the answer. The form is names and values. */
    CompletableFuture<HttpResponse<String>> post(String path, String user, String... form) {
        StringBuilder body = new StringBuilder();
        for (int i = 0; i < form.length; i += 2) {
            body.append(i == 0 ? "" : "&")
                    .append(form[i])
                    .append('=')
                    .append(URLEncoder.encode(form[i + 1], StandardCharsets.UTF_8));
        }
        return send(request(path, user)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString(body.toString())));
    }

    static HttpResponse<String> await(CompletableFuture<HttpResponse<String>> answer) throws Exception {
        return answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    private HttpRequest.Builder request(String path, String user) {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                URI.create("http://" + InetAddress.getLoopbackAddress().getHostAddress() + ":"
                        + tomcat.getConnector().getLocalPort() + path));
        return user.isEmpty()
                ? request
                : request.header(
                        "Authorization",
                        "Basic "
                                + Base64.getEncoder()
                                        .encodeToString((user + ":" + user).getBytes(StandardCharsets.UTF_8)));
    }

    private CompletableFuture<HttpResponse<String>> send(HttpRequest.Builder request) {
        return browser.sendAsync(request.timeout(PATIENCE).build(), BodyHandlers.ofString());
    }

    /** The values in the only column of a query. */
    List<String> find(String sql) throws SQLException {
        return Sql.on(new DriverDataSource(URL, "", "")).texts(sql);
    }

    void execute(String sql) throws SQLException {
        Sql.on(new DriverDataSource(URL, "", "")).run(sql);
    }

    @Override
    public void close() throws LifecycleException, SQLException {
        tomcat.stop();
        tomcat.destroy();
        execute("SHUTDOWN");
    }
}
