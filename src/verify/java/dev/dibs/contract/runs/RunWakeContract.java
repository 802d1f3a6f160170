package dev.dibs.contract.runs;

import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullTest;
import dev.dibs.runs.Run;
import dev.dibs.runs.RunWorkerInfo;
import dev.dibs.runs.RunWorkers;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Idle workers of one process: one of them looks for all, and a wake lets it look at once. */
class RunWakeContract extends ContractFixture {

    /** No test takes so long: a row is found by a wake, or not at all. */
    private static final Duration NEVER = Duration.ofHours(1);

    private final Queue<Long> worked = new ConcurrentLinkedQueue<>();

    /** A statement that only an idle worker sends, once a look. */
    static boolean isLook(String sql) {
        return sql.contains("AS wanted") && sql.contains("read_micros");
    }

    private RunWorkers<?> start(Run run, Dibs dibs, Jobs jobs, int threads, Duration pollEvery) throws Exception {
        return start(run, dibs, jobs, threads, pollEvery, null);
    }

    /** Workers that have looked and found nothing. */
    private RunWorkers<?> start(
            Run run, Dibs dibs, Jobs jobs, int threads, Duration pollEvery, @Nullable Executor executor)
            throws Exception {
        var builder = run.over(jobs.claims(dibs).build()).threads(threads).pollEvery(pollEvery);
        builder = executor == null ? builder : builder.executor(executor);
        RunWorkers<?> workers =
                closing(builder.work(row -> worked.add(row.asLong())).start());
        awaitWorkers(run, executor == null ? threads : 2);
        return workers;
    }

    static void awaitWorkers(Run run, int threads) throws InterruptedException {
        await().atMost(SOON).until(() -> run.status().orElseThrow().workers().size() >= threads);
        // Each looks once by itself; then all but one sleep.
        Thread.sleep(700);
    }

    private void awaitWork(long row) {
        await().atMost(SOON).until(() -> worked.contains(row));
    }

    @FullTest
    void sixteenIdleWorkersSendOneTransactionAPollAndOneReport() throws Exception {
        AtomicInteger transactions = new AtomicInteger();
        AtomicInteger looks = new AtomicInteger();
        Duration poll = Duration.ofMillis(500);
        Dibs dibs = dibs(counting(looks, counting(transactions)));
        Jobs jobs = jobs(0);
        RunWorkers<?> workers = start(dibs.run(fresh("idle")), dibs, jobs, 16, poll);
        Thread.sleep(2_000);
        transactions.set(0);
        looks.set(0);
        long start = System.nanoTime();
        Thread.sleep(5_000);
        int sent = transactions.get();
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        assertThat((long) looks.get()).isBetween(2L, millis / poll.toMillis() + 1);
        assertThat((long) sent).isLessThanOrEqualTo(millis / poll.toMillis() + 1 + millis / 2_000 + 1);
        workers.close();
    }

