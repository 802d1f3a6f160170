package dev.dibs.contract.locks.acquire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.contract.support.Fixture;
import dev.dibs.database.Core;
import dev.dibs.database.CountingDataSource;
import dev.dibs.database.FullRun;
import dev.dibs.database.Sql;
import java.sql.Connection;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What takes the place of "nobody waits for a row lock" where one transaction at a time writes: see docs/reference/sqlite.md. */
@Tag("contract")
@Core
class OneWriterContract extends Fixture {

    private static final String WRITE = "UPDATE dibs_lock SET holder = holder WHERE 1 = 0";

    @BeforeEach
    void oneWriter() {
        assumeFalse(database().locksRows(), "here, transactions lock rows: see NoWaitContract");
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
        try (Dibs here = dibs();
                Dibs there = dibs(counting);
                Lease ignored = here.lock(name).tryAcquire().orElseThrow();
                Connection business = writing(pool().getConnection())) {
            counting.reset();
            assertThat(there.lock(name).tryAcquire()).isEmpty();
            assertThat(counting.statements()).singleElement().asString().startsWith("SELECT");
            end(business);
        }
    }

    @Test
    void aFreeLockBesideAWriterIsAnErrorAndNotBusy() throws Exception {
        String name = fresh("free");
        try (Dibs dibs = dibs();
                Connection business = writing(pool().getConnection())) {
            long before = System.nanoTime();
            assertThatThrownBy(() -> dibs.lock(name).tryAcquire())
                    .isInstanceOf(DatabaseFailureException.class)
                    .hasMessageContaining("The file is busy");
            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(SOON);
            end(business);
            assertThat(dibs.lock(name).tryAcquire()).isPresent();
        }
    }

    @Test
    void aCallerThatWaitsAcquiresAfterTheCommit() throws Exception {
        String name = fresh("patient");
        try (Dibs dibs = dibs();
                Connection business = writing(pool().getConnection())) {
            CompletableFuture<Optional<Lease>> waiter =
                    CompletableFuture.supplyAsync(() -> dibs.lock(name).tryAcquire(SOON));
            // Longer than a caller without a wait would try.
            Thread.sleep(1500);
            assertThat(waiter).isNotDone();
            end(business);
            assertThat(waiter.join()).isPresent();
        }
    }

    @Test
    @FullRun
    void aLeaseOutlivesATransactionThatKeepsItFromBeingRenewed() throws Exception {
        String name = fresh("long");
        AtomicInteger losses = new AtomicInteger();
        try (Dibs dibs = oftenRenewed(pool()).build();
                Lease lease = dibs.lock(name).tryAcquire().orElseThrow();
                Connection business = pool().getConnection()) {
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
    }

    @Test
    void aGuardedTransactionThatOutlivesItsLeaseKeepsTheLock() throws Exception {
        String name = fresh("guarded");
        try (Dibs here = builder(pool()).leaseLength(LEASE).build();
                Dibs there = dibs();
                Connection business = pool().getConnection()) {
            Lease lease = here.lock(name).tryAcquire().orElseThrow();
            business.setAutoCommit(false);
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
    }

    @Test
    void aReleaseBesideAWriterHappensAfterIt() throws Exception {
        String name = fresh("release");
        try (Dibs here = dibs();
                Dibs there = dibs();
                Connection business = pool().getConnection()) {
            Lease lease = here.lock(name).tryAcquire().orElseThrow();
            writing(business);
            long before = System.nanoTime();
            lease.close();
            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(SOON);
            end(business);
            assertThat(there.lock(name).tryAcquire(SOON)).isPresent();
        }
    }

    @Test
    void aTransactionThatHasReadBeforeAnotherCommitCannotGuard() throws Exception {
        String name = fresh("read-first");
        try (Dibs dibs = dibs();
                Lease lease = dibs.lock(name).tryAcquire().orElseThrow();
                Connection business = pool().getConnection()) {
            business.setAutoCommit(false);
            assertThat(Sql.on(business).number("SELECT count(*) FROM dibs_lock"))
                    .isPositive();
            dibs.lock(fresh("other")).tryAcquire().orElseThrow().close();
            assertThatThrownBy(() -> lease.guard(business))
                    .isInstanceOf(DatabaseFailureException.class)
                    .hasMessageContaining("run the transaction again, with guard as its first statement");
            business.rollback();
            lease.guard(business);
            end(business);
        }
    }

    @Test
    void theConnectionWaitsAfterwardsAsBefore() throws Exception {
        try (HikariDataSource pool = database().pool(config -> {
                    config.setConnectionInitSql("PRAGMA busy_timeout = 12345");
                    config.setMaximumPoolSize(3);
                });
                Dibs dibs = dibs(pool);
                Lease ignored = dibs.lock(fresh("setting")).tryAcquire().orElseThrow()) {
            for (int i = 0; i < 3; i++) {
                dibs.lock(fresh("other")).tryAcquire().orElseThrow().close();
                assertThat(Sql.on(pool).number("PRAGMA busy_timeout")).isEqualTo(12_345);
            }
        }
    }
}
