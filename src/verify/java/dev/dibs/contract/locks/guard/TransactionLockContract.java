package dev.dibs.contract.locks.guard;

import static org.assertj.core.api.Assumptions.assumeThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Capability;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.LeaseInfo;
import dev.dibs.NamedLock;
import dev.dibs.NotAcquiredException;
import dev.dibs.database.CountingDataSource;
import dev.dibs.database.FullTest;
import dev.dibs.database.Sql;
import dev.dibs.database.Trait;
import dev.dibs.internal.sql.call.Params;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A lock for one transaction: it excludes leases of the same name, is excluded by them, and ends with the transaction. */
class TransactionLockContract extends SaleFixture {

    @Test
    void itsCommitIsItsEnd() throws Exception {
        NamedLock lock = here().lock(fresh("sale"));
        lock.inTransaction(pool(), this::sell);
        assertThat(lock.tryInTransaction(pool(), this::sell)).isTrue();
        assertThat(lock.<String, SQLException>callInTransaction(pool(), Duration.ZERO, tx -> {
                    sell(tx);
                    return null;
                }))
                .isNull();
        assertThat(lock.<String, SQLException>tryCallInTransaction(pool(), Duration.ZERO, tx -> {
                    sell(tx);
                    return "sold";
                }))
                .contains("sold");
        assertThatThrownBy(() -> lock.inTransaction(pool(), tx -> {
                    sell(tx);
                    throw new IllegalArgumentException("changed my mind");
                }))
                .isInstanceOf(IllegalArgumentException.class);
        lock.tryAcquire().orElseThrow().close();
        assertThat(sold()).isEqualTo(4);
    }

    @Test
    void nobodyElseGetsTheLockMeanwhile() throws Exception {
        assumeRowLocks();
        String name = fresh("mine");
        // The instance that has released it last would take it again by its fence.
        there().lock(name).tryAcquire().orElseThrow().close();
        here().lock(name).inTransaction(pool(), tx -> {
            sell(tx);
            assertThat(there().lock(name).tryAcquire()).as("retake").isEmpty();
            assertThat(here().lock(name).tryAcquire()).as("acquire").isEmpty();
            assertThat(there().lock(name).fair().tryAcquire()).as("fair").isEmpty();
            assertThat(there().lockAll(List.of(name, fresh("other"))).tryAcquire())
                    .as("all")
                    .isEmpty();
            assertThat(there().lock(name).tryInTransaction(pool(), this::sell))
                    .as("transaction")
                    .isFalse();
            assertThatThrownBy(() -> there().lock(name).inTransaction(pool(), this::sell))
                    .isInstanceOf(NotAcquiredException.class)
                    .hasMessageContaining("a transaction has it");
            assertThat(there().admin().breakLock(name)).as("there is no lease").isEmpty();
        });
        there().lock(name).tryAcquire().orElseThrow().close();
        assertThat(sold()).isEqualTo(1);
    }

    @Test
    void itIsListedWhereTheDatabaseCanTell() throws Exception {
        String name = fresh("listed");
        assumeThat(here().dialect().name()).isEqualTo("postgresql");
        here().lock(name).inTransaction(pool(), tx -> {
            long session = Sql.on(tx).number("SELECT pg_backend_pid()");
            assertThat(there().admin().locks())
                    .filteredOn(lock -> lock.name().equals(name))
                    .singleElement()
                    .satisfies(lock -> assertThat(lock.kind()).isEqualTo(LeaseInfo.Kind.TRANSACTION))
                    .satisfies(lock -> assertThat(lock.holder()).isEqualTo("a transaction of pid " + session))
                    .satisfies(
                            lock -> assertThat(there().admin().breakLease(lock)).isFalse())
                    .satisfies(lock ->
                            assertThat(lock.since()).isBetween(lock.until().minusSeconds(60), lock.until()));
        });
        try (Lease lease = here().lock(name).tryAcquire().orElseThrow()) {
            here().admin().locks();
            lease.inTransaction(
                    pool(),
                    tx -> assertThat(there().admin().locks())
                            .as("a guarded lease")
                            .filteredOn(lock -> lock.name().equals(name))
                            .extracting(LeaseInfo::fencingToken)
                            .containsExactly(lease.fencingToken()));
        }
        assertThat(there().admin().locks()).extracting(LeaseInfo::name).doesNotContain(name);
    }

