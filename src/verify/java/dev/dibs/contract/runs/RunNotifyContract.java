package dev.dibs.contract.runs;

import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.contract.support.Jobs;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullTest;
import dev.dibs.database.Sql;
import dev.dibs.internal.sql.files.DialectFolder;
import dev.dibs.runs.Run;
import dev.dibs.runs.RunWorkers;
import dev.dibs.statements.Placeholders;
import dev.dibs.statements.StatementText;
import dev.dibs.statements.StatementTexts;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Wakes between processes, by LISTEN and NOTIFY. */
class RunNotifyContract extends NotifiedRuns {

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

    @FullTest
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

    /** While one works, the other has the look. It has slept because the run was paused, so it has not looked yet. */
    @FullTest
    void afterAPauseTheOtherWorkerIsWoken() throws Exception {
        String name = fresh("paused");
        Jobs jobs = jobs(0);
        Dibs dibs = listening();
        Run run = dibs.run(name);
        assertEnds(RunWorkers.End.FINISHED, run.over(jobs.claims(dibs).build()).work(row -> {}));
        run.pause("wait");
        CountDownLatch gate = new CountDownLatch(1);
        closing(run.over(jobs.claims(dibs).build())
                .threads(2)
                .pollEvery(NEVER)
                .work(row -> {
                    worked.add(row.asLong());
                    if (row.asLong() == 1) {
                        gate.await();
                    }
                })
                .start());
        closing(gate::countDown);
        RunWakeContract.awaitWorkers(run, 2);
        Thread.sleep(1_200);
        run.resume("go on");
        awaitMark(name);
        for (long row = 1; row <= 3; row++) {
            jobs.add(row);
            there().run(name).wake();
            awaitWork(row);
        }
    }

    @FullTest
    void floodsEndTheMarkAndRowsAreFound() throws Exception {
        String name = fresh("flood");
        Jobs jobs = jobs(0);
        // Never are all of them at work, which would end the mark, too.
        start(listening(), name, jobs, 8);
        AtomicInteger rows = new AtomicInteger();
        // The first one ends the mark, unless the machine stands still. Then the next one is not announced.
        await().atMost(SOON).until(() -> notifications(name, () -> flood(name, jobs, rows)) < 250);
        await().atMost(SOON).until(() -> worked.size() == rows.get());
        // After a quiet second, rows are announced again.
        awaitMark(name);
        long last = rows.incrementAndGet();
        addAndWake(there().run(name), jobs, last);
        awaitWork(last);
    }

    /** 20 rows and 500 wakes. The server does it alone and waits for no disk, so they come fast. */
    private void flood(String name, Jobs jobs, AtomicInteger rows) throws SQLException {
        int first = rows.get() + 1;
        try (Connection connection = database().dataSource().getConnection()) {
            Sql.on(connection)
                    .run(
                            "SET synchronous_commit = off",
                            "DO $$ BEGIN FOR n IN " + first + ".." + rows.addAndGet(20) + " LOOP INSERT INTO "
                                    + jobs.table() + " (id) VALUES (n); FOR wake IN 1..25 LOOP " + perform(name)
                                    + "; COMMIT; END LOOP; PERFORM pg_sleep(0.01); END LOOP; END $$");
        }
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
        jobs.run(
                "CREATE FUNCTION wake_" + jobs.table() + "() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
                        + perform(name) + "; RETURN NULL; END $$",
                "CREATE TRIGGER wakes AFTER INSERT ON " + jobs.table() + " FOR EACH STATEMENT EXECUTE FUNCTION wake_"
                        + jobs.table() + "()");
        closing(() -> jobs.run("DROP FUNCTION wake_" + jobs.table() + " CASCADE"));
        jobs.add(1);
        awaitWork(1);
        jobs.add(2);
        awaitWork(2);
    }

    /** A wake as a statement of PL/pgSQL. */
    private static String perform(String name) {
        StatementText text = StatementTexts.of(DialectFolder.named("postgresql"), "dibs_", Placeholders.NAMED).stream()
                .filter(statement -> statement.name().equals("wake_run"))
                .findFirst()
                .orElseThrow();
        return text.steps().get(0).sql().replaceFirst("SELECT", "PERFORM").replace(":run", "'" + name + "'");
    }
}
