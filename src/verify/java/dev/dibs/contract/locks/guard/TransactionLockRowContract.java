package dev.dibs.contract.locks.guard;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.NamedLock;
import dev.dibs.contract.support.Jobs;
import dev.dibs.contract.support.Warnings;
import dev.dibs.database.CountingDataSource;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.Sql;
import dev.dibs.database.Trait;
import dev.dibs.runs.RunWorkers;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** What a lock for one transaction does beside its lock: to the row of a holder, a purged row, its connection and its thread. */
class TransactionLockRowContract extends SaleFixture {

    /** Else its holder could not renew as long as that transaction is open. */
    @Test
    void aBusyTryLeavesTheHoldersRowAlone() throws Exception {
        assumeRowLocks();
        String name = fresh("renewed");
        NamedLock lock = here().lock(name);
        assertThat(lock.awaitFree(Duration.ZERO)).isTrue();
        Connection business = transaction();
        assertThat(lock.tryGuard(business)).isTrue();
        business.rollback();
        Dibs there = closing(oftenRenewed(pool()).build());
        try (Lease lease = there.lock(name).tryAcquire().orElseThrow()) {
            for (int i = 0; i < 2; i++) {
                assertThat(lock.awaitFree(Duration.ZERO) && lock.tryGuard(business))
                        .isFalse();
                long until = heldUntil(name);
                Awaitility.await().atMost(SOON).until(() -> heldUntil(name) > until);
            }
            assertThat(lease.isValid()).isTrue();
        }
        business.rollback();
    }

    private long heldUntil(String name) throws SQLException {
        return sql().number("SELECT held_until FROM dibs_lock WHERE name = ?", name);
    }

