package dev.dibs;

import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.database.DriverDataSource;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullTest;
import dev.dibs.database.H2Database;
import dev.dibs.database.TestDatabases;
import dev.dibs.fault.TcpProxy;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Missing notifications: waiters then poll, and are woken again when notifications return. */
@Tag("fault")
class WakeFaultTest extends WakeFixture {

    private Lease held(String name) {
        return holder.lock(name + "-" + System.nanoTime()).tryAcquire().orElseThrow();
    }

    private static CompletableFuture<Void> waits(Dibs dibs, Lease held) {
        return CompletableFuture.runAsync(
                () -> dibs.lock(held.name()).acquire(LONG).close());
    }

    private void awaitMark(Lease held) throws InterruptedException {
        await().atMost(PATIENCE).until(() -> server.marks(held.name()) == 1);
        // The look after the mark.
        Thread.sleep(300);
    }

    @Test
    void aTerminatedListenerComesBack() throws Exception {
        Dibs dibs = closing(WakeRacerMain.sleepy(pool).build());
        Lease held = closing(held("terminated"));
        CompletableFuture<Void> next = waits(dibs, held);
        awaitMark(held);
        List<String> before = server.listeners(held.name());
        server.terminateListeners(held.name());
        await().atMost(PATIENCE)
                .until(() -> server.listeners(held.name()).stream().noneMatch(before::contains));
        awaitMark(held);
        held.close();
        next.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void aReleaseWithoutNotificationIsFoundByAPoll() throws Exception {
        Dibs dibs = closing(WakeRacerMain.sleepy(pool).build());
        Lease held = closing(held("meanwhile"));
        CompletableFuture<Void> next = waits(dibs, held);
        awaitMark(held);
        server.terminateListeners(held.name());
        held.close();
        next.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @FullTest
    void aConnectionThatTheNetworkHasForgottenIsNoticed() throws Exception {
        TcpProxy proxy = closing(TcpProxy.to(database.port()));
        Dibs dibs = closing(WakeRacerMain.sleepy(pool)
                .wakeByNotify(new DriverDataSource(database.urlAt(proxy.port()), database.user(), database.password()))
                .build());
        Lease held = closing(held("half-open"));
        CompletableFuture<Void> next = waits(dibs, held);
        awaitMark(held);
        proxy.dropDownstream(true);
        proxy.dropUpstream(true);
        held.close();
        next.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @FullTest
    void withoutNotificationsWaitersPollAndWarnOnce() throws Exception {
        AtomicBoolean deaf = new AtomicBoolean(true);
        FaultyDataSource listening = new FaultyDataSource(WakeServer.deaf(pool, deaf));
        AtomicReference<Thread> listener = new AtomicReference<>();
        listening.on(sql -> sql.startsWith("LISTEN")).always().actBefore(() -> {
            listener.set(Thread.currentThread());
            return null;
        });
        Heard log = closing(new Heard(listener));
        Dibs dibs = closing(WakeRacerMain.sleepy(pool).wakeByNotify(listening).build());
        Lease held = closing(held("deaf"));
        Lease longer = closing(held("deaf-still"));
        CompletableFuture<Void> next = waits(dibs, held);
        CompletableFuture<Void> last = waits(dibs, longer);
        await().atMost(PATIENCE).until(() -> {
            assertThat(server.marks(held.name())).isZero();
            return !log.warnings.isEmpty();
        });
        held.close();
        next.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        deaf.set(false);
        awaitMark(longer);
        longer.close();
        last.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(log.warnings).hasSize(1);
    }

    /** No notification comes for a release after the last look and before the mark: the mark itself causes another look. */
    @FullTest
    void noReleaseIsMissedJustBeforeTheMark() throws Exception {
        FaultyDataSource faulty = new FaultyDataSource(pool);
        Dibs dibs = closing(WakeRacerMain.sleepy(faulty).build());
        Lease first = closing(held("listens"));
        Lease held = closing(held("before"));
        CompletableFuture<Void> other = waits(dibs, first);
        awaitMark(first);
        // The waiter, which calls the listener after its last look, goes on when the mark exists.
        faulty.on(sql -> sql.contains("AS sent")).delayAfter(Duration.ofSeconds(3));
        faulty.on(sql -> sql.contains("AS marked")).delayBefore(Duration.ofSeconds(1));
        CompletableFuture<Void> next = waits(dibs, held);
        await().atMost(PATIENCE).until(() -> faulty.struck().stream().anyMatch(sql -> sql.contains("AS marked")));
        held.close();
        next.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        first.close();
        other.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @FullTest
    void aPoolOfOneIsNotUsedUp() throws Exception {
        HikariDataSource one = closing(database.pool(config -> config.setMaximumPoolSize(1)));
        Dibs dibs = closing(WakeRacerMain.sleepy(one).build());
        Lease held = closing(held("one"));
        CompletableFuture<Void> next = waits(dibs, held);
        Thread.sleep(3000);
        held.close();
        next.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void anotherDatabaseIsAMistake() {
        DataSource h2 = TestDatabases.get(H2Database.class).dataSource();
        assertThatThrownBy(() -> Dibs.builder(h2).wakeByNotify().build())
                .isInstanceOf(DatabaseFailureException.class)
                .hasMessageContainingAll("wakeByNotify()", "PostgreSQL", "h2");
    }

    @Test
    void aMissingDriverIsNamed() throws Exception {
        Class<?> dibs = new WithoutDriver().loadClass("dev.dibs.Dibs");
        Object builder = dibs.getMethod("builder", DataSource.class).invoke(null, pool);
        builder.getClass().getMethod("wakeByNotify").invoke(builder);
        assertThatThrownBy(() -> builder.getClass().getMethod("build").invoke(builder))
                .isInstanceOf(InvocationTargetException.class)
                .cause()
                .hasMessageContaining("org.postgresql:postgresql");
    }

    /** Dibs as an application server would load it that has the driver elsewhere. */
    private static final class WithoutDriver extends ClassLoader {
        WithoutDriver() {
            super(WakeFaultTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith("org.postgresql.")) {
                throw new ClassNotFoundException(name);
            }
            if (!name.startsWith("dev.dibs.")) {
                return super.loadClass(name, resolve);
            }
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? define(name) : loaded;
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    private static final class Heard extends Handler implements AutoCloseable {
        private static final Logger LOG = Logger.getLogger("dev.dibs");

        final Queue<String> warnings = new ConcurrentLinkedQueue<>();

        private final AtomicReference<Thread> listener;

        Heard(AtomicReference<Thread> listener) {
            this.listener = listener;
            LOG.addHandler(this);
        }

        @Override
        public void publish(LogRecord entry) {
            // Other tests run at the same time, and their warnings are about other things.
            boolean isOurs = Thread.currentThread().equals(listener.get())
                    && String.valueOf(entry.getMessage()).startsWith("Waiters poll");
            if (isOurs && entry.getLevel().equals(Level.WARNING)) {
                warnings.add(entry.getMessage());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {
            LOG.removeHandler(this);
        }
    }
}
