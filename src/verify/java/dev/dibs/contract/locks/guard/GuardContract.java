package dev.dibs.contract.locks.guard;

import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.LeaseLostException;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.database.Core;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullTest;
import dev.dibs.database.Sql;
import dev.dibs.database.Trait;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Exclusive up to the commit: after the guard nobody takes the lock over, however long the transaction takes. */
@Core
class GuardContract extends ContractFixture {

    /** Is over soon, but not before the guard on a slow machine. */
    static final Duration BRIEF = Duration.ofSeconds(3);

    @Test
    void aGuardedTransactionWithinAnotherOfTheSameLeaseIsRefusedAtOnce() {
        Lease lease = here().lock(fresh("nested")).acquire(Duration.ZERO);
        lease.inTransaction(
                pool(),
                outer -> assertThatThrownBy(() -> lease.inTransaction(pool(), inner -> {}))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("already"));
        lease.inTransaction(pool(), again -> {});
    }

    @FullTest(except = "postgresql")
    void nobodyTakesOverBeforeTheCommit() throws Exception {
        String name = fresh("guard");
        FaultyDataSource unplugged = new FaultyDataSource(pool());
        Dibs here = closing(builder(unplugged).leaseLength(BRIEF).build());
        Dibs there = dibs();
        Lease lease = here.lock(name).tryAcquire().orElseThrow();
        Connection business = transaction();
        lease.guard(business);
        unplugged.on(sql -> true).always().fail("08006", 0);
        await().until(() -> !lease.isValid());
        await("its own time is over").until(() -> holder(there, name).isEmpty());
        long before = System.nanoTime();
        assertNotAcquired(() -> there.lock(name).tryAcquire());
        assertThat(Duration.ofNanos(System.nanoTime() - before))
                .as("a contender does not wait for the row")
                .isLessThan(SOON);
        business.commit();
        assertThat(there.lock(name).tryAcquire()).isPresent();
        business.setAutoCommit(true);
    }

    @FullTest(except = "postgresql")
    void theHeartbeatNeitherWaitsForAGuardedRowNorLosesIt() throws Exception {
        assumeRowLocks();
        String name = fresh("beat");
        AtomicInteger losses = new AtomicInteger();
        Dibs here = closing(oftenRenewed(pool()).build());
        Lease other = here.lock(name, "other").tryAcquire().orElseThrow();
        Lease lease = here.lock(name).tryAcquire().orElseThrow();
        lease.onLost(lost -> losses.incrementAndGet());
        other.onLost(lost -> losses.incrementAndGet());
        Connection business = transaction();
        lease.guard(business);
        // Both are due at the same time.
        awaitRenewal(there(), name + ":other");
        business.commit();
        awaitRenewal(there(), name);
        lease.check();
        other.check();
        assertThat(losses).hasValue(0);
        business.setAutoCommit(true);
    }

    @Test
    void closeInsideTheTransactionFreesTheLockAfterTheCommit() throws Exception {
        String name = fresh("inside");
        Lease lease = here().lock(name).tryAcquire().orElseThrow();
        Connection business = transaction();
        lease.guard(business);
        long before = System.nanoTime();
        lease.close();
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(SOON);
        assertThat(there().lock(name).tryAcquire()).as("still guarded").isEmpty();
        business.commit();
        there().lock(name).acquire(SOON).close();
    }

