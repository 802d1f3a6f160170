package dev.dibs.contract.locks.acquire;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.NamedLock;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.database.Core;
import dev.dibs.database.CountingDataSource;
import dev.dibs.database.FullTest;
import dev.dibs.database.Sql;
import dev.dibs.database.Trait;
import java.sql.Connection;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What takes the place of "nobody waits for a row lock" where one transaction at a time writes: see docs/reference/sqlite.md. */
@Core
class OneWriterContract extends ContractFixture {

    private static final String WRITE = "UPDATE dibs_lock SET holder = holder WHERE 1 = 0";

    @BeforeEach
    void oneWriter() {
        assumeFalse(database().has(Trait.LOCKS_ROWS), "here, transactions lock rows: see NoWaitContract");
    }

    private static Connection writing(Connection connection) throws Exception {
        connection.setAutoCommit(false);
        run(connection, WRITE);
        return connection;
    }

    private static void end(Connection connection) throws Exception {
        connection.commit();
        connection.setAutoCommit(true);
    }

    @Test
    void aHeldLockIsBusyAndNobodyWaitsForTheFile() throws Exception {
        String name = fresh("held");
        CountingDataSource counting = new CountingDataSource(pool());
        Dibs there = dibs(counting);
        assertThat(here().lock(name).tryAcquire()).isPresent();
        Connection business = closing(writing(pool().getConnection()));
        counting.reset();
        assertThat(there.lock(name).tryAcquire()).isEmpty();
        assertThat(counting.statements()).singleElement().asString().startsWith("SELECT");
        end(business);
    }

    @Test
    void aFreeLockBesideAWriterIsAnErrorAndNotBusy() throws Exception {
        String name = fresh("free");
        Connection business = closing(writing(pool().getConnection()));
        long before = System.nanoTime();
        assertThatThrownBy(() -> here().lock(name).tryAcquire())
                .isInstanceOf(DatabaseFailureException.class)
                .hasMessageContaining("The file is busy");
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(SOON);
        end(business);
        assertThat(here().lock(name).tryAcquire()).isPresent();
    }

    @Test
    void aTransactionWaitsForTheOneThatHasTheFile() throws Exception {
        NamedLock lock = here().lock(fresh("second"));
        NamedLock first = here().lock(fresh("first"));
        assertThat(first.awaitFree(SOON)).isTrue();
        DataSource impatient = impatient();
        Connection business = transaction();
        assertThat(first.tryGuard(business)).isTrue();
        assertThatThrownBy(() -> lock.<Exception>tryInTransaction(impatient, tx -> run(tx, WRITE)))
                .isInstanceOf(DatabaseFailureException.class)
                .hasMessageContaining("The file is busy");
        CompletableFuture<Boolean> waiter = CompletableFuture.supplyAsync(() -> {
            try {
                return lock.<Exception>tryInTransaction(impatient, SOON, tx -> run(tx, WRITE));
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        Thread.sleep(1500);
        assertThat(waiter).isNotDone();
        business.commit();
        assertThat(waiter.get()).isTrue();
    }

    @Test
    void aCallerThatWaitsAcquiresAfterTheCommit() throws Exception {
        String name = fresh("patient");
        Dibs dibs = dibs();
        Connection business = closing(writing(pool().getConnection()));
        CompletableFuture<Optional<Lease>> waiter =
                CompletableFuture.supplyAsync(() -> dibs.lock(name).tryAcquire(SOON));
        // Longer than a caller without a wait would try.
        Thread.sleep(1500);
        assertThat(waiter).isNotDone();
        end(business);
        assertThat(waiter.join()).isPresent();
    }

    @FullTest
    void aLeaseOutlivesATransactionThatKeepsItFromBeingRenewed() throws Exception {
        String name = fresh("long");
        AtomicInteger losses = new AtomicInteger();
        Dibs dibs = closing(oftenRenewed(pool()).build());
        Lease lease = dibs.lock(name).tryAcquire().orElseThrow();
        Connection business = connection();
        lease.onLost(lost -> losses.incrementAndGet());
        awaitRenewal(dibs, name);
        writing(business);
        // Three renewals would have come.
        Thread.sleep(3_000);
        lease.check();
        end(business);
        awaitRenewal(dibs, name);
        lease.check();
        assertThat(losses).hasValue(0);
    }

    @Test
    void aGuardedTransactionThatOutlivesItsLeaseKeepsTheLock() throws Exception {
        String name = fresh("guarded");
        Dibs here = closing(builder(pool()).leaseLength(LEASE).build());
        Dibs there = dibs();
        Lease lease = here.lock(name).tryAcquire().orElseThrow();
        Connection business = transaction();
        lease.guard(business);
        await().until(() -> !lease.isValid());
        await("its time is over in the database, too")
                .until(() -> there.admin().locks().stream()
                        .noneMatch(lock -> lock.name().equals(name)));
        assertThatThrownBy(() -> there.lock(name).tryAcquire())
                .isInstanceOf(DatabaseFailureException.class)
                .hasMessageContaining("The file is busy");
        end(business);
        Lease next = there.lock(name).tryAcquire(SOON).orElseThrow();
        assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
    }

    @Test
    void aReleaseBesideAWriterHappensAfterIt() throws Exception {
        String name = fresh("release");
        Connection business = connection();
        Lease lease = here().lock(name).tryAcquire().orElseThrow();
        writing(business);
        long before = System.nanoTime();
        lease.close();
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(SOON);
        end(business);
        assertThat(there().lock(name).tryAcquire(SOON)).isPresent();
    }

    @Test
    void aTransactionThatHasReadBeforeAnotherCommitCannotGuard() throws Exception {
        String name = fresh("read-first");
        Lease lease = here().lock(name).tryAcquire().orElseThrow();
        Connection business = transaction();
        assertThat(Sql.on(business).number("SELECT count(*) FROM dibs_lock")).isPositive();
        here().lock(fresh("other")).tryAcquire().orElseThrow().close();
        assertThatThrownBy(() -> lease.guard(business))
                .isInstanceOf(DatabaseFailureException.class)
                .hasMessageContaining("run the transaction again with its guard as the first statement");
        business.rollback();
        lease.guard(business);
        end(business);
    }

    @Test
    void theConnectionWaitsAfterwardsAsBefore() throws Exception {
        HikariDataSource pool = closing(database().pool(config -> {
            config.setConnectionInitSql("PRAGMA busy_timeout = 12345");
            config.setMaximumPoolSize(3);
        }));
        Dibs dibs = dibs(pool);
        assertThat(dibs.lock(fresh("setting")).tryAcquire()).isPresent();
        for (int i = 0; i < 3; i++) {
            dibs.lock(fresh("other")).tryAcquire().orElseThrow().close();
            assertThat(Sql.on(pool).number("PRAGMA busy_timeout")).isEqualTo(12_345);
        }
    }
}
