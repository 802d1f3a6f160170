package dev.dibs.contract.locks;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.NamedSemaphore;
import dev.dibs.Permit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** One of several processes that share a semaphore, with two threads each. */
public final class PermitRacerMain {

    private PermitRacerMain() {}

    /** Arguments: url, user, password, name, table, permits, lease, how often. */
    public static void main(String[] args) throws Exception {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(args[0]);
        config.setUsername(args[1]);
        config.setPassword(args[2]);
        config.setMaximumPoolSize(6);
        SlotLedger ledger = new SlotLedger(args[4]);
        int permits = Integer.parseInt(args[5]);
        try (HikariDataSource pool = new HikariDataSource(config);
                Dibs dibs = Dibs.on(pool)) {
            NamedSemaphore semaphore = dibs.semaphore(args[3], permits).leaseLength(Duration.parse(args[6]));
            System.out.println("READY");
            if (System.in.read() < 0) {
                return;
            }
            List<CompletableFuture<Void>> threads = new ArrayList<>();
            for (int t = 0; t < 2; t++) {
                threads.add(CompletableFuture.runAsync(() -> race(pool, semaphore, ledger, Integer.parseInt(args[7]))));
            }
            threads.forEach(CompletableFuture::join);
        } catch (Throwable e) {
            e.printStackTrace();
            System.out.println("FAILED " + e);
            return;
        }
        System.out.println("DONE");
    }

    private static void race(HikariDataSource pool, NamedSemaphore semaphore, SlotLedger ledger, int times) {
        for (int i = 0; i < times; i++) {
            try (Permit lease = semaphore.acquire(Duration.ofSeconds(90))) {
                ledger.enter(pool, lease, semaphore.permits());
                System.out.println("IN " + lease.slot() + " " + lease.fencingToken());
                ledger.leave(pool, lease);
            } catch (java.sql.SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
