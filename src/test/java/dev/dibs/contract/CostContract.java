package dev.dibs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.database.CountingDataSource;
import dev.dibs.database.ErrorLog;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Promise 6 and the price: how many statements each operation takes, and that none of them fails. */
public interface CostContract extends Fixture {

    /** How many statements the database needs to acquire a free lock, a new name, and to renew. */
    default int[] price() {
        return new int[] {1, 1, 1};
    }

    @Test
    default void statementsPerOperation() {
        String name = fresh("cost");
        CountingDataSource counting = new CountingDataSource(pool());
        try (Dibs holder = dibs();
                Dibs dibs = builder(counting).lease(Duration.ofMinutes(1)).build()) {
            holder.lock(name).tryAcquire().orElseThrow().close();
            dibs.lock(fresh("warm")).tryAcquire().orElseThrow().close();
            await().pollDelay(Duration.ofMillis(100)).until(() -> true);
            counting.reset();

            Lease lease = dibs.lock(name).tryAcquire().orElseThrow();
            assertThat(counting.statements()).as("acquire").hasSize(price()[0]);
            counting.reset();
            lease.close();
            assertThat(counting.statements()).as("release").hasSize(1);
            counting.reset();

            String taken = fresh("taken");
            try (Lease busy = holder.lock(taken).tryAcquire().orElseThrow()) {
                assertThat(busy.isValid()).isTrue();
                assertThat(dibs.lock(taken).tryAcquire()).isEmpty();
                assertThat(counting.statements()).as("busy").hasSize(1);
            }
            counting.reset();
            dibs.lock(taken).fair().tryAcquire().orElseThrow().close();
            assertThat(counting.statements()).as("fair: a look, and as above").hasSize(1 + price()[0] + 1);
            counting.reset();
            dibs.locks();
            assertThat(counting.statements()).as("locks").hasSize(1);
            assertThat(counting.commits() + counting.rollbacks() + counting.autoCommitChanges())
                    .isZero();
        }
    }

    @Test
    default void aNewName() {
        CountingDataSource counting = new CountingDataSource(pool());
        try (Dibs dibs = builder(counting).lease(Duration.ofMinutes(1)).build()) {
            assertThat(dibs.lock(fresh("first")).tryAcquire()).isPresent();
            await().pollDelay(Duration.ofMillis(200)).until(() -> true);
            counting.reset();
            Lease lease = dibs.lock(fresh("new")).tryAcquire().orElseThrow();
            assertThat(counting.statements()).hasSize(price()[1]);
            assertThat(lease.isValid()).isTrue();
        }
    }

    @Test
    default void manyLeasesAreRenewedInOneStatement() throws InterruptedException {
        String kind = fresh("many");
        CountingDataSource counting = new CountingDataSource(pool());
        try (Dibs dibs = builder(counting).lease(Duration.ofMillis(1500)).build()) {
            List<Lease> leases = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                leases.add(dibs.lock(kind, i).tryAcquire().orElseThrow());
            }
            Thread.sleep(1500);
            counting.reset();
            Thread.sleep(2000);
            // 2 seconds are 4 intervals; the leases may beat in two groups until they fall into step.
            assertThat(counting.statements().size()).isBetween(3 * price()[2], 12 * price()[2]);
            leases.forEach(Lease::check);
        }
    }

    @Test
    default void nothingHeldNothingAsked() throws InterruptedException {
        CountingDataSource counting = new CountingDataSource(pool());
        try (Dibs dibs = builder(counting).lease(Duration.ofMillis(300)).build()) {
            dibs.lock(fresh("idle")).tryAcquire().orElseThrow().close();
            Thread.sleep(500);
            counting.reset();
            Thread.sleep(1000);
            assertThat(counting.statements()).isEmpty();
        }
    }

    @Test
    default void theNormalPathFailsNoStatement() throws Exception {
        org.junit.jupiter.api.Assumptions.assumeTrue(database().canReadErrorLog());
        String name = fresh("quiet");
        ErrorLog log = database().errorLog();
        try (Dibs here = builder(pool()).lease(Duration.ofMillis(1200)).build();
                Dibs there = dibs();
                Connection business = pool().getConnection()) {
            here.createSchema();
            Lease lease = here.lock(name).tryAcquire().orElseThrow();
            there.lock(name).tryAcquire();
            business.setAutoCommit(false);
            lease.guard(business);
            there.lock(name).tryAcquire();
            Thread.sleep(500);
            lease.close();
            business.commit();
            business.setAutoCommit(true);
            there.lock(name).acquire(Duration.ofSeconds(5)).close();
            here.lock(name).tryAcquire();
            there.breakLock(name);
            there.locks();
            there.doctor();
        }
        assertThat(log.entries()).isEmpty();
    }
}
