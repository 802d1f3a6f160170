package dev.dibs.contract.locks.leadership;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Candidacy;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.LeaseLostException;
import dev.dibs.contract.support.Ledger;
import dev.dibs.process.ChildPool;
import java.sql.SQLException;
import java.time.Duration;

/** A candidate in a process of its own. While it leads, it writes into the ledger, which only one process may do at a time. */
public final class LeaderMain {

    private LeaderMain() {}

    /** Arguments: url, user, password, name, table, lease. Steps down at the first line of input. */
    public static void main(String[] args) throws Exception {
        Ledger ledger = new Ledger(args[4]);
        try (HikariDataSource pool = ChildPool.open(args, 4);
                Dibs dibs = Dibs.on(pool);
                Candidacy candidacy = dibs.leadership(args[3])
                        .leaseLength(Duration.parse(args[5]))
                        .onElected(lease -> lead(pool, ledger, lease))
                        .onStepDown(lease -> System.out.println("STOPPED " + lease.fencingToken()))
                        .campaign()) {
            System.out.println("READY");
            if (System.in.read() >= 0) {
                candidacy.close();
                System.out.println("CLOSED");
            }
        }
    }

    private static void lead(HikariDataSource pool, Ledger ledger, Lease lease) {
        String how = lease.takeover()
                .map(takeover -> "takeover " + takeover.from().until().toEpochMilli())
                .orElse("released");
        System.out.println("ELECTED " + lease.fencingToken() + " " + how);
        while (lease.isValid()) {
            try {
                ledger.write(pool, lease.fencingToken());
                Thread.sleep(5);
            } catch (SQLException | InterruptedException | LeaseLostException e) {
                System.out.println("FAILED " + e);
            }
        }
    }
}