    @Test
    void aLeaseKeepsTransactionsOut() throws Exception {
        String name = fresh("leased");
        try (Dibs here = dibs();
                Dibs there = dibs();
                Lease lease = here.lock(name).tryAcquire().orElseThrow()) {
            assertThat(there.lock(name).tryInTransaction(pool(), this::sell)).isFalse();
            assertThatThrownBy(() -> there.lock(name).inTransaction(pool(), this::sell))
                    .isInstanceOfSatisfying(
                            NotAcquiredException.class,
                            e -> assertThat(e.holder()).isPresent());
            lease.close();
            there.lock(name).inTransaction(pool(), this::sell);
        }
        Lease held = here().lock(name)
                .holdAtLeast(Duration.ofMinutes(1))
                .tryAcquire()
                .orElseThrow();
        held.close();
        assertThat(here().lock(name).tryInTransaction(pool(), this::sell))
                .as("held back")
                .isFalse();
        assertThat(sold()).isEqualTo(1);
    }

    /** It stays lost, whatever the clock does: neither its owner nor its fence gets in any more. */
    @Test
    void aLeaseThatHasPassedIsTakenOver() throws Exception {
        String name = fresh("passed");
        Lease lease = here().lock(name).tryAcquire().orElseThrow();
        letItPass("dibs_lock", name);
        assertThat(there().lock(name).tryInTransaction(pool(), this::sell)).isTrue();
        assertThat(sql().finds(
                                "SELECT name FROM dibs_lock WHERE name = ? AND fence = ? AND owner IS NOT NULL",
                                name,
                                lease.fencingToken()))
                .isFalse();
        assertThat(lease.release()).isFalse();
        there().lock(name).inTransaction(pool(), this::sell);
        assertThat(sold()).isEqualTo(2);
    }

    /** By transactions and by leases, under a name that is new to all. */
    @FullTest(except = {"postgresql", "h2"})
    void noSaleIsLost() throws Exception {
        String name = fresh("race");
        int times = inFullRun(20, 8);
        try (HikariDataSource few = few();
                Dibs here = dibs(few);
                Dibs there = dibs(few)) {
            inThreads(4, number -> {
                for (int i = 0; i < times; i++) {
                    NamedLock lock = (number % 2 == 0 ? here : there).lock(name);
                    if (number == 3) {
                        try (Lease lease = lock.acquire(LONG)) {
                            lease.inTransaction(few, this::sell);
                        }
                    } else {
                        lock.inTransaction(few, LONG, this::sell);
                    }
                }
            });
        }
        assertThat(sold()).isEqualTo(4L * times);
    }