    /** The shared pool; counts how often a connection is borrowed. */
    private DataSource counting(AtomicInteger borrowed) {
        return (DataSource) Proxy.newProxyInstance(
                RunWakeContract.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, values) -> {
                    if (method.getName().equals("getConnection")) {
                        borrowed.incrementAndGet();
                    }
                    return method.invoke(pool(), values);
                });
    }

    private static FaultyDataSource counting(AtomicInteger looks, DataSource target) {
        FaultyDataSource source = new FaultyDataSource(target);
        source.on(RunWakeContract::isLook).always().actBefore(looks::incrementAndGet);
        return source;
    }

    @FullTest
    void idleWorkersAreAlive() throws Exception {
        Run run = here().run(fresh("alive"));
        start(run, here(), jobs(0), 3, NEVER);
        List<Instant> before = seen(run);
        await().atMost(SOON)
                .until(() -> IntStream.range(0, 3)
                        .allMatch(i -> seen(run).get(i).isAfter(before.get(i).plusSeconds(3))));
    }

    private static List<Instant> seen(Run run) {
        return run.status().orElseThrow().workers().stream()
                .map(RunWorkerInfo::seenAt)
                .toList();
    }

    @Test
    void aWakeLetsAnIdleWorkerLookAtOnce() throws Exception {
        Run run = here().run(fresh("wake"));
        Jobs jobs = jobs(0);
        start(run, here(), jobs, 4, NEVER);
        for (long row = 1; row <= 5; row++) {
            jobs.add(row);
            run.wake();
            awaitWork(row);
        }
    }

    @Test
    void aWakeIsForEachStartOfTheRun() throws Exception {
        String name = fresh("both");
        Jobs some = jobs(0);
        Jobs others = jobs(0);
        start(here().run(name), here(), some, 1, NEVER);
        start(here().run(name), here(), others, 1, NEVER);
        some.add(1);
        others.add(2);
        here().run(name).wake();
        awaitWork(1);
        awaitWork(2);
    }

    @FullTest
    void aWakeNeedsNoConnectionOnTheThreadOfTheCaller() throws Exception {
        FaultyDataSource source = new FaultyDataSource(pool());
        Dibs dibs = dibs(source);
        Run run = dibs.run(fresh("none"));
        Jobs jobs = jobs(0);
        start(run, dibs, jobs, 1, NEVER);
        jobs.add(1);
        source.exhaust(Duration.ofSeconds(20));
        long start = System.nanoTime();
        for (int i = 0; i < 10_000; i++) {
            run.wake();
        }
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(15));
        source.refill();
        awaitWork(1);
    }

    @Test
    void aBurstPutsAllToWork() throws Exception {
        Run run = here().run(fresh("burst"));
        Jobs jobs = jobs(0);
        int threads = 8;
        CountDownLatch together = new CountDownLatch(threads);
        closing(run.over(jobs.claims(here()).build())
                .threads(threads)
                .batch(2)
                .pollEvery(NEVER)
                .work(row -> {
                    together.countDown();
                    together.await();
                })
                .start());
        awaitWorkers(run, threads);
        for (long row = 1; row <= 4L * threads; row++) {
            jobs.add(row);
        }
        run.wake();
        assertThat(together.await(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
        await().atMost(SOON).until(() -> jobs.done().size() == 4 * threads);
    }

    @Test
    void oneThatStopsIsSeenByAll() throws Exception {
        Run run = here().run(fresh("stop"));
        RunWorkers<?> workers = start(run, here(), jobs(0), 8, NEVER);
        run.stop("enough");
        assertThat(workers.await(SOON)).isTrue();
        assertThat(workers.await()).isEqualTo(RunWorkers.End.STOPPED);
    }

    @FullTest(except = "postgresql")
    void aPausedRunGoesOn() throws Exception {
        Run run = here().run(fresh("pause"));
        Jobs jobs = jobs(0);
        start(run, here(), jobs, 4, NEVER);
        run.pause("wait");
        jobs.add(1);
        run.wake();
        Thread.sleep(700);
        assertThat(worked).isEmpty();
        run.resume("go on");
        awaitWork(1);
    }

    @Test
    void aColumnThatIsGoneEndsAll() throws Exception {
        Run run = here().run(fresh("gone"));
        Jobs jobs = jobs(0);
        RunWorkers<?> workers = start(run, here(), jobs, 16, NEVER);
        jobs.run("ALTER TABLE " + jobs.table() + " DROP COLUMN request_token");
        run.wake();
        assertThat(workers.await(SOON)).isTrue();
        assertThat(workers.await()).isEqualTo(RunWorkers.End.FAILED);
    }

    @Test
    void anIdleWorkerFreesDeadRows() throws Exception {
        Run run = here().run(fresh("again"));
        Jobs jobs = jobs(1);
        AtomicBoolean fails = new AtomicBoolean(true);
        closing(run.over(jobs.claims(here()).build())
                .threads(2)
                .pollEvery(NEVER)
                .maxAttempts(1)
                .work(row -> {
                    if (fails.getAndSet(false)) {
                        throw new IllegalStateException("once");
                    }
                    worked.add(row.asLong());
                })
                .start());
        await().atMost(SOON).until(() -> run.dead(1).size() == 1);
        Thread.sleep(500);
        assertThat(run.retryDead()).isEqualTo(1);
        awaitWork(1);
    }

    /** The next statement of a worker, if it is armed. */
    static boolean isNext(AtomicBoolean armed) {
        return Thread.currentThread().getName().startsWith("dibs-run-")
                && !Thread.currentThread().getName().startsWith("dibs-run-beat")
                && armed.getAndSet(false);
    }

    @FullTest
    void aLookThatHangsHoldsUpNobody() throws Exception {
        FaultyDataSource source = new FaultyDataSource(pool());
        AtomicBoolean armed = new AtomicBoolean();
        CountDownLatch gate = new CountDownLatch(1);
        Dibs dibs = dibs(source);
        Jobs jobs = jobs(0);
        Run run = dibs.run(fresh("hangs"));
        start(run, dibs, jobs, 3, NEVER);
        closing(gate::countDown);
        source.on(sql -> isNext(armed)).holdBefore(gate);
        jobs.add(1);
        armed.set(true);
        run.wake();
        await().atMost(SOON).until(() -> !armed.get());
        awaitWork(1);
        jobs.add(2);
        run.wake();
        awaitWork(2);
        gate.countDown();
    }

    @Test
    void aLookThatFailsIsRepeated() throws Exception {
        FaultyDataSource source = new FaultyDataSource(pool());
        AtomicBoolean armed = new AtomicBoolean();
        Dibs dibs = dibs(source);
        Jobs jobs = jobs(0);
        Run run = dibs.run(fresh("fails"));
        start(run, dibs, jobs, 3, NEVER);
        source.on(sql -> isNext(armed)).loseStatement();
        armed.set(true);
        jobs.add(1);
        run.wake();
        awaitWork(1);
        assertThat(source.struck()).hasSize(1);
    }

    @Test
    void anExecutorMayHaveFewerThreadsThanThereAreWorkers() throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(2);
        closing(executor::shutdown);
        Run run = here().run(fresh("fewer"));
        Jobs jobs = jobs(0);
        RunWorkers<?> workers = start(run, here(), jobs, 4, NEVER, executor);
        for (long row = 1; row <= 3; row++) {
            jobs.add(row);
            run.wake();
            awaitWork(row);
        }
        workers.close();
        assertThat(workers.await()).isEqualTo(RunWorkers.End.CLOSED);
    }

    @Test
    void virtualThreadsSleepAndWake() throws Exception {
        ExecutorService executor = virtualThreads();
        Run run = here().run(fresh("virtual"));
        Jobs jobs = jobs(0);
        start(run, here(), jobs, 100, NEVER, executor);
        for (long row = 1; row <= 5; row++) {
            jobs.add(row);
            run.wake();
            awaitWork(row);
        }
    }

    @Test
    void aRowThatTenProcessesAreWokenForIsDoneOnceAndCostsALookEach() throws Exception {
        AtomicInteger looks = new AtomicInteger();
        Jobs jobs = jobs(0);
        String name = fresh("ten");
        FaultyDataSource source = counting(looks, pool());
        List<Dibs> all = IntStream.range(0, 10).mapToObj(i -> dibs(source)).toList();
        for (Dibs dibs : all) {
            closing(dibs.run(name)
                    .over(jobs.claims(dibs).build())
                    .threads(2)
                    .pollEvery(NEVER)
                    .work(row -> worked.add(row.asLong()))
                    .start());
        }
        awaitWorkers(here().run(name), 20);
        looks.set(0);
        jobs.add(1);
        all.forEach(dibs -> dibs.run(name).wake());
        awaitWork(1);
        Thread.sleep(700);
        assertThat(worked).containsExactly(1L);
        assertThat(looks.get()).isBetween(1, 10);
    }

    /** Without notifications, the process looks a few times, since the commit comes later. */
    @Test
    void aWakeInATransactionIsForTheRowsOfItsCommit() throws Exception {
        Run run = here().run(fresh("commit"));
        Jobs jobs = jobs(0);
        start(run, here(), jobs, 2, NEVER);
        try (Connection connection = pool().getConnection()) {
            connection.setAutoCommit(false);
            add(connection, jobs, 1);
            run.wake(connection);
            Thread.sleep(100);
            assertThat(worked).isEmpty();
            connection.commit();
            connection.setAutoCommit(true);
        }
        awaitWork(1);
    }

    static void add(Connection connection, Jobs jobs, long row) throws SQLException {
        run(connection, "INSERT INTO " + jobs.table() + " (id) VALUES (" + row + ")");
    }

    /** If each look used up the time of a batch, a row would begin a second after the one before. One that stands still does. */
    @FullTest
    void looksThatFindLittleDoNotUseUpTheRate() throws Exception {
        Jobs jobs = jobs(0);
        String name = fresh("rate");
        AtomicInteger looks = new AtomicInteger();
        for (int i = 0; i < 10; i++) {
            Dibs dibs = dibs(counting(looks, pool()));
            closing(dibs.run(name)
                    .over(jobs.claims(dibs).build())
                    .rate(10)
                    .pollEvery(Duration.ofMillis(100))
                    .work(row -> worked.add(row.asLong()))
                    .start());
        }
        awaitWorkers(here().run(name), 10);
        Instant begin = Instant.now();
        int rows = 40;
        for (long row = 1; row <= rows; row++) {
            jobs.add(row);
            awaitWork(row);
        }
        assertThat(Duration.between(begin, Instant.now()))
                .isBetween(tenths(rows - 11), tenths(5 * (rows + looks.get())));
        assertThat(worked).doesNotHaveDuplicates();
    }

    private static Duration tenths(int count) {
        return Duration.ofMillis(100L * count);
    }
}
