package dev.dibs.shedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.TimedLease;
import dev.dibs.database.DatabaseUser;
import dev.dibs.database.FullRun;
import dev.dibs.database.H2Database;
import dev.dibs.database.MariaDbDatabase;
import dev.dibs.database.MySqlDatabase;
import dev.dibs.database.OnEachDatabase;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.TestDatabase;
import dev.dibs.junit.Closing;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockExtender;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

/** Two nodes under ShedLock; where its own provider works, which does not know what SQLite says of a name that is there. */
@OnEachDatabase({H2Database.class, PostgresDatabase.class, MariaDbDatabase.class, MySqlDatabase.class})
@FullRun
@Tag("contract")
class DibsLockProviderTest extends Closing implements DatabaseUser {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final String name = "task-" + UUID.randomUUID();
    private DataSource pool;
    private Dibs here;
    private Dibs there;

    @Override
    public void use(TestDatabase database) {
        pool = database.shared();
    }

    @BeforeEach
    void open() {
        here = closing(Dibs.on(pool));
        there = closing(Dibs.on(pool));
    }

    private LockConfiguration wanted(Duration atMost, Duration atLeast) {
        return new LockConfiguration(Instant.now(), name, atMost, atLeast);
    }

    private LockConfiguration wanted() {
        return wanted(MINUTE, Duration.ZERO);
    }

    @Test
    void aTaskHasItsLease() throws Throwable {
        DibsLockProvider locks = new DibsLockProvider(here);
        AtomicBoolean ran = new AtomicBoolean();
        new DefaultLockingTaskExecutor(locks)
                .executeWithLock(
                        (Runnable) () -> {
                            TimedLease lease = locks.lease(name).orElseThrow();
                            assertThat(lease.fencingToken()).isPositive();
                            LockExtender.extendActiveLock(MINUTE.multipliedBy(2), Duration.ZERO);
                            assertThat(lease.remaining()).isGreaterThan(MINUTE);
                            lease.inTransaction(
                                    pool,
                                    transaction -> ran.set(new DibsLockProvider(there)
                                            .lock(wanted())
                                            .isEmpty()));
                            assertThat(locks.lease(name)).contains(lease);
                        },
                        wanted());
        assertThat(ran).isTrue();
        assertThat(locks.lease(name)).isEmpty();
        assertThat(there.lock(name).tryAcquire(MINUTE)).isPresent();
    }

    /** ShedLock's own providers free the lock of the successor here. */
    @Test
    void aLateUnlockFreesNoLockOfASuccessor() {
        SimpleLock late = awaited(new DibsLockProvider(here), wanted(Duration.ofMillis(500), Duration.ZERO));
        try (Lease successor = there.lock(name).acquire(MINUTE)) {
            late.unlock();
            assertThat(here.lock(name).tryAcquire()).isEmpty();
            successor.check();
        }
    }

    @Test
    void aTaskThatDoesNotEndHoldsItsLockBack() {
        Duration atLeast = Duration.ofSeconds(1);
        Dibs stuck = Dibs.on(pool);
        TimedLease lease = held(stuck, wanted(atLeast, atLeast));
        try (Lease next = there.lock(name).acquire(MINUTE)) {
            assertThat(next.fencingToken() - lease.fencingToken()).isGreaterThanOrEqualTo(atLeast.toMillis() * 1000);
        }
        stuck.close();
    }

    /** Nothing releases it before its time. */
    private static TimedLease held(Dibs dibs, LockConfiguration wanted) {
        DibsLockProvider locks = new DibsLockProvider(dibs);
        var unused = awaited(locks, wanted);
        return locks.lease(wanted.getName()).orElseThrow();
    }

    @Test
    void aLeaseLastsADayAtMost() {
        DibsLockProvider locks = new DibsLockProvider(here);
        assertThatThrownBy(() -> locks.lock(wanted(Duration.ofDays(2), Duration.ZERO)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("lockAtMostFor")
                .hasMessageContaining("LockExtender");
        assertThatThrownBy(() -> new DibsLockProvider(null)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> locks.together(null)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void nodesOfBothKindsExcludeEachOtherByOneThatLocksTogether() {
        JdbcTemplate sql = new JdbcTemplate(pool);
        sql.execute(
                "CREATE TABLE IF NOT EXISTS shedlock (name varchar(64) NOT NULL PRIMARY KEY, lock_until timestamp(3) NOT NULL,"
                        + " locked_at timestamp(3) NOT NULL, locked_by varchar(255) NOT NULL)");
        ExtensibleLockProvider former = new JdbcTemplateLockProvider(pool);
        ExtensibleLockProvider together = new DibsLockProvider(here).together(new JdbcTemplateLockProvider(pool));
        DibsLockProvider moved = new DibsLockProvider(there);

        SimpleLock old = former.lock(wanted()).orElseThrow();
        assertThat(together.lock(wanted(MINUTE, MINUTE)))
                .as("an old node has it")
                .isEmpty();
        assertThat(moved.lock(wanted()))
                .as("a try holds nothing back")
                .map(lock -> unlocked(lock))
                .isPresent();
        old.unlock();

        SimpleLock both = together.lock(wanted()).orElseThrow();
        assertThat(former.lock(wanted())).isEmpty();
        assertThat(moved.lock(wanted())).isEmpty();
        both = both.extend(MINUTE.multipliedBy(2), Duration.ofMillis(500)).orElseThrow();
        both.unlock();
        unlocked(awaited(former, wanted()));

        SimpleLock last = awaited(moved, wanted());
        assertThat(together.lock(wanted())).as("a node that has moved has it").isEmpty();
        assertThat(former.lock(wanted()).map(lock -> unlocked(lock))).isPresent();
        last.unlock();

        both = awaited(together, wanted());
        both.extend(MINUTE.multipliedBy(2), MINUTE).orElseThrow().unlock();
        assertThat(former.lock(wanted())).as("held back").isEmpty();
        assertThat(moved.lock(wanted())).as("held back").isEmpty();
    }

    /** It is free soon. A lease that was granted too late, on a slow machine, is none. */
    private static SimpleLock awaited(LockProvider locks, LockConfiguration wanted) {
        return await().pollInSameThread()
                .until(() -> locks.lock(wanted), Optional::isPresent)
                .orElseThrow();
    }

    private static SimpleLock unlocked(SimpleLock lock) {
        lock.unlock();
        return lock;
    }
}