    @Test
    void aWaitHoldsNoConnection() throws Exception {
        String name = fresh("wait");
        HikariDataSource one = closing(database().pool(config -> config.setMaximumPoolSize(1)));
        Dibs there = dibs(one);
        Lease lease = here().lock(name).tryAcquire().orElseThrow();
        CountDownLatch waits = new CountDownLatch(1);
        AtomicInteger done = new AtomicInteger();
        Thread waiter = new Thread(() -> {
            waits.countDown();
            try {
                there.lock(name).inTransaction(one, LONG, this::sell);
                done.incrementAndGet();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        waiter.start();
        waits.await();
        for (int i = 0; i < 5; i++) {
            assertThat(Sql.on(one).number("SELECT num FROM " + table)).isZero();
        }
        lease.close();
        waiter.join(SOON.toMillis());
        assertThat(done).hasValue(1);
    }

    /** In a table of its own: the purges of other tests would delete the row before it is locked. */
    @Test
    void aPurgeLeavesItsRowAlone() throws Exception {
        assumeRowLocks();
        String name = fresh("purged");
        String prefix = ownPrefix();
        // By another instance, since adding a row requests a purge.
        try (Dibs first = builder(pool()).tablePrefix(prefix).build()) {
            first.admin().createSchema(Capability.LOCKS);
            first.lock(name).inTransaction(pool(), this::sell);
        }
        NamedLock lock = dibs(pool(), prefix).lock(name);
        sql().change("UPDATE " + prefix + "lock SET acquired_at = 1, held_until = 0 WHERE name = ?", name);
        lock.inTransaction(pool(), tx -> {
            sell(tx);
            if (!database().has(Trait.PURGE_WAITS)) {
                purge(prefix);
            }
            assertThat(rows(prefix)).isEqualTo(1);
        });
        purge(prefix);
        assertThat(rows(prefix)).isZero();
        lock.inTransaction(pool(), this::sell);
        assertThat(rows(prefix)).isEqualTo(1);
        assertThat(sold()).isEqualTo(3);
    }

    private long rows(String prefix) throws SQLException {
        return sql().number("SELECT count(*) FROM " + prefix + "lock");
    }

    private void purge(String prefix) {
        try {
            asked(pool(), prefix)
                    .call(
                            "purge_locks",
                            Params.none().with("retention", 3_600_000_000L).with("batch", 1000L),
                            SOON);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aTransactionThatMaySeeAnEarlierTimeIsRefused() throws Exception {
        for (String isolation : database().higherIsolations()) {
            String name = fresh("isolated");
            try (HikariDataSource isolated = database().pool(config -> config.setTransactionIsolation(isolation));
                    Dibs dibs = dibs()) {
                if (database().has(Trait.SNAPSHOTS_PRECEDE_LOCKS)) {
                    assertThatThrownBy(() -> dibs.lock(name).inTransaction(isolated, this::sell))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining("READ COMMITTED")
                            .hasMessageContaining("acquire a lease");
                } else {
                    dibs.lock(name).inTransaction(isolated, this::sell);
                }
            }
        }
    }

    @Test
    void theCallersOwnTransactionMayHaveIt() throws Exception {
        String name = fresh("own");
        try (Dibs here = dibs();
                Dibs there = dibs();
                Connection business = pool().getConnection()) {
            NamedLock lock = here.lock(name);
            assertThatThrownBy(() -> lock.tryGuard(business))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("setAutoCommit(false)");
            assertThat(lock.awaitFree(Duration.ZERO)).isTrue();
            business.setAutoCommit(false);
            assertThat(lock.tryGuard(business)).isTrue();
            Savepoint after = business.setSavepoint();
            sell(business);
            business.rollback(after);
            sell(business);
            if (database().has(Trait.LOCKS_ROWS)) {
                assertThat(there.lock(name).tryAcquire()).isEmpty();
            }
            business.commit();
            try (Lease lease = there.lock(name).tryAcquire().orElseThrow()) {
                assertThat(lock.tryGuard(business)).isFalse();
                business.rollback();
            }
            assertThat(lock.tryGuard(business)).isTrue();
            business.rollback();
            there.lock(name).tryAcquire().orElseThrow().close();
        }
        assertThat(sold()).isEqualTo(1);
    }

    @Test
    void aSessionThatEndsFreesIt() throws Exception {
        String name = fresh("killed");
        Connection killed = database().dataSource().getConnection();
        assertThat(here().lock(name).awaitFree(Duration.ZERO)).isTrue();
        killed.setAutoCommit(false);
        assertThat(here().lock(name).tryGuard(killed)).isTrue();
        sell(killed);
        if (database().endsSession().isEmpty()) {
            killed.close();
        } else {
            String session = String.valueOf(Sql.on(killed).number(database().sessionNumber()));
            sql().run(database().endsSession().replace("#", session));
            assertThatThrownBy(killed::commit).isInstanceOf(SQLException.class);
        }
        Awaitility.await().atMost(SOON).until(() -> there().lock(name).tryInTransaction(pool(), this::sell));
        assertThat(sold()).isEqualTo(1);
    }

    @Test
    void itsWorkCannotEndIt() throws Exception {
        here().lock(fresh("ended")).inTransaction(pool(), tx -> {
            sell(tx);
            assertThatThrownBy(() -> Sql.on(tx).run("COMMIT")).isInstanceOf(SQLException.class);
            tx.unwrap(Connection.class).setAutoCommit(false);
        });
        assertThat(sold()).isEqualTo(1);
    }

    @Test
    void aFairOrHeldLockNeedsALease() throws Exception {
        NamedLock lock = here().lock(fresh("needs"));
        for (NamedLock other : List.of(lock.fair(), lock.holdAtLeast(Duration.ofSeconds(1)))) {
            assertThatThrownBy(() -> other.tryInTransaction(pool(), this::sell))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("needs a lease");
        }
        assertThat(sold()).isZero();
    }

    @Test
    void itCostsOneStatement() throws Exception {
        CountingDataSource counting = new CountingDataSource(pool());
        String name = fresh("cost");
        // By another instance, since adding a row requests a purge.
        try (Dibs first = dibs()) {
            first.lock(name).inTransaction(pool(), this::sell);
        }
        Dibs dibs = dibs(counting);
        NamedLock lock = dibs.lock(name);
        lock.inTransaction(counting, this::sell);
        int before = counting.statements().size();
        int commits = counting.commits();
        lock.inTransaction(counting, this::sell);
        assertThat(counting.statements()).hasSize(before + 1 + 2);
        assertThat(counting.commits()).isEqualTo(commits + 1);
    }
}
