package dev.dibs.contract.runs;

import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.database.DriverDataSource;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullTest;
import dev.dibs.database.OnEachDatabase;
import dev.dibs.database.PgBouncer;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.Sql;
import dev.dibs.fault.TcpProxy;
import dev.dibs.internal.sql.files.DialectFolder;
import dev.dibs.runs.Run;
import dev.dibs.runs.RunWorkers;
import dev.dibs.statements.Placeholders;
import dev.dibs.statements.StatementText;
import dev.dibs.statements.StatementTexts;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** Wakes between processes, by LISTEN and NOTIFY. */
@OnEachDatabase(PostgresDatabase.class)
class RunNotifyContract extends ContractFixture {

    /** No test takes so long: a row is found by a wake, or not at all. */
    private static final Duration NEVER = Duration.ofHours(1);

    private final Queue<Long> worked = new ConcurrentLinkedQueue<>();

    private Dibs listening() {
        return closing(builder(pool()).wakeByNotify().build());
    }

    /** Idle workers in a process that listens. */
    private Run start(Dibs dibs, String name, Jobs jobs, int threads) throws InterruptedException {
        Run run = dibs.run(name);
        closing(run.over(jobs.claims(dibs).build())
                .threads(threads)
                .pollEvery(NEVER)
                .work(row -> worked.add(row.asLong()))
                .start());
        awaitMark(name);
        return run;
    }

    private void awaitMark(String name) throws InterruptedException {
        await().atMost(SOON).until(() -> marks(name) == 1);
        // The looks after the mark.
        Thread.sleep(1_300);
    }

    private static String number(String name) {
        return "hashtextextended('" + name + "', 'dibs_run'::regclass::oid::bigint)";
    }

    private static String marked(String name) {
        return " FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ShareLock'"
                + " AND (classid::bigint << 32 | objid::bigint) = " + number(name);
    }

    private long marks(String name) throws SQLException {
        return sql().number("SELECT count(*)" + marked(name));
    }

    private void awaitWork(long row) {
        await().atMost(SOON).until(() -> worked.contains(row));
    }

    /** A row, and what wakes, in one transaction. */
    private void addAndWake(Run producer, Jobs jobs, long row) throws SQLException {
        try (Connection connection = pool().getConnection()) {
            connection.setAutoCommit(false);
            RunWakeContract.add(connection, jobs, row);
            producer.wake(connection);
            connection.commit();
            connection.setAutoCommit(true);
        }
    }

    /** Notifications about a run that come while something happens. */
    private long notifications(String name, Work during) throws Exception {
        try (Connection ear = database().dataSource().getConnection()) {
            run(ear, "LISTEN dibs");
            long number = Sql.on(ear).number("SELECT " + number(name));
            during.run();
            Thread.sleep(200);
            PGNotification[] heard = ear.unwrap(PGConnection.class).getNotifications(100);
            return heard == null
                    ? 0
                    : List.of(heard).stream()
                            .filter(one -> one.getParameter().equals(String.valueOf(number)))
                            .count();
        }
    }

    private interface Work {
        void run() throws Exception;
    }

    @Test
    void aWakeReachesOtherProcesses() throws Exception {
        String name = fresh("other");
        Jobs jobs = jobs(0);
        start(listening(), name, jobs, 4);
        for (long row = 1; row <= 5; row++) {
            jobs.add(row);
            there().run(name).wake();
            awaitWork(row);
        }
    }

    @Test
    void aWakeInATransactionComesAtItsCommit() throws Exception {
        String name = fresh("commit");
        Jobs jobs = jobs(0);
        start(listening(), name, jobs, 4);
        for (long row = 1; row <= 3; row++) {
            try (Connection connection = pool().getConnection()) {
                connection.setAutoCommit(false);
                RunWakeContract.add(connection, jobs, row);
                there().run(name).wake(connection);
                // Longer than a process looks by itself if it has no mark.
                Thread.sleep(1_500);
                connection.commit();
                connection.setAutoCommit(true);
            }
            awaitWork(row);
        }
    }

    @Test
    void aTransactionThatIsRolledBackWakesNobody() throws Exception {
        String name = fresh("rollback");
        start(listening(), name, jobs(0), 1);
        long heard = notifications(name, () -> {
            try (Connection connection = pool().getConnection()) {
                connection.setAutoCommit(false);
                there().run(name).wake(connection);
                connection.rollback();
                connection.setAutoCommit(true);
            }
        });
        assertThat(heard).isZero();
    }

    @Test
    void nobodyIsNotifiedWhereNoWorkerIsIdle() throws Exception {
        String name = fresh("busy");
        Jobs jobs = jobs(0);
        Dibs dibs = listening();
        CountDownLatch go = new CountDownLatch(1);
        closing(go::countDown);
        Run run = dibs.run(name);
        closing(run.over(jobs.claims(dibs).build())
                .batch(1)
                .pollEvery(NEVER)
                .work(row -> {
                    worked.add(row.asLong());
                    go.await();
                })
                .start());
        awaitMark(name);
        addAndWake(there().run(name), jobs, 1);
        awaitWork(1);
        addAndWake(there().run(name), jobs, 2);
        await().atMost(SOON).until(() -> marks(name) == 0);
        long heard = notifications(name, () -> {
            for (long row = 3; row <= 40; row++) {
                addAndWake(there().run(name), jobs, row);
            }
        });
        assertThat(heard).isZero();
        go.countDown();
        await().atMost(SOON).until(() -> worked.size() == 40);
        // Idle again, it is told of the next row.
        awaitMark(name);
        addAndWake(there().run(name), jobs, 41);
        awaitWork(41);
    }

