package dev.dibs.examples;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.Once;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** One of several nodes of an application: a JVM with a Tomcat and a Dibs of its own. */
public final class BestSellersNode {

    static final Duration PERIOD = Duration.ofSeconds(8);
    static final long MAKING_MILLIS = 3_000;

    private BestSellersNode() {}

    /** Arguments: url, user, password, directory, name. Then, by standard input, "forget" or "report". */
    public static void main(String[] args) throws Exception {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(args[0]);
        config.setUsername(args[1]);
        config.setPassword(args[2]);
        config.setMaximumPoolSize(10);
        try (HikariDataSource pool = new HikariDataSource(config);
                Dibs dibs = Dibs.on(pool)) {
            TimedServlet[] timed = new TimedServlet[2];
            Once shared = dibs.once(args[4], "shared").every(PERIOD);
            timed[0] = new TimedServlet(new BestSellersServlet(
                    shared, new ListTable(pool), () -> slowQuery(pool, shared.name(), timed[0])));
            Once plain = dibs.once(args[4], "plain").every(PERIOD);
            timed[1] = new TimedServlet(
                    new PlainBestSellersServlet(plain, pool, () -> slowQuery(pool, plain.name(), timed[1])));
            try (WebServer web = new WebServer(Path.of(args[3]), Map.of("/shared", timed[0], "/plain", timed[1]))) {
                System.out.println("READY " + web.url());
                obey(timed);
            }
        }
    }

    private static void obey(TimedServlet[] timed) throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            if (line.equals("forget")) {
                timed[0].forget();
                timed[1].forget();
                System.out.println("FORGOTTEN");
            } else {
                System.out.println("WAITED " + timed[0].report() + " " + timed[1].report());
            }
        }
    }

    /** Counts itself in a table. The list says how many there were. */
    private static String slowQuery(HikariDataSource pool, String name, TimedServlet servlet) throws SQLException {
        TimedServlet.making(servlet);
        try (Connection connection = pool.getConnection();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO made (name) VALUES (?)");
                PreparedStatement count = connection.prepareStatement("SELECT count(*) FROM made WHERE name = ?")) {
            insert.setString(1, name);
            insert.executeUpdate();
            TimeUnit.MILLISECONDS.sleep(MAKING_MILLIS);
            count.setString(1, name);
            try (ResultSet row = count.executeQuery()) {
                row.next();
                return "list " + row.getInt(1);
            }
        } catch (InterruptedException e) {
            throw new SQLException(e);
        }
    }
}
