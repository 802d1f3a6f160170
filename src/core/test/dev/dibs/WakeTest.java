package dev.dibs;

import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.database.CountingDataSource;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullTest;
import dev.dibs.process.ChildJvm;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Waiting without a poll: a waiter here looks by itself only after an hour or more. So a wait that ends in time was ended by a
 * notification.
 */
@Tag("contract")
class WakeTest extends WakeFixture {

    private Dibs waiter;

    @BeforeEach
    void openWaiter() {
        waiter = closing(WakeRacerMain.sleepy(pool).build());
    }

    private static String fresh(String name) {
        return name + "-" + System.nanoTime();
    }

    /** Waits in a thread of its own, until it is certain to be woken. */
    private CompletableFuture<Lease> waits(String name, Function<Duration, Lease> acquire) throws Exception {
        int before = server.marks(name);
        CompletableFuture<Lease> lease = CompletableFuture.supplyAsync(() -> acquire.apply(LONG));
        await().atMost(PATIENCE).until(() -> server.marks(name) > before);
        // The look after the mark.
        Thread.sleep(300);
        assertThat(lease).isNotDone();
        return lease;
    }

    private static void assertHandedOver(Lease held, CompletableFuture<Lease> next) throws Exception {
        held.close();
        try (Lease lease = next.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            assertThat(lease.isValid()).isTrue();
        }
    }

    @Test
    void aReleaseInAnotherProcessWakesAWaiter() throws Exception {
        String name = fresh("lock");
        Lease held = holder.lock(name).tryAcquire().orElseThrow();
        assertHandedOver(held, waits(name, waiter.lock(name)::acquire));
    }

    @Test
    void aNotifiedWaiterSendsNoPolls() throws Exception {
        String name = fresh("asks");
        CountingDataSource counting = new CountingDataSource(pool);
        Lease held = holder.lock(name).tryAcquire().orElseThrow();
        Dibs dibs = closing(WakeRacerMain.sleepy(counting).build());
        CompletableFuture<Lease> next = waits(name, dibs.lock(name)::acquire);
        // The look after the mark may come late; one that polls is never silent for so long.
        await().until(() -> {
            counting.reset();
            Thread.sleep(2000);
            return counting.statements().isEmpty();
        });
        assertHandedOver(held, next);
    }

    /** By a lease of another process, or of its own. */
    @Test
    void aReleaseWakesATransaction() throws Exception {
        for (Dibs dibs : List.of(holder, waiter)) {
            String name = fresh("transaction");
            Lease held = dibs.lock(name).tryAcquire().orElseThrow();
            CompletableFuture<Lease> sold = waits(name, wait -> {
                assertThat(waiter.lock(name).<RuntimeException>tryInTransaction(pool, wait, tx -> {}))
                        .isTrue();
                return waiter.lock(name).acquire(PATIENCE);
            });
            assertHandedOver(held, sold);
        }
    }

    @Test
    void aReleasedPermitWakesAWaiter() throws Exception {
        String name = fresh("permit");
        Lease held = holder.semaphore(name, 2).tryAcquire().orElseThrow();
        Lease other = holder.semaphore(name, 2).tryAcquire().orElseThrow();
        assertHandedOver(held, waits(name, waiter.semaphore(name, 2)::acquire));
        other.close();
    }

    @Test
    void aWriterIsWokenByAWriter() throws Exception {
        String name = fresh("write");
        Lease writer = holder.readWriteLock(name).write().acquire(PATIENCE);
        assertHandedOver(writer, waits(name, waiter.readWriteLock(name).write()::acquire));
    }

    @Test
    void aWriterIsWokenByTheLastReader() throws Exception {
        String name = fresh("write-after-read");
        Lease reader = holder.readWriteLock(name).read().acquire(PATIENCE);
        assertHandedOver(reader, waits(name, waiter.readWriteLock(name).write()::acquire));
    }

    @Test
    void aReaderIsWokenByAWriter() throws Exception {
        String name = fresh("read");
        Lease writer = holder.readWriteLock(name).write().acquire(PATIENCE);
        assertHandedOver(writer, waits(name, waiter.readWriteLock(name).read()::acquire));
    }

