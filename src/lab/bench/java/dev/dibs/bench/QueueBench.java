package dev.dibs.bench;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.bench.Rounds.Result;
import dev.dibs.database.H2Database;
import dev.dibs.database.MariaDbDatabase;
import dev.dibs.database.MySqlDatabase;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.Sql;
import dev.dibs.database.SqliteDatabase;
import dev.dibs.database.TestDatabase;
import dev.dibs.database.TestDatabases;
import dev.dibs.runs.Run;
import dev.dibs.runs.RunWorkers;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** How soon idle workers begin with a new row, what they cost until then, and what a wake costs those who add rows. */
final class QueueBench extends Measurement {
    private static final int THREADS = 16;
    private static final int PRODUCERS = 20;
    private static final int BURST = 1_000;
    private static final int BURSTS = 5;
    private static final Duration POLL = Duration.ofSeconds(1);
    private static final String TABLE = "bench_queue";

    private final Map<Long, CountDownLatch> awaited = new ConcurrentHashMap<>();
    private final Set<Thread> busy = ConcurrentHashMap.newKeySet();
    private final AtomicLong borrowed = new AtomicLong();
    private final AtomicLong lastRow = new AtomicLong();
    private final AtomicLong burstDone = new AtomicLong();
    private volatile long begun;

    QueueBench(Settings settings, Report report) {
        super(settings, report);
    }

    /** Adds rows in one transaction. */
    private interface Producer {
        void add(long... rows) throws Exception;
    }

    private interface ProducerFor {
        Producer run(Run run);
    }

    void run() throws Exception {
        report.section("A new row is seen", """
                %d idle workers of one process, with a batch of 10 and `pollEvery` of a second. *Idle* counts how often
                they borrow a connection, so that a pool's validation does not count. Then single rows come at random
                intervals; the time is from the end of their commit until their work begins. *Burst*: %,d rows in one
                transaction, until all workers have begun; the median of five. *Woken*: `run.wake()` after the commit, in the same process.
                *Notified*: another instance calls `wake(connection)` in the transaction, through a pool of its own.
                db-scheduler schedules immediate executions in the same process, with the same threads and interval.
                """.formatted(THREADS, BURST));
        TestDatabase postgres = TestDatabases.get(PostgresDatabase.class);
        scheduler(postgres);
        dibs(postgres, "polled", few(), run -> rows -> insert(postgres.dataSource(), null, rows));
        woken(postgres);
        try (HikariDataSource pool = postgres.pool(config -> config.setMaximumPoolSize(2));
                Dibs producer = Dibs.on(pool)) {
            dibs(postgres, "notified", many(), run -> rows -> insert(pool, producer.run(run.name()), rows));
        }
        for (Class<? extends TestDatabase> type :
                List.of(H2Database.class, MariaDbDatabase.class, MySqlDatabase.class, SqliteDatabase.class)) {
            woken(TestDatabases.get(type));
        }
        report.table(List.of("database", "what", "idle, transactions/s", "p50 ms", "p95 ms", "burst ms"), rows);
        producers(postgres);
        flood(postgres);
    }

    private void woken(TestDatabase database) throws Exception {
        if (database.available()) {
            dibs(database, "woken", many(), run -> rows -> {
                insert(database.dataSource(), null, rows);
                run.wake();
            });
        }
    }

    private int few() {
        return settings.quick() ? 10 : 40;
    }

    private int many() {
        return settings.quick() ? 100 : 500;
    }

