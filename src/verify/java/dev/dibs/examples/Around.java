package dev.dibs.examples;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.LeaseInfo;
import dev.dibs.ReadWriteLock;
import dev.dibs.claims.Claim;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.RowClaims;
import dev.dibs.pages.Reader;
import dev.dibs.tokens.OneTimeTokens;
import jakarta.servlet.ServletContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.sql.Connection;
import java.sql.ResultSet;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import javax.sql.DataSource;

/** What else the readers of all pages have around the code. */
@SuppressWarnings({"NullAway", "unused"})
public class Around extends Reader {

    protected static HikariDataSource pool;
    protected static DataSource direct;
    protected static Connection connection;
    protected static Connection tx;
    protected static List<Dibs> shards;
    protected static String name;
    protected static String customerId;
    protected static String accountId;
    protected static long itemId;
    protected static ZoneId zone;
    protected static Executor threads;

    protected static Lease lease;
    protected static ReadWriteLock images;
    protected static ClaimsBuilder builder;
    protected static RowClaims<Mail> mails;
    protected static Claim<Mail> claim;
    protected static List<Mail> rows;
    protected static Order order;

    protected static OneTimeTokens downloads;
    protected static OneTimeTokens resets;
    protected static String token;
    protected static String typed;
    protected static String hash;
    protected static String jobId;
    protected static byte[] pepper;

    protected static ServletContext context;
    protected static ServletContext servletContext;
    protected static HttpServletResponse response;
    protected static Staff staff;

    public record Mail(long id) {
        public static Mail read(ResultSet row) {
            return new Mail(0);
        }
    }

    public record Image(long id) {
        public static Image read(ResultSet row) {
            return new Image(0);
        }
    }

    public record Order(long id) {}

    public interface Staff {
        boolean may(HttpServletRequest request, String role);
    }

    public static DataSource dataSource() {
        return dataSource;
    }

    protected static ServletContext getServletContext() {
        return context;
    }

    protected String slowQuery() {
        return "";
    }

    protected Integer increase(Connection connection) {
        return 0;
    }

    protected static Object load() {
        return "";
    }

    protected static boolean purgeSome(Lease lease) {
        return false;
    }

    protected static void tellBusy(Optional<LeaseInfo> holder) {}

    protected static void pull() {}

    protected static void push(Connection tx) {}

    protected static void save(Connection tx) {}

    protected static void exportAll() {}

    protected static void importHalf() {}

    protected static void importMails() {}

    protected static void print() {}

    protected static void print(int slot) {}

    protected static void rebuild() {}

    protected static void clean() {}

    protected static void migrate() {}

    protected static void serve() {}

    protected static void show() {}

    protected static void scheduleNext(Lease lease) {}

    protected static void stopScheduling() {}

    protected static void send(Mail mail) {}

    protected static void warn(Object what) {}

    protected static void book(Connection connection, Order order) {}

    protected static void resize(Image image) {}

    protected static void letIn(String subject) {}

    protected static void setPassword(Connection connection, String subject, String hash) {}

    protected static void sell(Connection transaction, long item) {}
}
