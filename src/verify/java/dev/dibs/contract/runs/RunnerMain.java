package dev.dibs.contract.runs;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.database.TestDatabase;
import dev.dibs.process.ChildJvm;
import dev.dibs.process.ChildPool;
import dev.dibs.runs.RunBuilder;
import dev.dibs.runs.RunWorkers;
import java.sql.Connection;
import java.time.Duration;

/** Another process with workers of a run, to be killed, paused and asked to end. */
public final class RunnerMain {

    private final String log;
    private final String how;

    private RunnerMain(String log, String how) {
        this.log = log;
        this.how = how;
    }

    /** Starts such a process. */
    static ChildJvm start(TestDatabase database, String run, Jobs jobs, String how, int threads, int batch) {
        return database.startJvm(
                RunnerMain.class, run, jobs.table(), jobs.log(), how, String.valueOf(threads), String.valueOf(batch));
    }

    /** Arguments: url, user, password, run, table, table of the effects, how, threads, batch. */
    public static void main(String[] args) throws Exception {
        RunnerMain runner = new RunnerMain(args[5], args[6]);
        try (HikariDataSource pool = ChildPool.open(args, 6);
                Dibs dibs = Dibs.builder(pool).leaseLength(Fixture.LEASE).build()) {
            RunBuilder<RowKey> builder = dibs.run(args[3])
                    .over(Jobs.claims(dibs, args[4], "id").build())
                    .threads(Integer.parseInt(args[7]))
                    .batch(Integer.parseInt(args[8]))
                    // In the race, several killed or delayed workers may have had the same row.
                    .maxAttempts(runner.how.equals("race") ? 20 : 2)
                    .backoff(Duration.ofMillis(10), Duration.ofMillis(20));
            RunWorkers<RowKey> workers = runner.how.startsWith("halt")
                    ? builder.work(key -> runner.haltAt(key.asLong()))
                    : builder.workInTransaction((key, connection) -> runner.work(key.asLong(), connection));
            System.out.println("READY");
            System.out.println("ENDED " + workers.start().await());
        }
    }

    private void haltAt(long id) throws InterruptedException {
        if (how.equals("halt" + id)) {
            Runtime.getRuntime().halt(1);
        }
        Thread.sleep(1);
    }

    private void work(long id, Connection connection) throws Exception {
        Jobs.effect(connection, log, id);
        if (how.equals("slow")) {
            System.out.println("BEGUN " + id);
            try {
                Thread.sleep(1000);
            } catch (InterruptedException e) {
                System.out.println("INTERRUPTED " + id);
                throw e;
            }
        }
    }
}
