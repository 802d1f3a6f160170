package dev.dibs.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.LeaseLostException;
import dev.dibs.database.DatabaseUser;
import dev.dibs.database.FullRun;
import dev.dibs.database.H2Database;
import dev.dibs.database.OnEachDatabase;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.TestDatabase;
import dev.dibs.junit.Closing;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.ResolvableType;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;

/** Two nodes with a registry each. */
@OnEachDatabase({H2Database.class, PostgresDatabase.class})
@FullRun(except = "h2")
@Tag("contract")
@SuppressWarnings({"LockNotBeforeTry", "rawtypes"})
class DibsLockRegistryTest extends Closing implements DatabaseUser {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final String region = "region-" + UUID.randomUUID();
    private DataSource pool;

    /** A context would close a pool. */
    private DataSource unpooled;

    private Dibs here;
    private Dibs there;
    private DibsLockRegistry mine;
    private DibsLockRegistry theirs;

    @Override
    public void use(TestDatabase database) {
        pool = database.shared();
        unpooled = database.dataSource();
    }

    @BeforeEach
    void open() {
        here = closing(Dibs.on(pool));
        there = closing(Dibs.on(pool));
        mine = new DibsLockRegistry(here, region);
        theirs = new DibsLockRegistry(there, region);
    }

    private static boolean fromAnotherThread(Lock lock) {
        return CompletableFuture.supplyAsync(() -> {
                    boolean locked = lock.tryLock();
                    if (locked) {
                        lock.unlock();
                    }
                    return locked;
                })
                .join();
    }

    @Test
    void aThreadLocksAgainAndUnlocksAsOften() throws Exception {
        DibsLock lock = mine.obtain("again");
        assertThat(mine.obtain("again")).isSameAs(lock);
        assertThat(mine.obtain("other")).isNotSameAs(lock);
        lock.lock();
        lock.lockInterruptibly();
        assertThat(lock.tryLock()).isTrue();
        assertThat(lock.tryLock(1, TimeUnit.SECONDS)).isTrue();
        assertThat(fromAnotherThread(lock)).isFalse();
        assertThat(theirs.obtain("again").tryLock()).isFalse();
        assertThat(new DibsLockRegistry(there, region + "2").obtain("again").tryLock())
                .as("another region")
                .isTrue();
        assertThat(lock.lease().orElseThrow().fencingToken()).isPositive();
        for (int i = 0; i < 4; i++) {
            lock.unlock();
        }
        assertThat(lock.lease()).isEmpty();
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
        assertThatThrownBy(lock::newCondition).isInstanceOf(UnsupportedOperationException.class);
        assertThat(theirs.obtain("again").tryLock(1, TimeUnit.MINUTES)).isTrue();
        LockRegistry<?> registry = mine;
        assertThatThrownBy(() -> registry.executeLocked("again", Duration.ofMillis(10), () -> {}))
                .isInstanceOf(TimeoutException.class);
    }

    @Test
    void aLostLockIsAnErrorAtItsUnlock() {
        DibsLock lock = mine.obtain("lost");
        lock.lock();
        here.admin().breakLock(region + ":lost");
        assertThatThrownBy(lock::lock).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(() -> mine.renewLock("lost")).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(lock::unlock).isInstanceOf(ConcurrentModificationException.class);
        lock.lock();
        lock.unlock();
    }

    @Test
    void aLockEndsByTimeUnlessItIsRenewed() throws Exception {
        DibsLockRegistry timed = mine.atMost(MINUTE);
        DibsLock lock = timed.obtain("timed");
        lock.lock();
        Lease lease = lock.lease().orElseThrow();
        timed.renewLock("timed");
        assertThat(lease.remaining()).isLessThanOrEqualTo(MINUTE);
        timed.renewLock("timed", MINUTE.multipliedBy(3));
        assertThat(lease.remaining()).isGreaterThan(MINUTE.multipliedBy(2));
        lock.unlock();

        DibsLockRegistry brief = mine.atMost(Duration.ofSeconds(1));
        DibsLock shorter = brief.obtain("shorter");
        shorter.lock();
        Lease passing = shorter.lease().orElseThrow();
        await().until(() -> !passing.isValid());
        assertThat(theirs.obtain("shorter").tryLock(1, TimeUnit.MINUTES)).isTrue();
        assertThatThrownBy(() -> brief.renewLock("shorter")).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(shorter::unlock).isInstanceOf(ConcurrentModificationException.class);
        assertThatThrownBy(() -> brief.renewLock("shorter")).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void aLockThatIsUsedIsNotForgotten() {
        DibsLock used = mine.obtain("used");
        DibsLock unused = mine.obtain("unused");
        used.lock();
        mine.expireUnusedOlderThan(MINUTE.toMillis());
        assertThat(mine.obtain("unused")).isSameAs(unused);
        mine.expireUnusedOlderThan(0);
        assertThat(mine.obtain("used")).isSameAs(used);
        DibsLock later = mine.obtain("unused");
        assertThat(later).isNotSameAs(unused);
        // Both are the same lock of the thread.
        later.lock();
        unused.lock();
        later.unlock();
        unused.unlock();
        used.unlock();
        mine.expireUnusedOlderThan(0);
        assertThat(mine.obtain("used")).isNotSameAs(used);
    }

    @Test
    void aRegistryIsABeanOfEachOfItsTypes() throws Exception {
        ResolvableType type = ResolvableType.forClass(DibsLockRegistry.class);
        assertThat(type.as(LockRegistry.class).resolve()).isEqualTo(LockRegistry.class);
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.registerBean("dataSource", DataSource.class, () -> unpooled);
            context.register(Example.class);
            context.refresh();
            DibsLockRegistry registry = context.getBean(DibsLockRegistry.class);
            for (Class<?> one :
                    new Class<?>[] {LockRegistry.class, ExpirableLockRegistry.class, RenewableLockRegistry.class}) {
                assertThat(context.getBean(one)).isSameAs(registry);
            }
            LockRegistryLeaderInitiator leader = context.getBean(LockRegistryLeaderInitiator.class);
            await().until(() -> leader.getContext().isLeader());
            assertThat(Example.importFor(registry, () -> {})).isTrue();
        }
    }

    @Test
    void thePageShowsTheExample() throws Exception {
        String source = Files.readString(
                        Path.of("src/adapters/spring-integration/test/dev/dibs/spring/integration/Example.java"))
                .replaceAll("(?m)^ {4}", "");
        assertThat(Pattern.compile("```java\n(.*?)```", Pattern.DOTALL)
                        .matcher(Files.readString(Path.of("docs", "reference", "spring-integration.md")))
                        .results())
                .hasSize(2)
                .allSatisfy(block -> assertThat(source).contains(block.group(1)));
    }

    @Test
    void badArgumentsAreRefused() {
        assertThatThrownBy(() -> new DibsLockRegistry(null, "a")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new DibsLockRegistry(here, "a:b")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> mine.obtain(null)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> mine.obtain("x".repeat(200))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> mine.atMost(Duration.ofDays(2))).isInstanceOf(IllegalArgumentException.class);
    }
}