    @Test
    void anOpenProducerKeepsNobodyFromTheMark() throws Exception {
        String name = fresh("open");
        AtomicInteger tries = new AtomicInteger();
        FaultyDataSource source = new FaultyDataSource(pool());
        source.on(sql -> sql.contains("AS marked")).always().actBefore(tries::incrementAndGet);
        Dibs dibs = closing(builder(source).wakeByNotify().build());
        Jobs jobs = jobs(0);
        try (Connection connection = pool().getConnection()) {
            connection.setAutoCommit(false);
            RunWakeContract.add(connection, jobs, 1);
            there().run(name).wake(connection);
            start(dibs, name, jobs, 2);
            assertThat(tries.get()).isBetween(1, 3);
            connection.commit();
            connection.setAutoCommit(true);
        }
        addAndWake(there().run(name), jobs, 2);
        awaitWork(1);
        awaitWork(2);
    }

    /** Its transaction has asked before the mark, and commits after it. */
    @Test
    void aMarkIsFollowedByLooks() throws Exception {
        String name = fresh("between");
        Jobs jobs = jobs(0);
        Dibs dibs = listening();
        Run run = dibs.run(name);
        try (Connection connection = pool().getConnection()) {
            connection.setAutoCommit(false);
            RunWakeContract.add(connection, jobs, 1);
            there().run(name).wake(connection);
            closing(run.over(jobs.claims(dibs).build())
                    .pollEvery(NEVER)
                    .work(row -> worked.add(row.asLong()))
                    .start());
            await().pollInterval(Duration.ofMillis(5)).atMost(SOON).until(() -> marks(name) == 1);
            connection.commit();
            connection.setAutoCommit(true);
        }
        awaitWork(1);
    }

    @Test
    void floodsEndTheMarkAndRowsAreFoundAllTheSame() throws Exception {
        String name = fresh("flood");
        Jobs jobs = jobs(0);
        start(listening(), name, jobs, 2);
        int rows = 1_500;
        long heard = notifications(name, () -> {
            try (Connection connection = pool().getConnection()) {
                for (long row = 1; row <= rows; row++) {
                    RunWakeContract.add(connection, jobs, row);
                    there().run(name).wake(connection);
                }
            }
        });
        assertThat(heard).isLessThan(rows / 2);
        await().atMost(SOON).until(() -> worked.size() == rows);
        // After a quiet second, rows are announced again.
        awaitMark(name);
        addAndWake(there().run(name), jobs, rows + 1);
        awaitWork(rows + 1);
    }

    @Test
    void aTransactionWithoutTheTablesGoesOn() throws Exception {
        Jobs jobs = jobs(0);
        Dibs without = dibs(pool(), prefix());
        try (Connection connection = pool().getConnection()) {
            connection.setAutoCommit(false);
            RunWakeContract.add(connection, jobs, 1);
            without.run("any").wake(connection);
            connection.commit();
            connection.setAutoCommit(true);
        }
        without.run("any").wake();
        assertThat(jobs.numbers("SELECT id FROM " + jobs.table())).containsExactly(1L);
    }

    @Test
    void aTriggerWakesForProgramsInAnyLanguage() throws Exception {
        String name = fresh("trigger");
        Jobs jobs = jobs(0);
        start(listening(), name, jobs, 2);
        StatementText text =
                StatementTexts.of(DialectFolder.named("postgresql"), "dibs_", Placeholders.NAMED).stream()
                        .filter(statement -> statement.name().equals("wake_run"))
                        .findFirst()
                        .orElseThrow();
        String perform = text.steps()
                .get(0)
                .sql()
                .replaceFirst("SELECT", "PERFORM")
                .replace(":run", "'" + name + "'");
        jobs.run(
                "CREATE FUNCTION wake_" + jobs.table() + "() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN " + perform
                        + "; RETURN NULL; END $$",
                "CREATE TRIGGER wakes AFTER INSERT ON " + jobs.table() + " FOR EACH STATEMENT EXECUTE FUNCTION wake_"
                        + jobs.table() + "()");
        closing(() -> jobs.run("DROP FUNCTION wake_" + jobs.table() + " CASCADE"));
        jobs.add(1);
        awaitWork(1);
        jobs.add(2);
        awaitWork(2);
    }

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
        await().atMost(SOON.multipliedBy(2)).until(() -> tries.get() == 1 && one.getHikariPoolMXBean().getActiveConnections() == 0);
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
                        database().urlAt(proxy.port()), database().user(), database().password()))
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

    /** Workers poll; with a connection of its own the listener hears what comes through the pooler. */
    @Test
    void aPoolerInTransactionModePassesWakesOn() throws Exception {
        PgBouncer.obstacle().ifPresent(why -> Assumptions.abort(why));
        PgBouncer pooler = closing(new PgBouncer(database(), 4));
        HikariDataSource pooled =
                closing(database().pool(config -> config.setJdbcUrl(pooler.url("?prepareThreshold=0"))));
        Dibs dibs = closing(builder(pooled).wakeByNotify(database().dataSource()).build());
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
