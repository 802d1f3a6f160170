package dev.dibs.demo;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.demo.Message.Word;
import dev.dibs.runs.RunWorkers;
import java.time.Duration;
import java.util.Map;

/** One of the processes that work through the table: simply a run over claims. */
public final class Worker {

    static final int ATTEMPTS = 3;

    private Worker() {}

    /** Only {@link Demo} starts it. */
    public static void main(String[] args) throws InterruptedException {
        Orders orders = Orders.from(System.in);
        WorkerArguments arguments = WorkerArguments.parse(args);
        Settings settings = Settings.read(Map.of());
        try (HikariDataSource pool = DemoDatabase.pool(settings.url(), settings.user(), settings.password());
                Dibs dibs = Dibs.builder(pool)
                        .tablePrefix(arguments.prefix())
                        .leaseLength(Duration.ofMillis(arguments.leaseMillis()))
                        .holder(arguments.name())
                        .build()) {
            work(arguments, new Store(pool, new DemoSql(arguments.prefix())), dibs, orders);
        }
    }

    private static void work(WorkerArguments arguments, Store store, Dibs dibs, Orders orders)
            throws InterruptedException {
        RunWorkers<Job> workers = dibs.run(Job.RUN)
                .over(Job.claims(dibs, arguments.prefix()))
                .batch(arguments.batch())
                .rate(arguments.rowsPerSecond())
                .maxAttempts(ATTEMPTS)
                .backoff(Duration.ofSeconds(1), Duration.ofSeconds(4))
                .workInTransaction(new Inspection(arguments, store, orders)::process);
        try (workers;
                Reporter reporter = Reporter.start(dibs, store, arguments.name())) {
            workers.start();
            Message.say(Word.READY);
            workers.await();
        }
    }
}
