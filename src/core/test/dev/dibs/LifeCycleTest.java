package dev.dibs;

import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullTest;
import dev.dibs.database.H2Database;
import dev.dibs.database.TestDatabase;
import dev.dibs.database.UsesDatabase;
import dev.dibs.junit.Closing;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.h2.tools.Server;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The end of an instance: a close during other calls, callbacks that fail, connections that come too late. */
@Tag("contract")
@UsesDatabase(H2Database.class)
class LifeCycleTest extends Closing {

    private static final InheritableThreadLocal<Connection> BOUND = new InheritableThreadLocal<>();

    private DataSource dataSource;

    @BeforeEach
    void makeTables(TestDatabase database) {
        dataSource = database.dataSource();
        try (Dibs dibs = Dibs.on(dataSource)) {
            dibs.admin().createSchema();
        }
    }

    @FullTest
    void aConnectionThatComesTooLateGoesBack(TestDatabase database) throws Exception {
        HikariDataSource one = closing(database.pool(config -> config.setMaximumPoolSize(1)));
        Dibs dibs =
                closing(Dibs.builder(one).leaseLength(Duration.ofSeconds(12)).build());
        Lease lease = dibs.lock("late-connection-" + System.nanoTime()).acquire(Duration.ZERO);
        try (Connection kept = one.getConnection()) {
            // The purge that the new name requests waits for longer than its slice.
            Thread.sleep(1300);
            assertThat(kept.isValid(1)).isTrue();
        }
        // Sooner than a request is given up that hangs.
        await().atMost(Duration.ofSeconds(25))
                .until(() -> one.getHikariPoolMXBean().getActiveConnections() == 0);
        AtomicReference<Duration> last = new AtomicReference<>(lease.remaining());
        await("a renewal").until(() -> lease.remaining().compareTo(last.getAndSet(lease.remaining())) > 0);
        lease.check();
    }

