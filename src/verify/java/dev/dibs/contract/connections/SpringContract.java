package dev.dibs.contract.connections;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.LeaseLostException;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Warnings;
import dev.dibs.examples.Pushing;
import java.sql.SQLException;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.TransactionTemplate;

/** What docs/reference/spring.md says. */
class SpringContract extends ContractFixture {

    private static final class Changed extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private DataSource pool;
    private String table;
    private JdbcTemplate jdbc;
    private TransactionTemplate transactions;
    private Pushing pushing;

    @BeforeEach
    void connect() throws SQLException {
        pool = pool();
        table = table("id int, pushed int");
        jdbc = new JdbcTemplate(pool);
        transactions = new TransactionTemplate(new DataSourceTransactionManager(pool));
        pushing = new Pushing(here(), pool, "UPDATE " + table + " SET pushed = 1 WHERE id = 42");
        jdbc.update("INSERT INTO " + table + " (id, pushed) VALUES (42, 0)");
    }

    private int pushed() {
        return jdbc.queryForObject("SELECT count(*) FROM " + table + " WHERE pushed = 1", Integer.class);
    }

    private void withLease(Consumer<Lease> test) {
        Dibs dibs = dibs(pool);
        Lease lease = dibs.lock(fresh("spring")).tryAcquire().orElseThrow();
        test.accept(lease);
    }

    @Test
    void theGuardJoinsTheTransactionOfSpring() {
        try (Dibs dibs = dibs(pool)) {
            pushing.push(dibs, pool, jdbc, transactions);
            assertThat(pushed()).isEqualTo(1);
        }
        withLease(lease -> {
            jdbc.update("UPDATE " + table + " SET pushed = 0");
            assertThatThrownBy(() -> transactions.executeWithoutResult(status -> {
                        pushing.push(lease);
                        assertThat(pushed()).isEqualTo(1);
                        throw new Changed();
                    }))
                    .isInstanceOf(Changed.class);
            assertThat(pushed()).isZero();
            transactions.executeWithoutResult(status -> pushing.push(lease));
            assertThat(pushed()).isEqualTo(1);
        });
    }

    @Test
    void aBrokenLeaseRollsTheTransactionOfSpringBack() {
        withLease(lease -> {
            try (Dibs other = dibs()) {
                other.admin().breakLock(lease.name());
            }
            assertThatThrownBy(() -> transactions.executeWithoutResult(status -> {
                        jdbc.update("UPDATE " + table + " SET pushed = 1");
                        pushing.push(lease);
                    }))
                    .isInstanceOf(LeaseLostException.class);
            assertThat(pushed()).isZero();
        });
    }

    @Test
    void aTemplateOverTheConnectionOfTheWorkIsGuarded() {
        withLease(lease -> {
            assertThatThrownBy(() -> lease.inTransaction(pool, tx -> {
                        JdbcTemplate guarded = new JdbcTemplate(new SingleConnectionDataSource(tx, true));
                        guarded.update("UPDATE " + table + " SET pushed = 1");
                        throw new Changed();
                    }))
                    .isInstanceOf(Changed.class);
            assertThat(pushed()).isZero();
            pushing.pushAlone(lease, pool);
            assertThat(pushed()).isEqualTo(1);
        });
    }

    @Test
    void aTemplateOverTheDataSourceIsNotGuardedAndAWarningSaysSo() {
        assumeRowLocks();
        withLease(lease -> {
            try (Warnings warnings = new Warnings(lease.name())) {
                pushing.wrong(lease, pool, jdbc);
                assertThat(warnings.heard()).singleElement().asString().contains("JdbcTemplate");
            }
        });
    }

    @Test
    void aTransactionOfSpringIsNotCommitted() {
        DataSource aware = new TransactionAwareDataSourceProxy(pool);
        withLease(lease -> {
            assertThatThrownBy(() -> transactions.executeWithoutResult(status -> {
                        jdbc.update("UPDATE " + table + " SET pushed = 1");
                        assertThatThrownBy(() -> pushing.pushAlone(lease, aware))
                                .isInstanceOf(IllegalStateException.class)
                                .hasMessageContaining("TransactionAwareDataSourceProxy")
                                .hasMessageContaining("DataSourceUtils.getConnection");
                        throw new Changed();
                    }))
                    .isInstanceOf(Changed.class);
            assertThat(pushed()).isZero();
            assertThatThrownBy(() -> pushing.pushAlone(lease, aware))
                    .as("outside of a transaction, too: a first test shows it")
                    .isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> lease.inTransaction(new TransactionAwareDataSourceProxy(pool) {}, tx -> {}))
                    .isInstanceOf(IllegalStateException.class);
        });
    }

    /** Its class is not known. */
    @Test
    void aDataSourceAroundThatOfSpringIsRefusedWhileATransactionRuns() {
        DataSource around = new LazyConnectionDataSourceProxy(new TransactionAwareDataSourceProxy(pool));
        withLease(lease -> {
            transactions.executeWithoutResult(status -> {
                jdbc.update("UPDATE " + table + " SET pushed = 1");
                assertThatThrownBy(() -> pushing.pushAlone(lease, around)).isInstanceOf(IllegalStateException.class);
                status.setRollbackOnly();
            });
            assertThat(pushed()).isZero();
        });
    }

    @Test
    void aLazyConnectionIsAsGoodAsAnother() {
        DataSource lazy = new LazyConnectionDataSourceProxy(pool);
        withLease(lease -> {
            pushing.pushAlone(lease, lazy);
            assertThat(pushed()).isEqualTo(1);
            transactions.executeWithoutResult(status -> {
                jdbc.queryForObject("SELECT count(*) FROM " + table, Integer.class);
                pushing.pushAlone(lease, lazy);
                status.setRollbackOnly();
            });
        });
    }

    @Test
    void aTransactionManagerOverTheConnectionOfTheWorkCannotCommitIt() {
        withLease(lease -> {
            assertThatThrownBy(() -> lease.inTransaction(pool, tx -> {
                        DataSource single = new SingleConnectionDataSource(tx, true);
                        new TransactionTemplate(new DataSourceTransactionManager(single))
                                .executeWithoutResult(status ->
                                        new JdbcTemplate(single).update("UPDATE " + table + " SET pushed = 1"));
                    }))
                    .isInstanceOf(TransactionSystemException.class)
                    .hasRootCauseMessage("commit() would end this transaction, and is refused: inTransaction commits"
                            + " when the work returns, and rolls back when it throws");
            assertThat(pushed()).isZero();
        });
    }
}
