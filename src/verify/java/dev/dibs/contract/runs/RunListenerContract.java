package dev.dibs.contract.runs;

import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.contract.support.Jobs;
import dev.dibs.database.DriverDataSource;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullTest;
import dev.dibs.database.PgBouncer;
import dev.dibs.fault.TcpProxy;
import dev.dibs.process.ChildJvm;
import dev.dibs.runs.Run;
import dev.dibs.runs.RunWorkers;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** The connection that listens for wakes: it may be missing, cut off, or behind a pooler. */
class RunListenerContract extends NotifiedRuns {

    @FullTest
    void aPoolOfOneIsTriedOnce() throws Exception {
        HikariDataSource one = closing(database().pool(config -> config.setMaximumPoolSize(1)));
        FaultyDataSource source = new FaultyDataSource(one);
        AtomicInteger tries = new AtomicInteger();
        source.on(sql -> sql.startsWith("LISTEN")).always().actBefore(tries::incrementAndGet);
        Dibs dibs = closing(builder(source).wakeByNotify().build());
        Jobs jobs = jobs(0);
        String name = fresh("one");
        Run run = dibs.run(name);
        closing(run.over(jobs.claims(dibs).build())
                .pollEvery(Duration.ofMillis(200))
                .work(row -> worked.add(row.asLong()))
                .start());
        await().atMost(SOON.multipliedBy(2))
                .until(() -> tries.get() == 1 && one.getHikariPoolMXBean().getActiveConnections() == 0);
        Thread.sleep(5_000);
        jobs.add(1);
        awaitWork(1);
        assertThat(tries).hasValue(1);
    }

    @FullTest
    void runsLeaveMarksForLocks() throws Exception {
        Dibs dibs = listening();
        Jobs jobs = jobs(0);
        List<String> names = fresh("many", 40);
        for (String name : names) {
            closing(dibs.run(name)
                    .over(jobs.claims(dibs).build())
                    .pollEvery(NEVER)
                    .work(row -> {})
                    .start());
        }
        await().atMost(SOON).until(() -> marksOf(names) == 32);
        String lock = fresh("lock");
        Lease held = there().lock(lock).acquire(LONG);
        CompletableFuture<Void> next =
                CompletableFuture.runAsync(() -> dibs.lock(lock).acquire(LONG).close());
        await().atMost(SOON)
                .until(() -> sql().number("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"
                                + " AND (classid::bigint << 32 | objid::bigint) = hashtextextended('" + lock
                                + "', 'dibs_lock'::regclass::oid::bigint)")
                        == 1);
        held.close();
        next.get(SOON.toSeconds(), TimeUnit.SECONDS);
        assertThat(marksOf(names)).isEqualTo(32);
    }

    private long marksOf(List<String> names) throws SQLException {
        long all = 0;
        for (String name : names) {
            all += marks(name);
        }
        return all;
    }

    @FullTest
    void aProcessThatIsCutOffLooksAndComesBack() throws Exception {
        TcpProxy proxy = closing(TcpProxy.to(database().port()));
        Dibs dibs = closing(builder(pool())
                .wakeByNotify(new DriverDataSource(
                        database().urlAt(proxy.port()),
                        database().user(),
                        database().password()))
                .build());
        String name = fresh("cut");
        Jobs jobs = jobs(0);
        start(dibs, name, jobs, 2);
        proxy.dropDownstream(true);
        proxy.dropUpstream(true);
        addAndWake(there().run(name), jobs, 1);
        // The listener notices it within seconds, and then looks.
        awaitWork(1);
        proxy.dropDownstream(false);
        proxy.dropUpstream(false);
        awaitMark(name);
        addAndWake(there().run(name), jobs, 2);
        awaitWork(2);
    }

    @Test
    void aListenerThatTheServerEndsComesBack() throws Exception {
        String name = fresh("ended");
        Jobs jobs = jobs(0);
        start(listening(), name, jobs, 2);
        sql().number("SELECT count(pg_terminate_backend(pid))" + marked(name));
        addAndWake(there().run(name), jobs, 1);
        awaitWork(1);
        awaitMark(name);
        addAndWake(there().run(name), jobs, 2);
        awaitWork(2);
    }

    @Test
    void aPoolerInTransactionModePassesWakesOn() throws Exception {
        PgBouncer.obstacle().ifPresent(why -> Assumptions.abort(why));
        PgBouncer pooler = closing(new PgBouncer(database(), 4));
        HikariDataSource pooled =
                closing(database().pool(config -> config.setJdbcUrl(pooler.url("?prepareThreshold=0"))));
        Dibs dibs =
                closing(builder(pooled).wakeByNotify(database().dataSource()).build());
        Dibs producer = dibs(pooled);
        String name = fresh("pooled");
        Jobs jobs = jobs(0);
        start(dibs, name, jobs, 2);
        try (Connection connection = pooled.getConnection()) {
            connection.setAutoCommit(false);
            RunWakeContract.add(connection, jobs, 1);
            producer.run(name).wake(connection);
            connection.commit();
            connection.setAutoCommit(true);
        }
        awaitWork(1);
        jobs.add(2);
        producer.run(name).wake();
        awaitWork(2);
        assertThat(sql().number("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock'"
                        + " AND (classid::bigint << 32 | objid::bigint) = " + number(name)))
                .isZero();
    }

    /** Both have the run marked. The other one may have the row that comes just before it dies. */
    @FullTest
    void aProcessThatStandsStillOrDiesHoldsUpNoOther() throws Exception {
        String name = fresh("dies");
        Jobs jobs = jobs(0);
        start(listening(), name, jobs, 2);
        ChildJvm other = closing(RunnerMain.start(database(), name, jobs, "listen", LONG, 2, 10));
        other.awaitLine("READY"::equals, SOON.multipliedBy(4));
        await().atMost(SOON).until(() -> marks(name) == 2);
        other.pause();
        addAndWake(there().run(name), jobs, 1);
        awaitWork(1);
        other.kill();
        addAndWake(there().run(name), jobs, 2);
        awaitWork(2);
        await().atMost(SOON).until(() -> marks(name) == 1);
    }

    @Test
    void closeEndsTheListener() throws Exception {
        String name = fresh("close");
        Dibs dibs = closing(builder(pool()).wakeByNotify().build());
        RunWorkers<?> workers = dibs.run(name)
                .over(jobs(0).claims(dibs).build())
                .pollEvery(NEVER)
                .work(row -> {})
                .start();
        awaitMark(name);
        dibs.close();
        assertThat(workers.await(SOON)).isTrue();
        await().atMost(SOON).until(() -> marks(name) == 0);
    }
}
