package dev.dibs.contract.locks.guard;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.NamedLock;
import dev.dibs.NotAcquiredException;
import dev.dibs.contract.support.Warnings;
import dev.dibs.database.CountingDataSource;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.Sql;
import dev.dibs.database.Trait;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** The first step before a lock for the caller's own transaction, and the pool that both share. */
class AwaitFreeContract extends SaleFixture {

    private static final int CALLERS = 20;
    private static final Duration SHORT = Duration.ofMillis(200);

    /** New names, the same ones when they are known, and when their rows were purged meanwhile. */
    @Test
    void callersOfManyNamesShareASmallPool() throws Exception {
        for (int size : List.of(1, 5)) {
            HikariDataSource small = closing(database().pool(config -> config.setMaximumPoolSize(size)));
            Dibs dibs = dibs(small);
            List<String> names = fresh("share", CALLERS);
            AtomicInteger locked = new AtomicInteger();
            ThreadWork work = number -> {
                sellAlone(dibs.lock(names.get(number)), small, tx -> {});
                locked.incrementAndGet();
            };
            inThreads(CALLERS, work);
            inThreads(CALLERS, work);
            for (String name : names) {
                sql().change("DELETE FROM dibs_lock WHERE name = ?", name);
            }
            inThreads(CALLERS, work);
            assertThat(locked).as("a pool of " + size).hasValue(3 * CALLERS);
        }
    }

    @Test
    void callersOfOneNameShareASmallPool() throws Exception {
        for (int size : List.of(1, 5)) {
            HikariDataSource small = closing(database().pool(config -> config.setMaximumPoolSize(size)));
            Dibs dibs = dibs(small);
            String name = fresh("contended");
            long before = sold();
            inThreads(CALLERS, number -> sellAlone(dibs.lock(name), small, this::sell));
            assertThat(sold() - before).as("a pool of " + size).isEqualTo(CALLERS);
        }
    }

    private interface Work {
        void run(Connection transaction) throws SQLException;
    }

    /** As the page has it. */
    private void sellAlone(NamedLock lock, HikariDataSource pool, Work work) throws SQLException {
        boolean done = false;
        while (!done) {
            assertThat(lock.awaitFree(LONG)).isTrue();
            try (Connection transaction = pool.getConnection()) {
                transaction.setAutoCommit(false);
                done = lock.tryGuard(transaction);
                if (done) {
                    work.run(transaction);
                    transaction.commit();
                } else {
                    transaction.rollback();
                }
                transaction.setAutoCommit(true);
            }
        }
    }

    /** The pool's own limit is half a minute: nobody waits for it. */
    @Test
    void withoutTheFirstStepANewNameIsRefusedAtOnce() throws Exception {
        HikariDataSource small = closing(database().pool(config -> config.setMaximumPoolSize(5)));
        Dibs dibs = dibs(small);
        List<String> names = fresh("unprepared", CALLERS);
        AtomicInteger refused = new AtomicInteger();
        try (Warnings warnings = new Warnings("awaitFree")) {
            inThreads(CALLERS, number -> {
                NamedLock lock = dibs.lock(names.get(number));
                try (Connection transaction = small.getConnection()) {
                    transaction.setAutoCommit(false);
                    while (!isAnswered(lock, transaction, refused)) {
                        transaction.rollback();
                    }
                    transaction.rollback();
                    transaction.setAutoCommit(true);
                }
            });
            if (database().has(Trait.KEEPS_REFUSED_ROWS)) {
                assertThat(refused).as("a look would fix the snapshot").hasValue(0);
                assertThat(warnings.heard())
                        .filteredOn(line -> names.stream().anyMatch(line::contains))
                        .hasSize(1);
            } else {
                assertThat(refused).hasValue(CALLERS);
            }
        }
    }

