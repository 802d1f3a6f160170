package dev.dibs.contract.locks;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Acquirable;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** One of several processes that read and write under the same lock for a while. */
public final class ReadWriteRacerMain {

    private ReadWriteRacerMain() {}

    /** Arguments: url, user, password, name, table, number of the process, how many milliseconds. */
    public static void main(String[] args) throws Exception {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(args[0]);
        config.setUsername(args[1]);
        config.setPassword(args[2]);
        config.setMaximumPoolSize(6);
        System.out.println("READY");
        if (System.in.read() < 0) {
            return;
        }
        try (HikariDataSource pool = new HikariDataSource(config);
                Dibs dibs =
                        Dibs.builder(pool).leaseLength(Duration.ofSeconds(3)).build()) {
            int[] done = race(
                    pool, dibs, args[3], new SharedLedger(args[4]), Integer.parseInt(args[5]), Long.parseLong(args[6]));
            System.out.println("DONE " + done[0] + " " + done[1]);
        }
    }

    /**
     * Two threads read and one writes; returns how often each was admitted. All go on beyond their time until each side has had a turn, for
     * a minute at most: with polling, a process that passes a lock to its own threads may keep others out for seconds.
     */
    static int[] race(HikariDataSource pool, Dibs dibs, String name, SharedLedger ledger, int process, long millis)
            throws InterruptedException {
        long end = System.nanoTime() + Duration.ofMillis(millis).toNanos();
        long patience = end + Duration.ofMinutes(1).toNanos();
        AtomicInteger reads = new AtomicInteger();
        AtomicInteger writes = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int number = 0; number < 3; number++) {
            boolean isWriter = number == 0;
            Acquirable<?> lock = isWriter
                    ? dibs.readWriteLock(name).write()
                    : dibs.readWriteLock(name).read();
            AtomicInteger count = isWriter ? writes : reads;
            String id = process + "-" + number + "-";
            threads.add(new Thread(() -> {
                try {
                    while (System.nanoTime() < end || (isOneKeptOut(reads, writes) && System.nanoTime() < patience)) {
                        visit(pool, lock, ledger, id + count.incrementAndGet(), process, isWriter);
                        Thread.sleep(isWriter ? 20 : 0);
                    }
                } catch (Exception e) {
                    e.printStackTrace();
                    System.out.println("FAILED " + e);
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        return new int[] {reads.get(), writes.get()};
    }

    private static boolean isOneKeptOut(AtomicInteger reads, AtomicInteger writes) {
        return reads.get() < 3 || writes.get() < 3;
    }

    private static void visit(
            HikariDataSource pool, Acquirable<?> lock, SharedLedger ledger, String id, int process, boolean writes)
            throws Exception {
        try (Lease lease = lock.acquire(Duration.ofSeconds(60))) {
            ledger.in(pool, id, process, writes, lease.fencingToken());
            Thread.sleep(1);
            ledger.out(pool, id);
        }
    }
}
