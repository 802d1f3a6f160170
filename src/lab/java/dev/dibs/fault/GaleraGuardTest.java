package dev.dibs.fault;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.DatabaseFailureException;
import dev.dibs.Dialect;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.LeaseLostException;
import dev.dibs.NamedLock;
import dev.dibs.NotAcquiredException;
import dev.dibs.TransactionWork;
import dev.dibs.database.FullRun;
import dev.dibs.database.GaleraCluster;
import dev.dibs.database.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Collisions at several nodes of a cluster at once. {@code -Dgalera.times=4} tries four times as often, and shows what the dialect of a
 * single server does there.
 */
@Tag("fault")
@FullRun
class GaleraGuardTest {
    private static final int ENOUGH_GRANTS = 100;
    private static final Duration LONGEST_RACE = Duration.ofMinutes(5);
    private static final int TIMES = Integer.getInteger("galera.times", 1);
    private static final int TRIES = 30;
    private static final int THREADS = 6;
    private static final Duration LEASE = Duration.ofMillis(600);
    /** How long around the end of the lease the commit is tried. On a slow machine, only those that begin early are in time. */
    private static final int SPREAD_MILLIS = 100;

    private static final int NAMES = 3;
    private static final Duration RACE = Duration.ofSeconds(15);

    private static GaleraCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        GaleraCluster another = GaleraCluster.another();
        another.assumeAvailable();
        cluster = another;
        try (HikariDataSource here = pool(0)) {
            dibs(here, "galera").admin().createSchema();
            Sql.on(here).run("CREATE TABLE written (name varchar(200) PRIMARY KEY)");
        }
    }

    @AfterAll
    static void stop() throws Exception {
        if (cluster != null) {
            cluster.kill();
        }
    }

    /** How often it was committed, and how often after the next holder's acquire. */
    private record Outcome(int committed, int late) {}

    @Test
    void theDialectOfTheClusterGuardsOverItsNodes() throws Exception {
        Outcome outcome = race("galera");
        assertThat(outcome.committed())
                .as("a race that nobody wins shows nothing")
                .isPositive();
        assertThat(outcome.late()).as("commits after the takeover").isZero();
    }

    /** The danger in docs/reference/scaling.md; if this test fails, the test above shows nothing. It is seen in a few of a hundred. */
    @Test
    @EnabledIfSystemProperty(named = "galera.times", matches = ".+")
    void theDialectOfOneServerDoesNotGuardOverNodes() throws Exception {
        assertThat(race("mariadb").late()).isPositive();
    }

    /**
     * A node runs a statement again that collided at its commit; the caller must not mistake the first answer for the last
     * (wsrep_retry_autocommit).
     */
    @Test
    void anAcquiredLockIsHeldAtAllNodes() throws Exception {
        AtomicReferenceArray<Lease> holders = new AtomicReferenceArray<>(NAMES);
        Queue<String> broken = new ConcurrentLinkedQueue<>();
        AtomicInteger granted = new AtomicInteger();
        List<Future<?>> racers = new ArrayList<>();
        long begun = System.nanoTime();
        // On a busy machine it takes longer until there are enough grants.
        BooleanSupplier goesOn = () -> {
            long taken = System.nanoTime() - begun;
            return taken < RACE.multipliedBy(TIMES).toNanos()
                    || (granted.get() <= ENOUGH_GRANTS && taken < LONGEST_RACE.toNanos());
        };
        ExecutorService threads = Executors.newCachedThreadPool();
        try (HikariDataSource one = pool(0);
                HikariDataSource two = pool(1);
                HikariDataSource three = pool(2);
                Dibs first = dibs(one, "galera");
                Dibs second = dibs(two, "galera");
                Dibs third = dibs(three, "galera")) {
            for (int i = 0; i < THREADS; i++) {
                racers.add(threads.submit(race(first, one, holders, broken, granted, goesOn)));
                racers.add(threads.submit(race(second, two, holders, broken, granted, goesOn)));
                racers.add(threads.submit(race(third, three, holders, broken, granted, goesOn)));
            }
            for (Future<?> racer : racers) {
                racer.get();
            }
            assertThat(granted.get()).isGreaterThan(ENOUGH_GRANTS);
        } finally {
            threads.shutdown();
        }
        assertThat(broken).isEmpty();
    }

    /** Each writes the next number: two at a time would write the same one. */
    @Test
    void aTransactionHasItsLockAtAllNodes() throws Exception {
        AtomicInteger committed = new AtomicInteger();
        List<Future<?>> racers = new ArrayList<>();
        ExecutorService threads = Executors.newCachedThreadPool();
        try (HikariDataSource one = pool(0);
                HikariDataSource two = pool(1);
                Dibs first = dibs(one, "galera");
                Dibs second = dibs(two, "galera")) {
            Sql.on(one).run("CREATE TABLE numbered (num int, racer int, PRIMARY KEY (num, racer))");
            for (int i = 0; i < THREADS; i++) {
                int racer = i;
                Dibs dibs = i % 2 == 0 ? first : second;
                HikariDataSource pool = i % 2 == 0 ? one : two;
                racers.add(threads.submit(() -> {
                    for (int turn = 0; turn < TIMES * TRIES; turn++) {
                        committed.addAndGet(writeNext(dibs, pool, racer));
                    }
                }));
            }
            for (Future<?> racer : racers) {
                racer.get();
            }
            assertThat(committed.get()).isGreaterThan(TRIES);
            assertThat(Sql.on(one).number("SELECT count(*) - count(DISTINCT num) FROM numbered"))
                    .as("of " + committed + " numbers, those that two have")
                    .isZero();
        } finally {
            threads.shutdownNow();
        }
    }

    /** Returns how many were committed. Some have a lease, so that both ways meet. */
    private static int writeNext(Dibs dibs, HikariDataSource pool, int racer) {
        NamedLock lock = dibs.lock("numbered");
        TransactionWork<SQLException> writes = tx -> {
            long next = Sql.on(tx).number("SELECT coalesce(max(num), 0) + 1 FROM numbered");
            Sql.on(tx).change("INSERT INTO numbered VALUES (?, ?)", next, racer);
        };
        try {
            if (racer < 2) {
                try (Lease lease = lock.acquire(Duration.ofSeconds(1))) {
                    lease.inTransaction(pool, writes);
                }
            } else {
                lock.inTransaction(pool, Duration.ofSeconds(1), writes);
            }
            return 1;
        } catch (DatabaseFailureException | LeaseLostException | NotAcquiredException | SQLException refused) {
            return 0;
        }
    }

    private static Callable<Void> race(
            Dibs dibs,
            HikariDataSource pool,
            AtomicReferenceArray<Lease> holders,
            Queue<String> broken,
            AtomicInteger granted,
            BooleanSupplier goesOn) {
        return () -> {
            while (goesOn.getAsBoolean()) {
                acquireOne(dibs, pool, holders, broken, granted);
            }
            return null;
        };
    }

    private static void acquireOne(
            Dibs dibs,
            HikariDataSource pool,
            AtomicReferenceArray<Lease> holders,
            Queue<String> broken,
            AtomicInteger granted)
            throws SQLException {
        int name = ThreadLocalRandom.current().nextInt(NAMES);
        try (Lease lease = dibs.lock("at-all-nodes", name).tryAcquire().orElse(null)) {
            if (lease != null) {
                granted.incrementAndGet();
                Lease other = holders.getAndSet(name, lease);
                if (other != null && other.isValid()) {
                    broken.add("two at a time: " + lease + ", " + other);
                }
                long fence = fence(pool, lease.name());
                if (fence != lease.fencingToken()) {
                    broken.add(lease + " is not in the table, but fence " + fence);
                }
                holders.compareAndSet(name, lease, null);
            }
        } catch (DatabaseFailureException e) {
            // It collided too often: an error is an error.
        }
    }

    /** The fence when all earlier commits have arrived at this node. */
    private static long fence(HikariDataSource pool, String name) throws SQLException {
        return Sql.on(pool)
                .number("SET STATEMENT wsrep_sync_wait = 1 FOR SELECT fence FROM dibs_lock WHERE name = ?", name);
    }

    private static Outcome race(String dialect) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        int committed = 0;
        int late = 0;
        try (HikariDataSource here = pool(0);
                HikariDataSource there = pool(1);
                Dibs first = dibs(here, dialect);
                Dibs second = dibs(there, dialect)) {
            List<Future<Outcome>> tries = new ArrayList<>();
            for (int i = 0; i < TIMES * TRIES * THREADS; i++) {
                String name = dialect + "-" + i;
                tries.add(threads.submit(() -> attempt(first, second, here, there, name)));
            }
            for (Future<Outcome> attempt : tries) {
                committed += attempt.get().committed();
                late += attempt.get().late();
            }
        } finally {
            threads.shutdownNow();
        }
        System.out.println(dialect + ": of " + TIMES * TRIES * THREADS + " guarded transactions " + committed
                + " were committed, " + late + " of them after the takeover");
        return new Outcome(committed, late);
    }

    private static Outcome attempt(Dibs first, Dibs second, HikariDataSource here, HikariDataSource there, String name)
            throws Exception {
        Lease lease;
        try {
            lease = first.lock(name).leaseLength(LEASE).acquire(Duration.ofSeconds(30));
        } catch (DatabaseFailureException | NotAcquiredException tooSlow) {
            return new Outcome(0, 0);
        }
        Thread.sleep(LEASE.toMillis() / 4);
        ExecutorService successor = Executors.newSingleThreadExecutor();
        try {
            Future<Boolean> seen = successor.submit(() -> isSeenByNext(second, there, name));
            boolean committed = write(here, lease, name);
            lease.close();
            boolean late = committed && !seen.get();
            return new Outcome(committed ? 1 : 0, late ? 1 : 0);
        } finally {
            successor.shutdown();
            lease.close();
        }
    }

    /** Whether the next holder sees the row. One that gets no lock, since it is too slow or collides too often, shows nothing. */
    private static boolean isSeenByNext(Dibs dibs, HikariDataSource pool, String name) throws SQLException {
        try (Lease next = dibs.lock(name).acquire(Duration.ofMinutes(1))) {
            return !next.isValid() || isWritten(pool, name);
        } catch (DatabaseFailureException | NotAcquiredException tooSlow) {
            return true;
        }
    }

    /** While the transaction is open, its own node does not renew the lease, so it expires. */
    private static boolean write(HikariDataSource pool, Lease lease, String name) throws InterruptedException {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            try {
                lease.guard(connection);
                Sql.on(connection).change("INSERT INTO written VALUES (?)", name);
                Thread.sleep(Math.max(0, lease.remaining().toMillis() - SPREAD_MILLIS / 2)
                        + ThreadLocalRandom.current().nextInt(SPREAD_MILLIS));
                connection.commit();
                return true;
            } finally {
                connection.rollback();
            }
        } catch (SQLException | DatabaseFailureException | LeaseLostException refused) {
            return false;
        }
    }

    private static boolean isWritten(HikariDataSource pool, String name) throws SQLException {
        return Sql.on(pool).finds("SELECT 1 FROM written WHERE name = ?", name);
    }

    private static Dibs dibs(HikariDataSource pool, String dialect) {
        return Dibs.builder(pool).dialect(Dialect.named(dialect)).build();
    }

    private static HikariDataSource pool(int node) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(cluster.urlAt(cluster.ports().get(node)));
        config.setUsername(cluster.user());
        config.setPassword(cluster.password());
        config.setMaximumPoolSize(THREADS * 2 + 2);
        return new HikariDataSource(config);
    }
}
