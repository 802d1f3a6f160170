package dev.dibs.process;

import dev.dibs.Dibs;
import dev.dibs.DibsBuilder;
import dev.dibs.Lease;
import dev.dibs.LeaseLostException;
import dev.dibs.OftenRenewed;
import dev.dibs.database.DriverDataSource;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;

/** Another process that acquires a lock and then follows the orders on its standard input, one word a line. */
public final class HolderMain {

    private HolderMain() {}

    /** Arguments: url, user, password, name, lease in ms; the prefix of the tables, if it is another one; "often" if it renews each second. */
    public static void main(String[] args) throws IOException, SQLException {
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        DriverDataSource dataSource = new DriverDataSource(args[0], args[1], args[2]);
        DibsBuilder builder = Dibs.builder(dataSource).tablePrefix(args.length > 5 ? args[5] : "dibs_");
        boolean often = args.length > 6 && args[6].equals("often");
        try (Dibs dibs = (often ? OftenRenewed.by(builder) : builder).build()) {
            Lease lease = dibs.lock(args[3])
                    .leaseLength(Duration.ofMillis(Long.parseLong(args[4])))
                    .acquire(Duration.ofSeconds(60));
            lease.onLost(lost -> System.out.println("TOLD"));
            System.out.println("HELD " + lease.fencingToken());
            for (String order = orders.readLine(); order != null; order = orders.readLine()) {
                obey(order, lease, dibs, dataSource);
            }
        }
    }

    private static void obey(String order, Lease lease, Dibs dibs, DriverDataSource dataSource) throws SQLException {
        switch (order) {
            case "valid" -> System.out.println("VALID " + lease.isValid());
            case "guard" -> System.out.println("GUARD " + guard(lease, dataSource));
            case "release" -> {
                lease.close();
                System.out.println("RELEASED");
            }
            case "transaction" -> {
                Connection open = dataSource.getConnection();
                open.setAutoCommit(false);
                System.out.println("TRANSACTION " + dibs.lock(lease.name()).tryGuard(open));
            }
            default -> System.out.println("WHAT? " + order);
        }
    }

    private static String guard(Lease lease, DriverDataSource dataSource) {
        try {
            lease.inTransaction(dataSource, tx -> {});
            return "committed";
        } catch (LeaseLostException e) {
            return "refused";
        }
    }

    static {
        DriverManager.setLoginTimeout(60);
    }
}
