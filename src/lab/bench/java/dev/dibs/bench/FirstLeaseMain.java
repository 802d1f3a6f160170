package dev.dibs.bench;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.database.Sql;
import dev.dibs.process.ChildPool;
import java.lang.management.ClassLoadingMXBean;
import java.lang.management.ManagementFactory;
import java.sql.SQLException;

/** A process that has its pool and its driver ready, and acquires its first lease. It prints how long that took and what it loaded. */
final class FirstLeaseMain {
    /** Followed by nanoseconds until the first lease, nanoseconds of the same by a second instance, and classes loaded meanwhile. */
    static final String TOOK = "TOOK ";

    private FirstLeaseMain() {}

    /** Arguments: url, user, password. */
    public static void main(String[] args) throws SQLException {
        try (HikariDataSource pool = ChildPool.open(args, 2)) {
            Sql.on(pool).run("SELECT 1");
            ClassLoadingMXBean classes = ManagementFactory.getClassLoadingMXBean();
            long before = classes.getTotalLoadedClassCount();
            long first = firstLease(pool);
            long loaded = classes.getTotalLoadedClassCount() - before;
            System.out.println(TOOK + first + " " + firstLease(pool) + " " + loaded);
        }
    }

    private static long firstLease(HikariDataSource pool) {
        long start = System.nanoTime();
        try (Dibs dibs = Dibs.on(pool);
                Lease ignored = dibs.lock("first").tryAcquire().orElseThrow()) {
            return System.nanoTime() - start;
        }
    }
}
