package dev.dibs.cdi;

import dev.dibs.Dibs;
import dev.dibs.database.DriverDataSource;
import dev.dibs.database.Sql;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.transaction.Transactional;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;
import org.jboss.weld.environment.servlet.EnhancedListener;

/** A web application with Weld in Tomcat, in a process of its own. */
public final class TomcatMain {

    static final String URL = "jdbc:h2:mem:tomcat;DB_CLOSE_DELAY=-1";

    private TomcatMain() {}

    /** The data source that the application produces. */
    public static class Database {

        /** Without a pool. */
        @Produces
        @Singleton
        public DataSource dataSource() {
            return new DriverDataSource(URL, "sa", "");
        }
    }

    /** Methods under a lock. */
    @ApplicationScoped
    public static class Orders {

        @Inject
        DataSource dataSource;

        /** The locks that are held. */
        @Locked(value = "order", waitFor = "5s")
        public String ship(@LockKey int id) throws SQLException {
            return String.join(",", Sql.on(dataSource).texts("SELECT name FROM dibs_lock WHERE owner IS NOT NULL"));
        }

        /** The same. */
        @Transactional
        @Locked(value = "order", waitFor = "5s")
        public String shipInATransaction(@LockKey int id) throws SQLException {
            return ship(id);
        }
    }

    /** Calls them. */
    public static class OrdersServlet extends HttpServlet {

        private static final long serialVersionUID = 1;

        @Inject
        transient Orders orders;

        @Inject
        transient Dibs dibs;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            String answer;
            try {
                answer = request.getPathInfo().equals("/transaction") ? orders.shipInATransaction(42) : orders.ship(42);
            } catch (SQLException | RuntimeException e) {
                answer = e.toString();
            }
            response.getWriter().print(answer);
            dibs.lock("door").leaseLength(Duration.ofHours(10)).acquire(Duration.ZERO);
        }
    }

    /** Arguments: an empty folder for the application. Prints the answers of the servlet, and the locks that its end leaves. */
    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]);
        Path webInf = Files.createDirectories(folder.resolve("app").resolve("WEB-INF"));
        Files.writeString(webInf.resolve("beans.xml"), "<beans version=\"4.0\" bean-discovery-mode=\"all\"/>");
        for (Class<?> type : new Class<?>[] {TomcatMain.class, Database.class, Orders.class, OrdersServlet.class}) {
            String file = type.getName().replace('.', '/') + ".class";
            Path target = webInf.resolve("classes").resolve(file);
            Files.createDirectories(target.getParent());
            try (InputStream bytes = type.getClassLoader().getResourceAsStream(file)) {
                Files.copy(bytes, target);
            }
        }
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(folder.toString());
        tomcat.setPort(0);
        tomcat.getConnector().setProperty("address", "127.0.0.1");
        Context context = tomcat.addWebapp("", folder.resolve("app").toString());
        context.addServletContainerInitializer(new EnhancedListener(), null);
        Tomcat.addServlet(context, "orders", OrdersServlet.class.getName()).addMapping("/orders/*");
        tomcat.start();
        for (String path : new String[] {"alone", "transaction"}) {
            System.out.println(path + ": " + get(tomcat.getConnector().getLocalPort(), path));
        }
        tomcat.stop();
        System.out.println("left: "
                + Sql.on(new DriverDataSource(URL, "sa", ""))
                        .texts("SELECT name FROM dibs_lock WHERE owner IS NOT NULL"));
    }

    private static String get(int port, String path) throws IOException, InterruptedException {
        URI uri = URI.create("http://127.0.0.1:" + port + "/orders/" + path);
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString())
                .body();
    }
}