    /** A file may be kept busy by other tests; else its error is none of these. */
    private boolean isAnswered(NamedLock lock, Connection transaction, AtomicInteger refused) throws SQLException {
        try {
            assertThat(lock.tryGuard(transaction)).isFalse();
        } catch (IllegalStateException e) {
            assertThat(e).hasMessageContaining(lock.name()).hasMessageContaining("awaitFree");
            refused.incrementAndGet();
        } catch (DatabaseFailureException e) {
            if (database().has(Trait.LOCKS_ROWS)) {
                throw e;
            }
            return false;
        }
        return true;
    }

    @Test
    void aLeaseIsAwaited() throws Exception {
        NamedLock lock = here().lock(fresh("leased"));
        Lease lease = there().lock(lock.name()).tryAcquire().orElseThrow();
        assertThat(lock.awaitFree(Duration.ZERO)).isFalse();
        assertThat(lock.awaitFree(SHORT)).isFalse();
        CompletableFuture<Boolean> waiter = CompletableFuture.supplyAsync(() -> lock.awaitFree(LONG));
        assertThatThrownBy(() -> waiter.get(SHORT.toMillis(), TimeUnit.MILLISECONDS))
                .isInstanceOf(TimeoutException.class);
        lease.close();
        assertThat(waiter.get()).isTrue();
        Lease held = there().lock(lock.name())
                .holdAtLeast(Duration.ofMinutes(1))
                .tryAcquire()
                .orElseThrow();
        held.close();
        NamedLock another = dibs().lock(lock.name());
        assertThat(another.awaitFree(Duration.ZERO)).as("held back").isFalse();
    }

    /** A look does not see the lock of a transaction; the guard that met it did. */
    @Test
    void aTransactionIsAwaitedOnceAGuardHasMetIt() throws Exception {
        assumeRowLocks();
        NamedLock lock = here().lock(fresh("open"));
        assertThat(lock.awaitFree(SOON)).isTrue();
        Connection first = transaction();
        assertThat(there().lock(lock.name()).tryGuard(first)).isTrue();
        Connection second = transaction();
        assertThat(isFreeOnceMet(lock, second, Duration.ZERO))
                .as("without a wait")
                .isFalse();
        assertThat(isFreeOnceMet(lock, second, SHORT)).isFalse();
        first.commit();
        assertThat(lock.awaitFree(SOON)).isTrue();
        assertThat(lock.tryGuard(second)).isTrue();
        second.rollback();
    }

    /** What a guard has met is known for a second. If the machine stood still for longer meanwhile, another guard meets it. */
    private static boolean isFreeOnceMet(NamedLock lock, Connection transaction, Duration wait) throws SQLException {
        while (true) {
            long began = System.nanoTime();
            assertThat(lock.tryGuard(transaction)).isFalse();
            transaction.rollback();
            boolean free = lock.awaitFree(wait);
            if (!free || System.nanoTime() - began < TimeUnit.SECONDS.toNanos(1)) {
                return free;
            }
        }
    }

    @Test
    void aWaitHoldsNoConnection() throws Exception {
        HikariDataSource one = closing(database().pool(config -> config.setMaximumPoolSize(1)));
        NamedLock lock = dibs(one).lock(fresh("wait"));
        Lease lease = here().lock(lock.name()).tryAcquire().orElseThrow();
        CompletableFuture<Boolean> waiter = CompletableFuture.supplyAsync(() -> lock.awaitFree(LONG));
        for (int i = 0; i < 5; i++) {
            assertThat(Sql.on(one).number("SELECT num FROM " + table)).isZero();
        }
        assertThat(waiter).isNotDone();
        lease.close();
        assertThat(waiter.get()).isTrue();
    }

