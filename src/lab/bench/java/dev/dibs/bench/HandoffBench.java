package dev.dibs.bench;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.LeaseInfo;
import dev.dibs.NotAcquiredException;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.TestDatabase;
import dev.dibs.database.TestDatabases;
import dev.dibs.process.ChildJvm;
import dev.dibs.process.HolderMain;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/** How long a lock is idle between two holders, of which the second was waiting for it. */
final class HandoffBench extends Measurement {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final int WAITERS = 10;

    private final TestDatabase database = TestDatabases.get(PostgresDatabase.class);

    HandoffBench(Settings settings, Report report) {
        super(settings, report);
    }

    void run() throws Exception {
        report.section("Hand-off", """
                PostgreSQL with fsync. The time from the call of `close()` until a waiter has the lease, also in another
                process, by the machine's monotonic clock. The holder keeps the lock for 150 to 350 ms, so that the
                waiters' pauses have grown. After a `kill -9`: the time from the end of the lease, by the database's
                clock, until a waiter has it.
                """);
        try (HikariDataSource pool = database.pool(config -> config.setMaximumPoolSize(BenchDatabase.POOL));
                Dibs dibs = Dibs.on(pool)) {
            dibs.admin().createSchema();
            Timings near = sameProcess(dibs, 1);
            row("release, 1 waiter in the same process", near);
            Timings nearMany = sameProcess(dibs, WAITERS);
            row("release, 10 waiters in the same process", nearMany);
            Timings far = otherProcess(dibs, 1, false);
            row("release, 10 waiters in another process", far);
            Timings farMany = otherProcess(dibs, WAITERS, false);
            row("release, 10 waiters in another process, an instance of Dibs each", farMany);
            Timings notified = otherProcess(dibs, 1, true);
            row("release, 10 waiters in another process, woken by NOTIFY", notified);
            Timings toldMany = otherProcess(dibs, WAITERS, true);
            row("the same, an instance of Dibs each", toldMany);
            Timings killed = killed(dibs);
            row("kill -9, 10 waiters in another process", killed);
            target("hand-off in the same process, 1 waiter, median", near.median(), 5);
            target("hand-off in the same process, 10 waiters, median", nearMany.median(), 5);
            target("hand-off to another process, 10 waiters, median", far.median(), 100);
            target("the same with an instance of Dibs each, median", farMany.median(), 100);
            target("hand-off to another process by NOTIFY, median", notified.median(), 5);
            target("hand-off to another process by NOTIFY, p99", notified.quantile(0.99), 20);
            target("takeover after kill -9, after the lease's end, longest", killed.max(), 1000);
        }
        report.table(List.of("hand-off after", "times", "p50 ms", "p99 ms", "longest ms"), rows);
    }

    private Timings sameProcess(Dibs dibs, int waiters) throws InterruptedException {
        Timings timings = new Timings();
        for (int i = 0; i < settings.handOffs(); i++) {
            String name = "near-" + waiters + "-" + i;
            Lease holder = dibs.lock(name).acquire(PATIENCE);
            AtomicLong acquired = new AtomicLong();
            List<Thread> threads = new ArrayList<>();
            for (int waiter = 0; waiter < waiters; waiter++) {
                threads.add(new Thread(() -> waitHere(dibs, name, acquired, threads)));
            }
            threads.forEach(Thread::start);
            holdForAWhile();
            long released = System.nanoTime();
            holder.close();
            for (Thread thread : threads) {
                thread.join();
            }
            timings.add(acquired.get() - released);
        }
        return timings;
    }

    /** The first one to acquire it ends the others. */
    private static void waitHere(Dibs dibs, String name, AtomicLong acquired, List<Thread> all) {
        try {
            dibs.lock(name).run(PATIENCE, lease -> acquired.compareAndSet(0, System.nanoTime()));
            all.forEach(Thread::interrupt);
        } catch (NotAcquiredException e) {
            // Another one was first.
        }
    }

    private Timings otherProcess(Dibs dibs, int instances, boolean listen) throws InterruptedException {
        Timings timings = new Timings();
        try (ChildJvm child = waiters(instances, listen)) {
            for (int i = 0; i < settings.handOffs(); i++) {
                String name = "far-" + instances + "-" + listen + "-" + i;
                Lease holder = dibs.lock(name).acquire(PATIENCE);
                child.send(name);
                child.awaitLine(WaiterMain.READY::equals, PATIENCE);
                holdForAWhile();
                long released = System.nanoTime();
                holder.close();
                timings.add(got(child) - released);
                child.awaitLine(WaiterMain.DONE::equals, PATIENCE);
            }
        }
        return timings;
    }

    /** When one of the child's waiters acquired the lock. */
    private static long got(ChildJvm child) throws InterruptedException {
        String line = child.awaitLine(text -> text.startsWith(WaiterMain.GOT), PATIENCE);
        return Long.parseLong(line.substring(WaiterMain.GOT.length()));
    }

    private ChildJvm waiters(int instances, boolean listen) throws InterruptedException {
        ChildJvm child = database.startJvm(
                WaiterMain.class, String.valueOf(instances), String.valueOf(WAITERS), String.valueOf(listen));
        child.awaitLine(WaiterMain.READY::equals, PATIENCE);
        return child;
    }

    private Timings killed(Dibs dibs) throws InterruptedException, SQLException {
        Timings timings = new Timings();
        try (ChildJvm child = waiters(1, false)) {
            for (int i = 0; i < settings.kills(); i++) {
                String name = "killed-" + i;
                try (ChildJvm holder = holder(name)) {
                    holder.awaitLine(line -> line.startsWith("HELD"), PATIENCE);
                    child.send(name);
                    child.awaitLine(WaiterMain.READY::equals, PATIENCE);
                    holdForAWhile();
                    holder.kill();
                    long end = endOfLease(dibs, name);
                    timings.add(got(child) - end);
                    child.awaitLine(WaiterMain.DONE::equals, PATIENCE);
                }
            }
        }
        return timings;
    }

    private ChildJvm holder(String name) {
        return database.startJvm(HolderMain.class, name, String.valueOf(LEASE.toMillis()));
    }

    /** When the dead holder's lease ends, as this process's monotonic time. */
    private long endOfLease(Dibs dibs, String name) throws SQLException {
        LeaseInfo dead = dibs.admin().locks().stream()
                .filter(lock -> lock.name().equals(name))
                .findFirst()
                .orElseThrow();
        PostgresServer server = new PostgresServer(database.dataSource());
        long now = Long.parseLong(server.ask("SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint"));
        return System.nanoTime()
                + Duration.ofMillis(dead.until().toEpochMilli() - now).toNanos();
    }

    private static void holdForAWhile() throws InterruptedException {
        Thread.sleep(ThreadLocalRandom.current().nextInt(150, 350));
    }

    private void row(String what, Timings timings) {
        rows.add(List.of(
                what,
                String.valueOf(timings.size()),
                Report.number(timings.median()),
                Report.number(timings.quantile(0.99)),
                Report.number(timings.max())));
    }

    private void target(String what, double millis, double limit) {
        report.target(what, Report.number(millis) + " ms", "at most " + Report.number(limit) + " ms", millis <= limit);
    }
}