    @Test
    void aBreakWakesAWaiter() throws Exception {
        String name = fresh("broken");
        Lease held = holder.lock(name).tryAcquire().orElseThrow();
        CompletableFuture<Lease> next = waits(name, waiter.lock(name)::acquire);
        holder.admin().breakLock(name);
        next.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).close();
        held.close();
    }

    @Test
    void theEndOfAnInstanceWakesWaiters() throws Exception {
        String name = fresh("closed");
        Dibs dying = closing(Dibs.on(pool));
        assertThat(dying.lock(name).leaseLength(Duration.ofHours(1)).tryAcquire())
                .isPresent();
        CompletableFuture<Lease> next = waits(name, waiter.lock(name)::acquire);
        dying.close();
        next.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).close();
    }

    @FullTest
    void aHeldBackLockIsAwaitedByTime() throws Exception {
        String name = fresh("held-back");
        Lease held = holder.lock(name)
                .holdAtLeast(Duration.ofSeconds(3))
                .tryAcquire()
                .orElseThrow();
        assertHandedOver(held, waits(name, waiter.lock(name)::acquire));
    }

    @Test
    void severalLocksAtOnceArePolledFor() throws Exception {
        String name = fresh("several");
        Lease held = holder.lock(name).tryAcquire().orElseThrow();
        CompletableFuture<Leases> next = CompletableFuture.supplyAsync(
                () -> waiter.lockAll(List.of(name, name + "-2")).acquire(LONG));
        Thread.sleep(500);
        held.close();
        next.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).close();
    }

    @Test
    void aReleaseThatNobodyWaitsForNotifiesNobody() throws Exception {
        String name = fresh("nobody");
        WakeServer.Ear ear = closing(server.listen(name));
        for (int i = 0; i < 20; i++) {
            holder.lock(name).acquire(PATIENCE).close();
            holder.semaphore(name, 2).acquire(PATIENCE).close();
            holder.readWriteLock(name).read().acquire(PATIENCE).close();
            holder.readWriteLock(name).write().acquire(PATIENCE).close();
        }
        assertThat(ear.numbers()).isEmpty();
        Lease held = holder.lock(name).acquire(PATIENCE);
        assertHandedOver(held, waits(name, waiter.lock(name)::acquire));
        assertThat(ear.numbers()).as("somebody waited").isNotEmpty();
    }

    /** Even if the lock is never left alone for long. */
    @FullTest
    void givingUpEndsTheNotifications() throws Exception {
        String name = fresh("gives-up");
        Lease held = holder.lock(name).acquire(PATIENCE);
        WakeServer.Ear ear = closing(server.listen(name));
        assertThat(waiter.lock(name).tryAcquire(Duration.ofMillis(700))).isEmpty();
        held.close();
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(50)).until(() -> {
            holder.lock(name).acquire(PATIENCE).close();
            return server.marks(name) == 0;
        });
        List<String> unused = ear.numbers();
        for (int i = 0; i < 10; i++) {
            holder.lock(name).acquire(PATIENCE).close();
        }
        assertThat(ear.numbers()).isEmpty();
    }

    @Test
    void aProcessThatDiesLeavesNothingBehind() throws Exception {
        String name = fresh("dies");
        Lease held = holder.lock(name).acquire(PATIENCE);
        ChildJvm child = closing(racer(name, 1, 0));
        WakeServer.Ear ear = closing(server.listen(name));
        await().atMost(PATIENCE).until(() -> server.marks(name) == 1);
        child.kill();
        await().atMost(PATIENCE).until(() -> server.marks(name) == 0);
        assertThat(ear.numbers()).isEmpty();
        held.close();
        assertThat(ear.numbers()).isEmpty();
    }

    private ChildJvm racer(String name, int times, int longestHold) {
        return database.startJvm(WakeRacerMain.class, name, String.valueOf(times), String.valueOf(longestHold));
    }

    /** A release between the look and the mark, or during the mark, is not missed. */
    @FullTest
    void noReleaseIsMissedBetweenProcesses() throws Exception {
        String name = fresh("race");
        List<ChildJvm> racers = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++) {
                racers.add(racer(name, 150, 30));
            }
            for (ChildJvm racer : racers) {
                racer.awaitLine("DONE"::equals, Duration.ofMinutes(2));
            }
        } finally {
            racers.forEach(ChildJvm::close);
        }
    }

    /** A slow release is not committed yet when it finds no waiter; a new waiter must not look before the commit. */
    @Test
    void noReleaseIsMissedThatIsUnderWay() throws Exception {
        String name = fresh("slow");
        String prefix = "slow" + System.nanoTime() + "_";
        try (Dibs here =
                        Dibs.builder(pool).leaseLength(LONG).tablePrefix(prefix).build();
                Dibs there = WakeRacerMain.sleepy(pool).tablePrefix(prefix).build()) {
            here.admin().createSchema(Capability.LOCKS);
            server.execute("CREATE FUNCTION " + prefix + "release() RETURNS trigger LANGUAGE plpgsql AS"
                    + " 'BEGIN PERFORM pg_sleep(0.7); RETURN NEW; END'");
            server.execute("CREATE TRIGGER slow AFTER UPDATE ON " + prefix + "lock FOR EACH ROW"
                    + " WHEN (NEW.owner IS NULL) EXECUTE FUNCTION " + prefix + "release()");
            Lease held = here.lock(name).tryAcquire().orElseThrow();
            CompletableFuture<Void> release = CompletableFuture.runAsync(held::close);
            // The update is done and nobody waits; the commit comes later.
            Thread.sleep(200);
            CompletableFuture.runAsync(() -> there.lock(name).acquire(LONG).close())
                    .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            release.join();
        } finally {
            server.execute("DROP TABLE IF EXISTS " + prefix + "lock");
            server.execute("DROP FUNCTION IF EXISTS " + prefix + "release");
        }
    }

    /** The same with one waiter, whose mark and another process's release are aimed at the same instant. */
    @FullTest
    void noReleaseIsMissedWhileItIsMarked() throws Exception {
        for (int i = 0; i < 200; i++) {
            String name = fresh("aimed");
            Lease held = holder.lock(name).tryAcquire().orElseThrow();
            CompletableFuture<Lease> next =
                    CompletableFuture.supplyAsync(() -> waiter.lock(name).acquire(LONG));
            // Marks come some 10 to 20 ms after the first look.
            TimeUnit.MICROSECONDS.sleep(7_000 + 75 * i);
            assertHandedOver(held, next);
        }
    }

    @Test
    void closeEndsTheThreadTheConnectionAndTheWait() throws Exception {
        String name = fresh("close");
        Lease held = closing(holder.lock(name).acquire(PATIENCE));
        HikariDataSource own = closing(database.pool(config -> config.setMaximumPoolSize(3)));
        FaultyDataSource watched = new FaultyDataSource(own);
        AtomicReference<Thread> listener = new AtomicReference<>();
        watched.on(sql -> sql.startsWith("LISTEN")).actBefore(() -> listener.getAndSet(Thread.currentThread()));
        Dibs dibs = WakeRacerMain.sleepy(watched).build();
        CompletableFuture<Lease> next = waits(name, dibs.lock(name)::acquire);
        dibs.close();
        await().atMost(PATIENCE).until(() -> !listener.get().isAlive());
        assertThatThrownBy(() -> next.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .hasRootCauseInstanceOf(IllegalStateException.class);
        await().atMost(PATIENCE)
                .until(() -> own.getHikariPoolMXBean().getActiveConnections() == 0 && server.marks(name) == 0);
        held.check();
    }

    @FullTest
    void theLastWaiterReturnsTheConnectionUnchanged() throws Exception {
        String name = fresh("goes-back");
        HikariDataSource own = closing(database.pool(config -> {
            config.setMaximumPoolSize(2);
            config.setAutoCommit(false);
        }));
        Dibs dibs = closing(WakeRacerMain.sleepy(own).build());
        Lease held = holder.lock(name).acquire(PATIENCE);
        assertHandedOver(held, waits(name, dibs.lock(name)::acquire));
        await().atMost(PATIENCE).until(() -> own.getHikariPoolMXBean().getActiveConnections() == 0);
        assertThat(server.marks(name)).isZero();
        assertThat(WakeServer.channels(own, 2)).isEmpty();
    }
}