    private static void insert(DataSource source, Run woken, long... rows) throws SQLException {
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            for (long row : rows) {
                Sql.on(connection).change("INSERT INTO " + TABLE + " (id) VALUES (?)", row);
            }
            if (woken != null) {
                woken.wake(connection);
            }
            connection.commit();
            connection.setAutoCommit(true);
        }
    }

    private void dibs(TestDatabase database, String what, int singles, ProducerFor producer) throws Exception {
        try (HikariDataSource pool = database.pool(config -> config.setMaximumPoolSize(THREADS + 4));
                Dibs dibs = dibs(pool, what.equals("notified"))) {
            WorkTable table = new WorkTable(database.name(), pool, TABLE);
            table.fill(0, 0);
            Run run = dibs.run("queue-" + System.nanoTime());
            try (RunWorkers<?> workers = run.over(table.claims(dibs).build())
                    .threads(THREADS)
                    .pollEvery(POLL)
                    .work(row -> began(row.asLong()))) {
                workers.start();
                measure(database.name(), what, singles, producer.run(run));
            }
        }
    }

    private Dibs dibs(HikariDataSource pool, boolean listens) {
        var builder = Dibs.builder(counting(pool)).leaseLength(Duration.ofMinutes(1));
        Dibs dibs = (listens ? builder.wakeByNotify(pool) : builder).build();
        dibs.admin().createSchema();
        return dibs;
    }

    private DataSource counting(DataSource pool) {
        return new DelegatingDataSource(pool) {
            @Override
            public Connection getConnection() throws SQLException {
                borrowed.incrementAndGet();
                return super.getConnection();
            }
        };
    }

    private void scheduler(TestDatabase database) throws Exception {
        try (HikariDataSource pool = database.pool(config -> config.setMaximumPoolSize(THREADS + 4))) {
            new SchedulerPeer(pool, THREADS, SchedulerPeer.Polling.LOCK_AND_FETCH).fill(0);
            OneTimeTask<Void> task =
                    Tasks.oneTime("queue").execute((instance, context) -> began(Long.parseLong(instance.getId())));
            Scheduler scheduler = Scheduler.create(counting(pool), task)
                    .threads(THREADS)
                    .pollingInterval(POLL)
                    .pollUsingLockAndFetch(5, 10)
                    .enableImmediateExecution()
                    .build();
            scheduler.start();
            measure(database.name(), "db-scheduler, immediate", many(), rows -> {
                for (long row : rows) {
                    scheduler.schedule(task.instance(String.valueOf(row)), Instant.now());
                }
            });
            scheduler.stop();
        }
    }

    /** The work on a row. In a burst it takes long, so that each worker gets some. */
    private void began(long row) {
        begun = System.nanoTime();
        CountDownLatch latch = awaited.get(row);
        if (latch == null) {
            busy.add(Thread.currentThread());
            sleep(50);
            burstDone.incrementAndGet();
        } else {
            latch.countDown();
        }
    }

    private static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void measure(String database, String what, int singles, Producer producer) throws Exception {
        Thread.sleep(3_000);
        long before = borrowed.get();
        long seconds = settings.quick() ? 5 : 20;
        Thread.sleep(1_000 * seconds);
        double idle = (borrowed.get() - before) / (double) seconds;
        List<Double> millis = new ArrayList<>();
        for (int i = 0; i < singles; i++) {
            millis.add(single(producer));
            Thread.sleep(ThreadLocalRandom.current().nextInt(20, 100));
        }
        millis.sort(null);
        double p50 = millis.get(singles / 2);
        double p95 = millis.get(singles * 95 / 100);
        rows.add(List.of(
                database,
                what,
                Report.number(idle),
                Report.number(p50),
                Report.number(p95),
                singles == few() || what.startsWith("db-scheduler") ? "" : Report.number(bursts(producer))));
    }

    private double single(Producer producer) throws Exception {
        long row = lastRow.incrementAndGet();
        CountDownLatch latch = new CountDownLatch(1);
        awaited.put(row, latch);
        producer.add(row);
        long committed = System.nanoTime();
        latch.await();
        awaited.remove(row);
        return Math.max(0, begun - committed) / 1e6;
    }

    private double bursts(Producer producer) throws Exception {
        List<Double> millis = new ArrayList<>();
        for (int i = 0; i < BURSTS; i++) {
            millis.add(burst(producer));
            while (burstDone.get() < BURST) {
                Thread.sleep(50);
            }
            Thread.sleep(1_000);
        }
        millis.sort(null);
        return millis.get(BURSTS / 2);
    }

    private double burst(Producer producer) throws Exception {
        busy.clear();
        burstDone.set(0);
        producer.add(
                LongStream.range(0, BURST).map(n -> lastRow.incrementAndGet()).toArray());
        long committed = System.nanoTime();
        while (busy.size() < THREADS) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
        return (System.nanoTime() - committed) / 1e6;
    }

    /** Many add rows while no worker is idle. */
    private void producers(TestDatabase database) throws Exception {
        report.section("Producers that wake", """
                %d threads on PostgreSQL with fsync insert a row each in a transaction of its own, while no worker is
                idle. Below, the share of their transactions that notified.
                """.formatted(PRODUCERS));
        Comparisons comparisons = new Comparisons();
        try (HikariDataSource pool = database.pool(config -> config.setMaximumPoolSize(PRODUCERS));
                Dibs dibs = Dibs.on(pool);
                Connection ear = database.dataSource().getConnection()) {
            Run run = dibs.run("producers");
            Sql.on(ear).run("LISTEN dibs");
            AtomicLong wakes = new AtomicLong();
            compare(comparisons, pool, run, wakes);
            PGNotification[] heard = ear.unwrap(PGConnection.class).getNotifications(100);
            double share = 100.0 * (heard == null ? 0 : heard.length) / wakes.get();
            comparisons.into(report, List.of(), "transaction");
            report.target(
                    "transactions that notify though nobody is idle",
                    Report.number(share) + " %",
                    "below 5 %",
                    share < 5);
        }
    }

    /** The same while workers of another process listen. They find nothing, so they are idle again after each look. */
    private void flood(TestDatabase database) throws Exception {
        report.section("Producers that wake idle workers", """
                The same %d threads, while %d workers of a run over an empty table are idle and listen: above 100
                notifications a second, nobody is notified any more.
                """.formatted(PRODUCERS, THREADS));
        Comparisons comparisons = new Comparisons();
        try (HikariDataSource pool = database.pool(config -> config.setMaximumPoolSize(PRODUCERS));
                HikariDataSource theirs = database.pool(config -> config.setMaximumPoolSize(THREADS + 4));
                Dibs dibs = Dibs.on(pool);
                Dibs listening = dibs(theirs, true)) {
            WorkTable table = new WorkTable(database.name(), theirs, "bench_idle");
            table.fill(0, 0);
            Run run = listening.run("flood");
            try (RunWorkers<?> workers = run.over(table.claims(listening).build())
                    .threads(THREADS)
                    .pollEvery(POLL)
                    .work(row -> {})) {
                workers.start();
                Thread.sleep(3_000);
                compare(comparisons, pool, dibs.run(run.name()), new AtomicLong());
            }
            comparisons.into(report, List.of(), "transaction");
        }
    }

    private void compare(Comparisons comparisons, DataSource pool, Run run, AtomicLong wakes) throws Exception {
        Result unused = comparisons.add(
                List.of(),
                new Rounds(settings.rounds(), settings.slice(), PRODUCERS)
                        .compare("insert", thread -> () -> insert(pool, null, lastRow.incrementAndGet()))
                        .compare("insert and wake", thread -> () -> {
                            wakes.incrementAndGet();
                            insert(pool, run, lastRow.incrementAndGet());
                        })
                        .run());
    }
}
