package dev.dibs.contract.locks;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.Leases;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** One of several processes that acquire locks of one list, two or three at a time and in any order, until they are asked to end. */
public final class LocksRacerMain {

    private LocksRacerMain() {}

    /** Arguments: url, user, password, number of the process, how many milliseconds, and then each lock's name, which is its ledger's. */
    public static void main(String[] args) throws Exception {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(args[0]);
        config.setUsername(args[1]);
        config.setPassword(args[2]);
        config.setMaximumPoolSize(4);
        int process = Integer.parseInt(args[3]);
        Random random = new Random(process);
        int done = 0;
        try (HikariDataSource pool = new HikariDataSource(config);
                Dibs dibs =
                        Dibs.builder(pool).leaseLength(Duration.ofSeconds(8)).build()) {
            System.out.println("READY");
            if (System.in.read() < 0) {
                return;
            }
            long end = System.nanoTime()
                    + Duration.ofMillis(Long.parseLong(args[4])).toNanos();
            do {
                List<String> wanted = new ArrayList<>(List.of(args).subList(5, args.length));
                Collections.shuffle(wanted, random);
                try (Leases leases =
                        dibs.lockAll(wanted.subList(0, 2 + random.nextInt(2))).acquire(Duration.ofSeconds(60))) {
                    visit(pool, leases, process, ++done);
                }
            } while (System.nanoTime() < end);
        }
        System.out.println("DONE " + done);
    }

    private static void visit(HikariDataSource pool, Leases leases, int process, int number) throws Exception {
        String id = process + "-" + number;
        for (Lease lease : leases.all()) {
            new SharedLedger(lease.name()).in(pool, id, process, true, lease.fencingToken());
        }
        for (Lease lease : leases.all()) {
            new SharedLedger(lease.name()).out(pool, id);
        }
    }
}