    @Test
    void closingOnAnInterruptedThreadReleasesEverything() {
        Dibs here = Dibs.on(dataSource);
        here.lock("interrupted-close").acquire(Duration.ZERO);
        Thread.currentThread().interrupt();
        here.close();
        assertThat(Thread.interrupted()).isTrue();
        Dibs there = closing(Dibs.on(dataSource));
        Lease lease = closing(there.lock("interrupted-close").acquire(Duration.ZERO));
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void aListenerThatFailsBadlyNeitherLosesTheLeaseNorKeepsItForEver() {
        DibsListener bad = new DibsListener() {
            @Override
            public void acquired(Lease lease) {
                throw new NoClassDefFoundError("as after an undeployment");
            }
        };
        Dibs dibs = closing(Dibs.builder(dataSource).listener(bad).build());
        dibs.lock("bad-listener").acquire(Duration.ZERO).close();
        assertThat(dibs.lock("bad-listener").tryAcquire()).isPresent();
    }

    @Test
    void callbacksThatBlockDoNotSilenceTheOthers() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch notified = new CountDownLatch(3);
        Dibs dibs = closing(Dibs.on(dataSource));
        List<Lease> blocking = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Lease lease = dibs.lock("blocked-callback", i).acquire(Duration.ZERO);
            lease.onLost(lost -> awaitQuietly(end));
            blocking.add(lease);
        }
        for (int i = 4; i < 7; i++) {
            Lease lease = dibs.lock("blocked-callback", i).acquire(Duration.ZERO);
            lease.onLost(lost -> notified.countDown());
            blocking.add(lease);
        }
        blocking.forEach(lease -> dibs.admin().breakLock(lease.name()));
        assertThat(notified.await(60, TimeUnit.SECONDS)).isTrue();
        end.countDown();
    }

    @Test
    void aGuardOnAnotherDatabasesConnectionSaysThatItMayBeThat() throws SQLException {
        Dibs dibs = closing(Dibs.on(dataSource));
        Connection other = closing(DriverManager.getConnection("jdbc:h2:mem:other-database"));
        Lease lease = dibs.lock("guard-elsewhere").acquire(Duration.ZERO);
        other.setAutoCommit(false);
        assertThatThrownBy(() -> lease.guard(other))
                .isInstanceOf(DatabaseFailureException.class)
                .hasMessageContaining("Is its connection to the database of this Dibs");
        lease.check();
    }

    @Test
    void closingDoesNotWaitForEachPartOfAHungDatabaseInTurn() {
        // A machine that stands still may make one of them slow.
        assertThat(IntStream.range(0, 4).anyMatch(time -> closesWithin(Duration.ofSeconds(3))))
                .isTrue();
    }

    private boolean closesWithin(Duration most) {
        CountDownLatch gate = new CountDownLatch(1);
        FaultyDataSource hung = new FaultyDataSource(dataSource);
        Dibs dibs = Dibs.builder(hung).leaseLength(Duration.ofSeconds(1)).build();
        Lease lease = dibs.lock("hung-close").acquire(Duration.ofMinutes(1));
        hung.on(sql -> true).always().holdBefore(gate);
        // The heartbeat hangs; so does the maintenance, as soon as there is some.
        await().until(() -> !hung.struck().isEmpty());
        long start = System.nanoTime();
        dibs.close(Duration.ofMillis(600));
        boolean within = System.nanoTime() - start < most.toNanos();
        assertThat(lease.isValid()).isFalse();
        gate.countDown();
        return within;
    }

    @Test
    @Timeout(120)
    void aCallerOfAHungServerWhoseDriverHasNoTimeoutGetsAnError() throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        Server server = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
        JdbcDataSource plain = new JdbcDataSource();
        plain.setURL("jdbc:h2:tcp://127.0.0.1:" + server.getPort() + "/mem:hung;DB_CLOSE_DELAY=-1");
        plain.setUser("sa");
        FaultyDataSource hung = new FaultyDataSource(plain);
        try (Dibs dibs = Dibs.builder(hung).leaseLength(Duration.ofMillis(500)).build()) {
            dibs.admin().createSchema();
            dibs.lock("hung-server").acquire(Duration.ofSeconds(30)).close();
            hung.on(sql -> true).always().holdBefore(gate);
            long start = System.nanoTime();
            assertThatThrownBy(() -> dibs.lock("hung-server").tryAcquire())
                    .isInstanceOf(DatabaseFailureException.class)
                    .hasMessageContaining("no answer within 500 ms");
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(30));
            hung.heal();
            gate.countDown();
            assertThat(dibs.lock("hung-server").tryAcquire(Duration.ofSeconds(30)))
                    .isPresent();
        } finally {
            gate.countDown();
            server.stop();
        }
    }

    private static void awaitQuietly(CountDownLatch end) {
        try {
            end.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aTransactionThatIsInheritedByThreadsIsNotJoined() throws SQLException {
        DataSource inherited = (DataSource)
                Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {DataSource.class}, binding());
        Dibs dibs = closing(Dibs.on(inherited));
        Connection transaction = closing(dataSource.getConnection());
        transaction.setAutoCommit(false);
        BOUND.set(transaction);
        Lease lease = dibs.lock("inherited").acquire(Duration.ZERO);
        transaction.rollback();
        BOUND.remove();
        try (Dibs there = Dibs.on(dataSource)) {
            assertThat(there.lock("inherited").tryAcquire())
                    .as("not rolled back with the transaction")
                    .isEmpty();
        }
        lease.close();
    }

    private InvocationHandler binding() {
        return (proxy, method, arguments) -> {
            Connection connection = BOUND.get();
            if (connection == null) {
                return dataSource.getConnection();
            }
            return Proxy.newProxyInstance(
                    getClass().getClassLoader(),
                    new Class<?>[] {Connection.class},
                    (inner, called, given) ->
                            called.getName().equals("close") ? null : called.invoke(connection, given));
        };
    }

    @Test
    void anInterruptWhileALostAnswerIsLookedUpLeavesNothingBehind() throws Exception {
        FaultyDataSource faulty = new FaultyDataSource(dataSource);
        CountDownLatch struck = new CountDownLatch(1);
        AtomicInteger failures = new AtomicInteger();
        Dibs dibs =
                closing(Dibs.builder(faulty).leaseLength(Duration.ofMinutes(5)).build());
        Dibs there = closing(Dibs.on(dataSource));
        there.lock("adopt").acquire(Duration.ZERO).close();
        Thread caller = new Thread(() -> {
            faulty.on(sql -> sql.contains("INSERT INTO")).time(1).loseAnswer();
            faulty.on(sql -> sql.contains("MERGE")).always().fail("08006", 0);
            Thread.currentThread().interrupt();
            struck.countDown();
            try {
                dibs.lock("adopt").acquire(Duration.ZERO);
            } catch (RuntimeException e) {
                failures.incrementAndGet();
            }
        });
        caller.start();
        struck.await();
        caller.join();
        faulty.heal();
        assertThat(failures).hasValue(1);
        there.lock("adopt").acquire(Duration.ofSeconds(30)).close();
    }
}
