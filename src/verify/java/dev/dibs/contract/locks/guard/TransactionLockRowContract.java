package dev.dibs.contract.locks.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.NamedLock;
import dev.dibs.database.CountingDataSource;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a lock for one transaction does beside its lock: to the row of a holder, a purged row, its connection and its thread. */
@Tag("contract")
class TransactionLockRowContract extends SaleFixture {

    /** Else its holder could not renew as long as that transaction is open. */
    @Test
    void aBusyTryLeavesTheHoldersRowAlone() throws Exception {
        assumeRowLocks();
        String name = fresh("renewed");
        try (Dibs here = dibs();
                Dibs there = dibs();
                Connection business = pool().getConnection()) {
            NamedLock lock = here.lock(name);
            business.setAutoCommit(false);
            assertThat(lock.tryGuard(business)).isTrue();
            business.rollback();
            try (Lease lease = there.lock(name).leaseLength(LEASE).tryAcquire().orElseThrow()) {
                for (int i = 0; i < 2; i++) {
                    assertThat(lock.tryGuard(business)).isFalse();
                    long until = heldUntil(name);
                    Awaitility.await().atMost(SOON).until(() -> heldUntil(name) > until);
                }
                assertThat(lease.isValid()).isTrue();
            }
            business.rollback();
            business.setAutoCommit(true);
        }
    }

    private long heldUntil(String name) throws SQLException {
        return sql().number("SELECT held_until FROM dibs_lock WHERE name = ?", name);
    }

    @Test
    void aWaitOnlyLooksAtALease() throws Exception {
        String name = fresh("looks");
        CountingDataSource counting = new CountingDataSource(pool());
        try (Dibs here = dibs();
                Dibs there = dibs();
                Lease lease = there.lock(name).tryAcquire().orElseThrow()) {
            assertThat(here.lock(name).tryInTransaction(counting, Duration.ofMillis(500), this::sell))
                    .isFalse();
            assertThat(counting.statements()).hasSize(1);
            assertThat(lease.isValid()).isTrue();
        }
    }

    /** A purge that meets a busy file leaves it to the next one. */
    @Test
    void aNewNameRequestsAPurge() throws Exception {
        assumeRowLocks();
        String idle = fresh("idle");
        try (Dibs dibs = dibs()) {
            dibs.lock(idle).tryAcquire().orElseThrow().close();
        }
        sql().change("UPDATE dibs_lock SET acquired_at = 1, held_until = 0 WHERE name = ?", idle);
        try (Dibs dibs = dibs()) {
            dibs.lock(fresh("new")).inTransaction(pool(), this::sell);
            Awaitility.await().atMost(SOON).until(() -> rows(idle) == 0);
        }
    }

    /** Its row does not tell that transactions use it, so a purge deletes it now and then. */
    @Test
    void aPurgedNameIsAddedAgain() throws Exception {
        String name = fresh("again");
        try (Dibs dibs = dibs();
                Connection business = pool().getConnection()) {
            NamedLock lock = dibs.lock(name);
            business.setAutoCommit(false);
            assertThat(lock.tryGuard(business)).isTrue();
            business.rollback();
            sql().change("DELETE FROM dibs_lock WHERE name = ?", name);
            boolean first = lock.tryGuard(business);
            business.rollback();
            assertThat(first || lock.tryGuard(business)).isTrue();
            business.rollback();
            business.setAutoCommit(true);
        }
    }

    @Test
    void anInterruptWaitsForTheWork() throws Exception {
        AtomicInteger interrupted = new AtomicInteger();
        try (Dibs dibs = dibs()) {
            NamedLock lock = dibs.lock(fresh("interrupted"));
            lock.inTransaction(pool(), this::sell);
            Thread.currentThread().interrupt();
            lock.inTransaction(pool(), tx -> {
                if (Thread.interrupted()) {
                    interrupted.incrementAndGet();
                }
                sell(tx);
            });
        } finally {
            boolean unused = Thread.interrupted();
        }
        assertThat(interrupted).hasValue(1);
        assertThat(sold()).isEqualTo(2);
    }

    @Test
    void aConnectionThatCannotBeginIsReturned() {
        AtomicInteger open = new AtomicInteger();
        DataSource broken = (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DataSource.class}, (self, method, args) -> {
                    open.incrementAndGet();
                    return Proxy.newProxyInstance(
                            getClass().getClassLoader(),
                            new Class<?>[] {Connection.class},
                            (connection, call, values) -> {
                                switch (call.getName()) {
                                    case "getAutoCommit" -> {
                                        return true;
                                    }
                                    case "close" -> {
                                        open.decrementAndGet();
                                        return null;
                                    }
                                    default -> throw new IllegalStateException("broken");
                                }
                            });
                });
        try (Dibs dibs = dibs()) {
            NamedLock lock = dibs.lock(fresh("broken"));
            assertThatThrownBy(() -> lock.inTransaction(broken, this::sell)).hasMessage("broken");
        }
        assertThat(open).hasValue(0);
    }

    private long rows(String name) throws SQLException {
        return sql().number("SELECT count(*) FROM dibs_lock WHERE name = ?", name);
    }
}
