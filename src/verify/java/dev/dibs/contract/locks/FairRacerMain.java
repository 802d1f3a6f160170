package dev.dibs.contract.locks;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.LeaseLostException;
import dev.dibs.contract.support.Ledger;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** One of several processes that take turns, from the first line of its input to the second. */
public final class FairRacerMain {

    private static final Duration LEASE = Duration.ofSeconds(3);

    private FairRacerMain() {}

    /** Arguments: url, user, password, name, table. */
    public static void main(String[] args) throws Exception {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(args[0]);
        config.setUsername(args[1]);
        config.setPassword(args[2]);
        config.setMaximumPoolSize(4);
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (HikariDataSource pool = new HikariDataSource(config);
                Dibs dibs = Dibs.builder(pool).leaseLength(LEASE).build()) {
            System.out.println("READY");
            if (input.readLine() == null) {
                return;
            }
            AtomicBoolean over = new AtomicBoolean();
            AtomicInteger turns = new AtomicInteger();
            Runnable race = () -> race(dibs, pool, args[3], new Ledger(args[4]), over, turns);
            List<Thread> threads = List.of(new Thread(race), new Thread(race));
            threads.forEach(Thread::start);
            input.readLine();
            over.set(true);
            for (Thread thread : threads) {
                thread.join();
            }
            System.out.println("DONE " + turns);
        }
    }

    private static void race(
            Dibs dibs, HikariDataSource pool, String name, Ledger ledger, AtomicBoolean over, AtomicInteger turns) {
        try {
            while (!over.get()) {
                try (Lease lease = dibs.lock(name).fair().acquire(Duration.ofSeconds(60))) {
                    lease.inTransaction(pool, tx -> ledger.write(tx, lease.fencingToken()));
                    turns.incrementAndGet();
                } catch (LeaseLostException e) {
                    // This process stood still for longer than its lease. That is one turn less.
                    System.out.println("LOST " + e.getMessage());
                }
            }
        } catch (Exception e) {
            e.printStackTrace();
            System.out.println("FAILED " + e);
        }
    }
}
