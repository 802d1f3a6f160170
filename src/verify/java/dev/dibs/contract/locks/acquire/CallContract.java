package dev.dibs.contract.locks.acquire;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.LeaseLostException;
import dev.dibs.NamedLock;
import dev.dibs.NotAcquiredException;
import dev.dibs.Permit;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.database.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Work under a lease that has a value. */
class CallContract extends ContractFixture {

    private String table;

    @BeforeEach
    void makeTable() throws SQLException {
        table = table("num int");
    }

    @Test
    void callReturnsTheValueAndReleases() {
        NamedLock lock = here().lock(fresh("call"));
        long fence = lock.call(Duration.ZERO, Lease::fencingToken);
        assertThat(lock.tryCall(Lease::fencingToken))
                .hasValueSatisfying(next -> assertThat(next).isGreaterThan(fence));
        assertThat(lock.<Object, RuntimeException>call(Duration.ZERO, lease -> null))
                .isNull();
        assertThatThrownBy(() -> lock.tryCall(lease -> null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> lock.call(Duration.ZERO, lease -> {
                    throw new SQLException("of the work");
                }))
                .isInstanceOf(SQLException.class);
        assertThat(lock.tryRun(Lease::check)).as("it is free").isTrue();
    }

    @Test
    void aBusyLockCallsNothing() {
        String name = fresh("busy-call");
        Lease held = here().lock(name).acquire(Duration.ZERO);
        assertThat(there().lock(name).tryCall(lease -> lease)).isEmpty();
        assertThatThrownBy(() -> there().lock(name).call(Duration.ZERO, lease -> lease))
                .isInstanceOf(NotAcquiredException.class);
        held.check();
    }

    @Test
    void workOfASemaphoreGetsAPermit() {
        String name = fresh("permit-call");
        Permit first = here().semaphore(name, 2).acquire(Duration.ZERO);
        assertThat(here().semaphore(name, 2).tryCall(Permit::slot)).hasValue(1 - first.slot());
    }

    @Test
    void callInTransactionReturnsTheValueThatIsCommitted() throws Exception {
        String name = fresh("tx-call");
        Dibs there = dibs();
        Lease lease = here().lock(name).acquire(Duration.ZERO);
        int written = lease.callInTransaction(pool(), tx -> {
            int rows = insert(tx);
            assertThat(rows()).as("before its commit").isZero();
            lease.close();
            assertThat(there.lock(name).tryAcquire()).as("guarded").isEmpty();
            return rows;
        });
        assertThat(written).isEqualTo(1);
        assertThat(rows()).isEqualTo(1);
    }

    @Test
    void callInTransactionOfALostLeaseWritesNothing() throws Exception {
        String name = fresh("tx-lost");
        Lease lease = here().lock(name).acquire(Duration.ZERO);
        there().admin().breakLock(name);
        assertThatThrownBy(() -> lease.callInTransaction(pool(), this::insert)).isInstanceOf(LeaseLostException.class);
        assertThat(rows()).isZero();
    }

    private int insert(Connection transaction) throws SQLException {
        return Sql.on(transaction).change("INSERT INTO " + table + " (num) VALUES (1)");
    }

    private int rows() throws SQLException {
        return (int) sql().number("SELECT count(*) FROM " + table);
    }
}