    /** Between the look and the INSERT, another process adds the row and locks it. MySQL waits for some seconds. */
    @Test
    void aNewNameThatAnotherLocksMeanwhileIsNotWaitedFor() throws Exception {
        assumeRowLocks();
        FaultyDataSource faulty = new FaultyDataSource(pool());
        NamedLock lock = dibs(faulty).lock(fresh("meanwhile"));
        NamedLock other = there().lock(lock.name());
        Connection first = transaction();
        faulty.on(sql -> sql.contains("INSERT INTO dibs_lock")).actBefore(() -> {
            assertThat(other.awaitFree(SOON)).isTrue();
            return other.tryGuard(first);
        });
        CompletableFuture<Boolean> added = CompletableFuture.supplyAsync(() -> lock.awaitFree(LONG));
        assertThat(added.get(LONG.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
        assertThat(faulty.struck()).hasSize(1);
        assertThat(dibs().lock(lock.name()).tryGuard(transaction()))
                .as("while it is locked")
                .isFalse();
        first.rollback();
    }

    @Test
    void aKnownNameCostsALookAtMost() {
        String name = fresh("known");
        used(name);
        CountingDataSource counting = new CountingDataSource(pool());
        NamedLock lock = dibs(counting).lock(name);
        assertThat(lock.awaitFree(SOON)).isTrue();
        counting.reset();
        assertThat(lock.awaitFree(SOON)).isTrue();
        assertThat(counting.statements()).hasSize(database().has(Trait.KEEPS_REFUSED_ROWS) ? 1 : 0);
    }

    @Test
    void anInterruptEndsTheWait() throws Exception {
        NamedLock lock = here().lock(fresh("interrupted"));
        try (Lease lease = there().lock(lock.name()).tryAcquire().orElseThrow()) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> lock.awaitFree(LONG)).isInstanceOf(NotAcquiredException.class);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(lease.isValid()).isTrue();
        }
        assertThatThrownBy(() -> lock.fair().awaitFree(LONG)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> lock.awaitFree(Duration.ofMillis(-1))).isInstanceOf(IllegalArgumentException.class);
    }

    /** Only that can be known there: the isolation of a transaction may be another one than that of its session. */
    @Test
    void aTransactionThatHasBegunIsRefusedUnderAnyIsolation() throws Exception {
        Assumptions.assumeTrue(database().has(Trait.KEEPS_REFUSED_ROWS), "the guard tells");
        NamedLock lock = here().lock(fresh("first"));
        assertThat(lock.awaitFree(SOON)).isTrue();
        HikariDataSource committed =
                closing(database().pool(config -> config.setTransactionIsolation("TRANSACTION_READ_COMMITTED")));
        for (String begins : List.of("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ", "BEGIN", "SELECT 1")) {
            try (Connection business = committed.getConnection()) {
                business.setAutoCommit(false);
                run(business, begins);
                Sql.on(business).number("SELECT num FROM " + table);
                there().lock(lock.name()).inTransaction(pool(), this::sell);
                assertThatThrownBy(() -> lock.tryGuard(business))
                        .as(begins)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("first statement");
                business.rollback();
                run(business, begins.equals("BEGIN") ? "SELECT 1" : begins);
                assertThat(lock.tryGuard(business)).as("after " + begins).isTrue();
                sell(business);
                business.commit();
                business.setAutoCommit(true);
            }
        }
        assertThat(sold()).isEqualTo(6);
    }

    /** The check of the table comes before the guard, and must not fix what the transaction sees. */
    @Test
    void theFirstCallOfAnInstanceFixesNoSnapshot() throws Exception {
        assumeRowLocks();
        NamedLock lock = here().lock(fresh("look"));
        assertThat(lock.awaitFree(SOON)).isTrue();
        FaultyDataSource faulty = new FaultyDataSource(closing(database().pool(config -> {
            if (database().has(Trait.KEEPS_REFUSED_ROWS)) {
                config.setTransactionIsolation("TRANSACTION_REPEATABLE_READ");
            }
        })));
        AtomicInteger sales = new AtomicInteger();
        faulty.onLook().actAfter(() -> {
            there().lock(lock.name()).inTransaction(pool(), this::sell);
            return sales.incrementAndGet();
        });
        try (Connection business = faulty.getConnection()) {
            business.setAutoCommit(false);
            assertThat(dibs().lock(lock.name()).tryGuard(business)).isTrue();
            sell(business);
            business.commit();
            business.setAutoCommit(true);
        }
        assertThat(sales).hasValue(1);
        assertThat(sold()).isEqualTo(2);
    }
}
