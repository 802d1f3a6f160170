package dev.dibs.contract.connections;

import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.database.AmbientDataSource;
import dev.dibs.database.CountingDataSource;
import dev.dibs.database.FullTest;
import dev.dibs.database.Sql;
import dev.dibs.database.Trait;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Promises 7 and 8: any pool works, and its connections return with their settings unchanged. */
class PoolContract extends ContractFixture {

    @FullTest(except = "postgresql")
    void aPoolOfOne() throws Exception {
        String name = fresh("one");
        HikariDataSource one = closing(database().pool(config -> config.setMaximumPoolSize(1)));
        Dibs dibs = closing(oftenRenewed(one).build());
        Dibs there = dibs();
        Lease first = dibs.lock(name, 1).tryAcquire().orElseThrow();
        Lease second = dibs.lock(name, 2).tryAcquire().orElseThrow();
        for (Lease lease : List.of(first, second)) {
            awaitRenewal(there, lease.name());
        }
        first.check();
        second.check();
        first.inTransaction(one, tx -> assertThat(tx.getAutoCommit()).isFalse());
        // A renewal may have it at this moment.
        await().until(() -> one.getHikariPoolMXBean().getActiveConnections() == 0);
    }

    @FullTest(except = "postgresql")
    void autocommitOffByDefault() throws Exception {
        Assumptions.assumeTrue(
                database().has(Trait.KNOWS_NEW_TRANSACTIONS),
                "a session without autocommit is always in a transaction");
        String name = fresh("manual");
        HikariDataSource manual = closing(database().pool(config -> config.setAutoCommit(false)));
        Dibs dibs = closing(oftenRenewed(manual).build());
        Lease lease = dibs.lock(name).tryAcquire().orElseThrow();
        assertThat(there().lock(name).tryAcquire()).as("it is committed").isEmpty();
        awaitRenewal(there(), name);
        lease.check();
        try (Connection connection = manual.getConnection()) {
            assertThat(connection.getAutoCommit()).isFalse();
        }
        lease.inTransaction(manual, tx -> {});
        lease.close();
        // A release that meets a renewal is done in the background.
        Lease next = there().lock(name).acquire(SOON);
        assertThat(next.takeover()).as("released, not expired").isEmpty();
    }

    @FullTest(except = "postgresql")
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

    @FullTest(except = "postgresql")
    void anAmbientTransactionIsNeitherJoinedNorCommitted() throws Exception {
        assumeRowLocks();
        String name = fresh("ambient");
        AmbientDataSource ambient = new AmbientDataSource(pool());
        Dibs dibs = closing(oftenRenewed(ambient).build());
        Dibs there = dibs();
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
        assertThat(there.lock(name).tryAcquire()).as("it is not rolled back").isEmpty();
        assertThat(sql().text("SELECT holder FROM dibs_lock WHERE name = ?", name + ":mine"))
                .isNotEqualTo("uncommitted");
        lease.close();
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