    @Test
    void autocommitIsRefused() throws SQLException {
        Connection connection = connection();
        Lease lease = here().lock(fresh("auto")).tryAcquire().orElseThrow();
        assertThatThrownBy(() -> lease.guard(connection))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("setAutoCommit(false)");
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void aLeaseThatWasTakenOverMeanwhileIsRefused() throws SQLException {
        String name = fresh("taken");
        Lease lease = here().lock(name).tryAcquire().orElseThrow();
        there().admin().breakLock(name);
        Lease successor = there().lock(name).tryAcquire().orElseThrow();
        assertThat(lease.isValid()).as("it cannot know yet").isTrue();
        Connection connection = transaction();
        assertThatThrownBy(() -> lease.guard(connection))
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining(name);
        connection.rollback();
        await().until(() -> !lease.isValid());
        successor.check();
    }

    @FullTest(except = "postgresql")
    void aGuardThatComesTooLateInItsTransactionDoesNotEndTheLease() throws Exception {
        String name = fresh("snapshot");
        String table = table("num int");
        Connection late = connection();
        int isolation = late.getTransactionIsolation();
        here().lock(name).tryAcquire().orElseThrow().close();
        late.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        late.setAutoCommit(false);
        assertThat(Sql.on(late).number("SELECT count(*) FROM " + table)).isZero();
        try (Lease lease = there().lock(name).tryAcquire().orElseThrow()) {
            boolean refused = false;
            boolean doubted = false;
            Instant before = heldUntil(here(), name);
            try {
                lease.guard(late);
            } catch (LeaseLostException e) {
                refused = true;
                doubted = true;
            } catch (DatabaseFailureException e) {
                refused = true;
            }
            late.rollback();
            // H2 reads the newest row under a lock; the others show the time before the lease.
            if (!database().has(Trait.LOCKS_THE_NEWEST_ROW)) {
                assertThat(refused).isTrue();
            }
            if (doubted) {
                await("it is asked about at once")
                        .until(() -> heldUntil(here(), name).isAfter(before));
            }
            assertThat(holder(here(), name).orElseThrow().fencingToken()).isEqualTo(lease.fencingToken());
            lease.check();
        } finally {
            late.setAutoCommit(true);
            late.setTransactionIsolation(isolation);
        }
    }

    @Test
    void workInATransactionCommitsOrRollsBackAsAWhole() throws Exception {
        String name = fresh("work");
        String table = table("num int");
        String insert = "INSERT INTO " + table + " (num) VALUES (1)";
        String count = "SELECT count(*) FROM " + table;
        HikariDataSource own = closing(database().pool(config -> {}));
        Lease lease = here().lock(name).tryAcquire().orElseThrow();
        lease.inTransaction(own, tx -> Sql.on(tx).run(insert));
        assertThat(sql().number(count)).isEqualTo(1);
        assertThatThrownBy(() -> lease.inTransaction(own, tx -> {
                    Sql.on(tx).run(insert);
                    throw new IOException("changed my mind");
                }))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> lease.inTransaction(own, tx -> {
                    throw new SQLException("the user's own", "99999");
                }))
                .isInstanceOf(SQLException.class)
                .hasMessage("the user's own");
        assertThat(sql().number(count)).isEqualTo(1);
        assertThat(own.getHikariPoolMXBean().getActiveConnections()).isZero();
    }

    @Test
    void aCommitThatFailsIsAnError() {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Lease lease = here().lock(fresh("commit")).tryAcquire().orElseThrow();
        faulty.exhaust(Duration.ZERO);
        assertThatThrownBy(() -> lease.inTransaction(faulty, tx -> {}))
                .isInstanceOf(DatabaseFailureException.class)
                .hasMessageContaining("no connection");
    }

    @FullTest(except = "postgresql")
    void holderThatVanishesInItsTransactionIsSucceededAfterItsSession() throws Exception {
        String name = fresh("vanish");
        FaultyDataSource unplugged = new FaultyDataSource(pool());
        Dibs here = closing(builder(unplugged).leaseLength(BRIEF).build());
        // A server may need as long for a new session as the lease lasts.
        Connection business = database().dataSource().getConnection();
        business.setAutoCommit(false);
        Lease lease = here.lock(name).tryAcquire().orElseThrow();
        lease.guard(business);
        unplugged.on(sql -> true).always().fail("08006", 0);
        await().until(() -> !lease.isValid());
        business.close();
        there().lock(name).acquire(SOON).close();
    }
}