    @Test
    void aWaitOnlyLooksAtALease() throws Exception {
        String name = fresh("looks");
        CountingDataSource counting = new CountingDataSource(pool());
        Lease lease = there().lock(name).tryAcquire().orElseThrow();
        assertThat(here().lock(name).tryInTransaction(counting, Duration.ofMillis(500), this::sell))
                .isFalse();
        assertThat(counting.statements()).hasSize(1);
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void aLookThatIsRolledBackIsRepeatedAndNeverMeansBusy() {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        NamedLock lock = dibs(faulty).lock(fresh("rolled"));
        faulty.on(sql -> true).fail("40001", 0);
        assertThat(lock.awaitFree(Duration.ZERO)).isTrue();
        assertThat(faulty.struck()).hasSize(1);
        NamedLock another = dibs(faulty).lock(fresh("rolled"));
        faulty.on(sql -> true).always().fail("40001", 0);
        assertThatThrownBy(() -> another.awaitFree(Duration.ZERO)).isInstanceOf(DatabaseFailureException.class);
    }

    /** What a transaction has read before it has the lock may be old. */
    @Test
    void aTransactionThatHasReadIsRefused() throws Exception {
        NamedLock lock = here().lock(fresh("old"));
        lock.inTransaction(pool(), this::sell);
        for (String isolation : database().higherIsolations()) {
            for (String mode : database().snapshotModes()) {
                assertRefusedAfterARead(lock, isolation, mode);
            }
        }
    }

    private void assertRefusedAfterARead(NamedLock lock, String isolation, String mode) throws SQLException {
        boolean rows = database().has(Trait.LOCKS_ROWS);
        HikariDataSource isolated = closing(database().pool(config -> {
            config.setTransactionIsolation(isolation);
            config.setConnectionInitSql(mode);
        }));
        try (Connection business = isolated.getConnection()) {
            business.setAutoCommit(false);
            Sql.on(business).number("SELECT num FROM " + table);
            if (!rows || isolation.endsWith("REPEATABLE_READ")) {
                there().lock(lock.name()).inTransaction(pool(), this::sell);
            }
            assertThatThrownBy(() -> lock.tryGuard(business))
                    .as(isolation)
                    .isInstanceOf(rows ? IllegalStateException.class : DatabaseFailureException.class);
            business.rollback();
        }
    }

    /** A lock that was taken after a savepoint goes with it. */
    @Test
    void aRollbackToAnEarlierSavepointDropsIt() throws Exception {
        assumeRowLocks();
        NamedLock lock = here().lock(fresh("savepoint"));
        lock.inTransaction(pool(), this::sell);
        Connection business = transaction();
        Savepoint before = business.setSavepoint();
        assertThat(lock.tryGuard(business)).isTrue();
        business.rollback(before);
        there().lock(lock.name()).tryAcquire().orElseThrow().close();
        business.rollback();
    }

    @Test
    void aRunMayHaveItForARow() throws Exception {
        NamedLock lock = here().lock(fresh("row"));
        assertThat(lock.awaitFree(Duration.ZERO)).isTrue();
        Jobs jobs = jobs(1);
        RunWorkers<?> workers = here().run(fresh("run"))
                .over(jobs.claims(here()).build())
                .maxAttempts(1)
                .workInTransaction((key, tx) -> {
                    assertThat(lock.tryGuard(tx)).isTrue();
                    jobs.effect(tx, key.asLong());
                    assertNotAcquired(() -> there().lock(lock.name()).tryAcquire());
                });
        assertThat(workers.start().await(LONG)).isTrue();
        assertThat(jobs.effects()).containsExactly(1L);
        there().lock(lock.name()).tryAcquire().orElseThrow().close();
    }

    /** It would wait for itself. */
    @Test
    void aSecondOneWithinItsWorkIsRefused() throws Exception {
        NamedLock lock = here().lock(fresh("nested"));
        lock.inTransaction(
                pool(),
                tx -> assertThatThrownBy(() -> lock.tryInTransaction(pool(), LONG, this::sell))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("use the connection of that one"));
        lock.inTransaction(pool(), this::sell);
        assertThat(sold()).isEqualTo(1);
    }

    private CompletableFuture<Boolean> sellDuringAnOutage(FaultyDataSource faulty, Dibs dibs) {
        faulty.exhaust(Duration.ofMillis(100));
        NamedLock lock = dibs.lock(fresh("outage"));
        CompletableFuture<Boolean> sold = CompletableFuture.supplyAsync(() -> {
            try {
                return lock.tryInTransaction(faulty, SOON, this::sell);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        Awaitility.await().until(() -> faulty.refused().size() >= 2);
        return sold;
    }

    @Test
    void aWaitOutlivesAnOutage() throws Exception {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        CompletableFuture<Boolean> sold = sellDuringAnOutage(faulty, here());
        faulty.refill();
        assertThat(sold.get()).isTrue();
    }

    @Test
    void aWaitInAnOutageEndsWithItsInstance() {
        Dibs dibs = dibs();
        CompletableFuture<Boolean> sold = sellDuringAnOutage(new FaultyDataSource(pool()), dibs);
        dibs.close();
        assertThatThrownBy(sold::get).hasMessageContaining("closed");
    }

    /** A purge that meets a busy file leaves it to the next one. */
    @Test
    void aNewNameRequestsAPurge() throws Exception {
        assumeRowLocks();
        String idle = fresh("idle");
        used(idle);
        sql().change("UPDATE dibs_lock SET acquired_at = 1, held_until = 0 WHERE name = ?", idle);
        here().lock(fresh("new")).inTransaction(pool(), this::sell);
        Awaitility.await().atMost(SOON).until(() -> rows(idle) == 0);
    }

    /** Its row does not tell that transactions use it, so a purge deletes it now and then. */
    @Test
    void aPurgedNameIsAddedAgain() throws Exception {
        String name = fresh("again");
        NamedLock lock = here().lock(name);
        assertThat(lock.awaitFree(Duration.ZERO)).isTrue();
        Connection business = transaction();
        assertThat(lock.tryGuard(business)).isTrue();
        business.rollback();
        sql().change("DELETE FROM dibs_lock WHERE name = ?", name);
        assertThat(lock.tryGuard(business)).isFalse();
        business.rollback();
        assertThat(lock.awaitFree(Duration.ZERO)).isTrue();
        // The background adds it, too, and may lock it for a moment.
        Awaitility.await().until(() -> guards(lock));
    }

    /** A run gets the connection of its transaction, and calls no awaitFree: the background adds the row. */
    @Test
    void aRowThatIsPurgedDuringARunIsAddedAgain() throws Exception {
        String awaited = fresh("awaited");
        String guarded = fresh("guarded");
        assertThat(here().lock(awaited).awaitFree(Duration.ZERO)).isTrue();
        assertThat(there().lock(guarded).awaitFree(Duration.ZERO)).isTrue();
        Connection business = transaction();
        assertThat(here().lock(guarded).tryGuard(business)).isTrue();
        business.rollback();
        for (String name : List.of(awaited, guarded)) {
            sql().change("DELETE FROM dibs_lock WHERE name = ?", name);
            Jobs jobs = jobs(2);
            RunWorkers<?> workers = here().run(fresh("purged"))
                    .over(jobs.claims(here()).build())
                    .backoff(Duration.ofMillis(100), Duration.ofMillis(500))
                    .maxAttempts(20)
                    .workInTransaction((key, tx) -> {
                        if (!here().lock(name).tryGuard(tx)) {
                            throw new IllegalStateException("busy");
                        }
                        jobs.effect(tx, key.asLong());
                    });
            assertThat(workers.start().await(LONG)).as(name).isTrue();
            assertThat(jobs.effects()).as(name).containsExactly(1L, 1L);
        }
    }

    @Test
    void aRowThatCannotBeAddedAgainIsTold() throws Exception {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        NamedLock lock = dibs(faulty).lock(fresh("refused"));
        assertThat(lock.awaitFree(Duration.ZERO)).isTrue();
        sql().change("DELETE FROM dibs_lock WHERE name = ?", lock.name());
        faulty.on(sql -> sql.toUpperCase(Locale.ROOT).contains("INSERT"))
                .always()
                .fail("0A000", 0);
        try (Warnings warnings = new Warnings("could not be added")) {
            assertThat(guards(lock)).isFalse();
            Awaitility.await().until(() -> !warnings.heard().isEmpty());
        }
        faulty.heal();
        Awaitility.await().until(() -> guards(lock));
    }

    private boolean guards(NamedLock lock) throws SQLException {
        try (Connection business = pool().getConnection()) {
            business.setAutoCommit(false);
            boolean locked = lock.tryGuard(business);
            business.rollback();
            business.setAutoCommit(true);
            return locked;
        }
    }

    /** In an interrupted thread, H2 would close its file. */
    @Test
    void anInterruptWaitsForTheWork() throws Exception {
        AtomicInteger interrupted = new AtomicInteger();
        FaultyDataSource watched = new FaultyDataSource(pool());
        watched.on(sql -> sql.contains("dibs_lock")).always().actBefore(() -> {
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
            return null;
        });
        try (Dibs dibs = dibs()) {
            NamedLock lock = dibs.lock(fresh("interrupted"));
            lock.inTransaction(pool(), this::sell);
            Thread.currentThread().interrupt();
            lock.inTransaction(watched, tx -> {
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
    void aTransactionThatOnlyReadsHasItOrIsRefused() throws Exception {
        assumeRowLocks();
        String name = fresh("reads");
        Dibs here = dibs();
        Dibs there = dibs();
        Connection reads = closing(database().dataSource().getConnection());
        assertThat(here.lock(name).awaitFree(Duration.ZERO)).isTrue();
        reads.setReadOnly(true);
        reads.setAutoCommit(false);
        boolean refused = false;
        try {
            assertThat(here.lock(name).tryGuard(reads)).isTrue();
        } catch (DatabaseFailureException e) {
            assertThat(e.getMessage()).containsPattern("(?i)read.only").contains("Roll back");
            refused = true;
        }
        assertThat(there.lock(name).tryAcquire().isPresent()).isEqualTo(refused);
        reads.rollback();
    }

    /** Nothing is done twice: only what the database has answered as rolled back is begun again. */
    @Test
    void aCutConnectionFreesIt() throws Exception {
        FaultyDataSource cut = new FaultyDataSource(pool());
        NamedLock lock = here().lock(fresh("cut"));
        lock.inTransaction(cut, this::sell);
        for (String text : List.of(table, "COMMIT")) {
            cut.on(sql -> sql.contains(text)).loseStatement();
            assertThatThrownBy(() -> lock.inTransaction(cut, this::sell))
                    .as(text)
                    .isInstanceOfAny(SQLException.class, DatabaseFailureException.class);
            assertThat(there().lock(lock.name()).tryInTransaction(pool(), SOON, this::sell))
                    .as(text)
                    .isTrue();
        }
        assertThat(sold()).isEqualTo(3);
        cut.on("COMMIT"::equals).loseAnswer();
        assertThatThrownBy(() -> lock.inTransaction(cut, this::sell))
                .isInstanceOf(DatabaseFailureException.class)
                .hasMessageContaining("look in your tables");
        cut.on(sql -> sql.contains("dibs_lock")).loseAnswer();
        lock.inTransaction(cut, SOON, this::sell);
        there().lock(lock.name()).acquire(SOON).close();
        assertThat(sold()).isEqualTo(5);
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
        NamedLock lock = here().lock(fresh("broken"));
        assertThatThrownBy(() -> lock.inTransaction(broken, this::sell)).hasMessage("broken");
        assertThat(open).hasValue(0);
    }

    private long rows(String name) throws SQLException {
        return sql().number("SELECT count(*) FROM dibs_lock WHERE name = ?", name);
    }
}
