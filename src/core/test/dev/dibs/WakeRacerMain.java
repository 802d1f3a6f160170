package dev.dibs;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.process.ChildPool;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** Another process that waits for a lock again and again, and looks again by itself only after an hour. */
public final class WakeRacerMain {

    private WakeRacerMain() {}

    /** Arguments: url, user, password, name, how many times, how many milliseconds it holds the lock at most. */
    public static void main(String[] args) throws Exception {
        int times = Integer.parseInt(args[4]);
        int longest = Integer.parseInt(args[5]);
        try (HikariDataSource pool = ChildPool.open(args, 4);
                Dibs dibs = sleepy(pool).build()) {
            System.out.println("READY");
            for (int i = 0; i < times; i++) {
                try (Lease lease = dibs.lock(args[3]).acquire(Duration.ofHours(1))) {
                    Thread.sleep(ThreadLocalRandom.current().nextInt(longest + 1));
                    lease.check();
                }
            }
            System.out.println("DONE");
        }
    }

    /** A waiter with it is woken, or sleeps for an hour: neither its own pauses nor the end of a lease ends the wait. */
    static DibsBuilder sleepy(javax.sql.DataSource dataSource) {
        return Dibs.builder(dataSource)
                .leaseLength(Duration.ofHours(2))
                .wakeByNotify()
                .longestPause(Duration.ofHours(2));
    }
}
