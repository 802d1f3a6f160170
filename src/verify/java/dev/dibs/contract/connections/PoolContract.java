package dev.dibs.contract.connections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.contract.support.Fixture;
import dev.dibs.database.AmbientDataSource;
import dev.dibs.database.CountingDataSource;
import dev.dibs.database.FullRun;
import dev.dibs.database.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Promises 7 and 8: any pool works, and its connections return with their settings unchanged. */
@Tag("contract")
class PoolContract extends Fixture {

    @Test
    @FullRun(except = "postgresql")
    void aPoolOfOne() throws Exception {
        String name = fresh("one");
        try (HikariDataSource one = database().pool(config -> config.setMaximumPoolSize(1));
                Dibs dibs = oftenRenewed(one).build();
                Dibs there = dibs();
                Lease first = dibs.lock(name, 1).tryAcquire().orElseThrow();
                Lease second = dibs.lock(name, 2).tryAcquire().orElseThrow()) {
            for (Lease lease : List.of(first, second)) {
                awaitRenewal(there, lease.name());
            }
            first.check();
            second.check();
            first.inTransaction(one, tx -> assertThat(tx.getAutoCommit()).isFalse());
            // A renewal may have it at this moment.
            await().until(() -> one.getHikariPoolMXBean().getActiveConnections() == 0);
        }
    }

    @Test
    @FullRun(except = "postgresql")
    void autocommitOffByDefault() throws Exception {
        Assumptions.assumeTrue(
                database().knowsNewTransactions(), "a session without autocommit is always in a transaction");
        String name = fresh("manual");
        try (HikariDataSource manual = database().pool(config -> config.setAutoCommit(false));
                Dibs dibs = oftenRenewed(manual).build();
                Dibs there = dibs()) {
            Lease lease = dibs.lock(name).tryAcquire().orElseThrow();
            assertThat(there.lock(name).tryAcquire()).as("it is committed").isEmpty();
            awaitRenewal(there, name);
            lease.check();
            try (Connection connection = manual.getConnection()) {
                assertThat(connection.getAutoCommit()).isFalse();
            }
            lease.inTransaction(manual, tx -> {});
            lease.close();
            // A release that meets a renewal is done in the background.
            try (Lease next = there.lock(name).acquire(SOON)) {
                assertThat(next.takeover()).as("released, not passed").isEmpty();
            }
        }
    }

    @Test
    @FullRun(except = "postgresql")
    void serializableByDefault() throws Exception {
        String name = fresh("serializable");
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger overlaps = new AtomicInteger();
        try (HikariDataSource strict =
                        database().pool(config -> config.setTransactionIsolation("TRANSACTION_SERIALIZABLE"));
                Dibs dibs = dibs(strict)) {
            inThreads(4, number -> {
                for (int i = 0; i < 15; i++) {
                    try (Lease lease = dibs.lock(name).acquire(SOON)) {
                        overlaps.addAndGet(inside.getAndIncrement());
                        lease.inTransaction(strict, tx -> {});
                        inside.decrementAndGet();
                    }
                }
            });
            try (Connection connection = strict.getConnection()) {
                assertThat(connection.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
            }
        }
        assertThat(overlaps).hasValue(0);
    }

    @Test
    @FullRun(except = "postgresql")
    void anAmbientTransactionIsNeitherJoinedNorCommitted() throws Exception {
        assumeRowLocks();
        String name = fresh("ambient");
        AmbientDataSource ambient = new AmbientDataSource(pool());
        try (Dibs dibs = oftenRenewed(ambient).build();
                Dibs there = dibs()) {
            dibs.lock(name, "mine").tryAcquire().orElseThrow().close();
            Lease lease;
            try (AmbientDataSource.Transaction transaction = ambient.begin()) {
                assertThat(Sql.on(transaction.connection())
                                .change("UPDATE dibs_lock SET holder = 'uncommitted' WHERE name = ?", name + ":mine"))
                        .isEqualTo(1);
                lease = dibs.lock(name).tryAcquire().orElseThrow();
                assertThat(there.lock(name).tryAcquire()).as("it is committed").isEmpty();
                Instant acquired = heldUntil(there, name);
                await("a renewal that is committed")
                        .until(() -> heldUntil(there, name).isAfter(acquired));
                // Leaving without a commit rolls back.
            }
            assertThat(there.lock(name).tryAcquire())
                    .as("it is not rolled back")
                    .isEmpty();
            assertThat(sql().text("SELECT holder FROM dibs_lock WHERE name = ?", name + ":mine"))
                    .isNotEqualTo("uncommitted");
            lease.close();
        }
    }

    @Test
    void everyConnectionGoesBackAsItCame() throws SQLException {
        String name = fresh("back");
        CountingDataSource counting = new CountingDataSource(pool());
        int network;
        int isolation;
        try (Connection connection = pool().getConnection()) {
            network = connection.getNetworkTimeout();
            isolation = connection.getTransactionIsolation();
        }
        try (Dibs dibs = dibs(counting)) {
            dibs.lock(name).tryAcquire().orElseThrow().close();
            dibs.admin().locks();
            dibs.admin().breakLock(name);
            dibs.admin().doctor();
            await().until(() -> counting.openConnections() == 0);
            try (Connection connection = counting.getConnection()) {
                assertThat(connection.getAutoCommit()).isTrue();
                assertThat(connection.getNetworkTimeout()).isEqualTo(network);
                assertThat(connection.getTransactionIsolation()).isEqualTo(isolation);
            }
        }
        assertThat(counting.openConnections()).isZero();
    }
}
