package dev.dibs.contract.runs;

import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.database.OnEachDatabase;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.Sql;
import dev.dibs.runs.Run;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** Runs with idle workers in a process that listens, and PostgreSQL's own data about them. */
@OnEachDatabase(PostgresDatabase.class)
abstract class NotifiedRuns extends ContractFixture {

    /** No test takes so long: a row is found by a wake, or not at all. */
    static final Duration NEVER = Duration.ofHours(1);

    final Queue<Long> worked = new ConcurrentLinkedQueue<>();

    Dibs listening() {
        return closing(builder(pool()).wakeByNotify().build());
    }

    /** Idle workers in a process that listens. */
    Run start(Dibs dibs, String name, Jobs jobs, int threads) throws InterruptedException {
        Run run = dibs.run(name);
        closing(run.over(jobs.claims(dibs).build())
                .threads(threads)
                .pollEvery(NEVER)
                .work(row -> worked.add(row.asLong()))
                .start());
        awaitMark(name);
        return run;
    }

    void awaitMark(String name) throws InterruptedException {
        await().atMost(SOON).until(() -> marks(name) == 1);
        // The looks after the mark.
        Thread.sleep(1_300);
    }

    static String number(String name) {
        return "hashtextextended('" + name + "', 'dibs_run'::regclass::oid::bigint)";
    }

    static String marked(String name) {
        return " FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ShareLock'"
                + " AND (classid::bigint << 32 | objid::bigint) = " + number(name);
    }

    long marks(String name) throws SQLException {
        return sql().number("SELECT count(*)" + marked(name));
    }

    void awaitWork(long row) {
        await().atMost(SOON).until(() -> worked.contains(row));
    }

    /** A row, and what wakes, in one transaction. */
    void addAndWake(Run producer, Jobs jobs, long row) throws SQLException {
        try (Connection connection = pool().getConnection()) {
            connection.setAutoCommit(false);
            RunWakeContract.add(connection, jobs, row);
            producer.wake(connection);
            connection.commit();
            connection.setAutoCommit(true);
        }
    }

    /** Notifications about a run that come while something happens. */
    long notifications(String name, Work during) throws Exception {
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

    interface Work {
        void run() throws Exception;
    }
}
