package dev.dibs.contract.runs;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.DibsBuilder;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.Jobs;
import dev.dibs.database.TestDatabase;
import dev.dibs.process.ChildJvm;
import dev.dibs.process.ChildPool;
import dev.dibs.runs.RunBuilder;
import dev.dibs.runs.RunWorkers;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Duration;
import java.util.Scanner;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Another process with workers of a run, to be killed, paused and asked to end. */
public final class RunnerMain {

    /** Ends work that is slow. */
    static final String GO = "go";

    private final CountDownLatch go = new CountDownLatch(1);
    private final String log;
    private final String how;

    private RunnerMain(String log, String how) {
        this.log = log;
        this.how = how;
    }

    /** Starts such a process. */
    static ChildJvm start(
            TestDatabase database, String run, Jobs jobs, String how, Duration lease, int threads, int batch) {
        return database.startJvm(
                RunnerMain.class,
                run,
                jobs.table(),
                jobs.log(),
                how,
                lease.toString(),
                String.valueOf(threads),
                String.valueOf(batch));
    }

    /** Arguments: url, user, password, run, table, table of the effects, how, lease, threads, batch. */
    public static void main(String[] args) throws Exception {
        RunnerMain runner = new RunnerMain(args[5], args[6]);
        try (HikariDataSource pool = ChildPool.open(args, 6);
                Dibs dibs = runner.listening(Dibs.builder(pool).leaseLength(Duration.parse(args[7])))
                        .build()) {
            RunBuilder<RowKey> builder = dibs.run(args[3])
                    .over(Jobs.claims(dibs, args[4], "id").build())
                    .threads(Integer.parseInt(args[8]))
                    .batch(Integer.parseInt(args[9]))
                    // In the race, several killed or delayed workers may have had the same row.
                    .maxAttempts(runner.how.equals("race") ? 20 : 2)
                    .backoff(Duration.ofMillis(10), Duration.ofMillis(20));
            builder = runner.listens() ? builder.pollEvery(Duration.ofHours(1)) : builder;
            RunWorkers<RowKey> workers = runner.how.startsWith("halt")
                    ? builder.work(key -> runner.haltAt(key.asLong()))
                    : builder.workInTransaction((key, connection) -> runner.work(key.asLong(), connection));
            Thread orders = new Thread(runner::obey, "orders");
            orders.setDaemon(true);
            orders.start();
            System.out.println("READY");
            System.out.println("ENDED " + workers.start().await());
        }
    }

    /** Whether it waits for wakes, as only PostgreSQL sends them. */
    private boolean listens() {
        return how.equals("listen");
    }

    private DibsBuilder listening(DibsBuilder builder) {
        return listens() ? builder.wakeByNotify() : builder;
    }

    /** Until the test sends {@link #GO}, or the process ends and its workers are being closed: these wait for the row in hand. */
    private void awaitOrder() throws InterruptedException {
        while (!go.await(20, TimeUnit.MILLISECONDS)) {
            if (Thread.getAllStackTraces().keySet().stream().anyMatch(RunnerMain::waitsAtExit)) {
                return;
            }
        }
    }

    private static boolean waitsAtExit(Thread thread) {
        return thread.getName().equals("dibs-run-exit") && thread.getState() == Thread.State.TIMED_WAITING;
    }

    private void obey() {
        new Scanner(System.in, StandardCharsets.UTF_8).forEachRemaining(order -> go.countDown());
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
                awaitOrder();
            } catch (InterruptedException e) {
                System.out.println("INTERRUPTED " + id);
                throw e;
            }
        }
    }
}
