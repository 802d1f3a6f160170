package dev.dibs.contract.locks;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.contract.support.Ledger;
import java.time.Duration;

/** One of several processes that write into the same ledger under the same lock. */
public final class RacerMain {

    private RacerMain() {}

    /** Arguments: url, user, password, name, table, how often. */
    public static void main(String[] args) throws Exception {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(args[0]);
        config.setUsername(args[1]);
        config.setPassword(args[2]);
        config.setMaximumPoolSize(4);
        System.out.println("READY");
        if (System.in.read() < 0) {
            return;
        }
        Ledger ledger = new Ledger(args[4]);
        try (HikariDataSource pool = new HikariDataSource(config);
                Dibs dibs = Dibs.on(pool)) {
            for (int i = 0; i < Integer.parseInt(args[5]); i++) {
                try (Lease lease = dibs.lock(args[3]).acquire(Duration.ofSeconds(60))) {
                    if (i % 2 == 0) {
                        lease.inTransaction(pool, tx -> ledger.write(tx, lease.fencingToken()));
                    } else {
                        ledger.write(pool, lease.fencingToken());
                    }
                }
            }
        }
        System.out.println("DONE");
    }
}
