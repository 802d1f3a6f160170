package dev.dibs.contract.connections;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.NotAcquiredException;
import dev.dibs.TransactionWork;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.contract.support.Warnings;
import dev.dibs.database.AmbientDataSource;
import dev.dibs.database.FullTest;
import dev.dibs.database.Sql;
import dev.dibs.database.Trait;
import dev.dibs.runs.RunWorkers;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** inTransaction ends its own transaction, at its end, and no other one. */
class InTransactionContract extends ContractFixture {

    private String table;

    @BeforeEach
    void makeTable() throws SQLException {
        table = table("num int");
    }

    @FullTest(except = {"postgresql", "h2"})
    void workCannotEndItsTransaction() throws Exception {
        for (TransactionWork<SQLException> end : List.<TransactionWork<SQLException>>of(
                Connection::commit,
                Connection::rollback,
                Connection::close,
                tx -> tx.abort(Runnable::run),
                tx -> tx.setAutoCommit(true),
                tx -> tx.setTransactionIsolation(otherThan(tx.getTransactionIsolation())),
                tx -> tx.setReadOnly(!tx.isReadOnly()),
                tx -> run(tx, "COMMIT"),
                tx -> run(tx, " -- the end\n /* of it */ commit"),
                tx -> run(tx, "Rollback work"),
                tx -> run(tx, "START TRANSACTION"),
                tx -> tx.prepareStatement("COMMIT").execute(),
                tx -> tx.prepareCall("COMMIT").execute(),
                tx -> tx.createStatement().addBatch("COMMIT"),
                tx -> tx.createStatement().getConnection().commit(),
                tx -> tx.prepareStatement("SELECT num FROM " + table)
                        .getConnection()
                        .commit(),
                tx -> tx.getMetaData().getConnection().commit(),
                tx -> tx.createStatement()
                        .executeQuery("SELECT num FROM " + table)
                        .getStatement()
                        .getConnection()
                        .commit(),
                tx -> tx.unwrap(Connection.class).commit())) {
            assertRefused(end);
        }
    }

    /** The refusal changes nothing: the work goes on, guarded, and is committed or rolled back as a whole. */
    private void assertRefused(TransactionWork<SQLException> end) throws SQLException {
        sql().run("DELETE FROM " + table);
        String name = fresh("refused");
        Dibs here = dibs();
        Dibs there = dibs();
        Lease lease = here.lock(name).tryAcquire().orElseThrow();
        TransactionWork<SQLException> work = tx -> {
            insert(tx);
            assertThatThrownBy(() -> end.run(tx))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("inTransaction commits when the work returns");
            insert(tx);
        };
        assertThatThrownBy(() -> lease.inTransaction(pool(), tx -> {
                    work.run(tx);
                    throw new IllegalArgumentException("changed my mind");
                }))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(rows()).isZero();
        lease.inTransaction(pool(), tx -> {
            work.run(tx);
            assertThat(rows()).as("committed too early").isZero();
            lease.close();
            assertThat(there.lock(name).tryAcquire()).as("guarded").isEmpty();
        });
        assertThat(rows()).isEqualTo(2);
    }

    @Test
    void callsThatLibrariesNeedPass() throws Exception {
        Lease lease = here().lock(fresh("pass")).tryAcquire().orElseThrow();
        Class<? extends Connection> driver;
        Class<? extends Statement> statementOfDriver;
        try (Connection own = database().dataSource().getConnection();
                Statement statement = own.createStatement()) {
            driver = own.getClass();
            statementOfDriver = statement.getClass();
        }
        lease.inTransaction(pool(), tx -> {
            tx.setAutoCommit(false);
            tx.setTransactionIsolation(tx.getTransactionIsolation());
            tx.setReadOnly(tx.isReadOnly());
            assertThat(tx.isWrapperFor(driver)).isTrue();
            assertThat(tx.unwrap(driver)).isInstanceOf(driver);
            assertThat(tx.isWrapperFor(Connection.class)).isTrue();
            assertThat(tx.unwrap(Connection.class)).isSameAs(tx).isEqualTo(tx).hasSameHashCodeAs(tx);
            assertThat(tx.isClosed()).isFalse();
            insert(tx);
            Savepoint savepoint = tx.setSavepoint();
            insert(tx);
            tx.rollback(savepoint);
            try (PreparedStatement select = tx.prepareStatement("SELECT num FROM " + table);
                    ResultSet row = select.executeQuery()) {
                assertThat(row.next()).isTrue();
                assertThat(select.unwrap(PreparedStatement.class)).isSameAs(select);
                assertThat(row.getStatement()).isSameAs(select);
                assertThat(row.unwrap(ResultSet.class)).isSameAs(row);
            }
            try (Statement statement = tx.createStatement()) {
                assertThat(statement.unwrap(statementOfDriver)).isInstanceOf(statementOfDriver);
            }
        });
        assertThat(rows()).isEqualTo(1);
    }

    @Test
    void workThatEndsItsTransactionByTheDriversConnectionIsAnError() throws Exception {
        Class<? extends Connection> driver = driver();
        Lease lease = here().lock(fresh("escape")).tryAcquire().orElseThrow();
        for (TransactionWork<SQLException> escape : List.<TransactionWork<SQLException>>of(
                tx -> tx.unwrap(driver).setAutoCommit(true),
                tx -> tx.unwrap(driver).close())) {
            assertThatThrownBy(() -> lease.inTransaction(database().dataSource(), escape))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("the connection was closed")
                    .hasMessageContaining("autocommit");
        }
    }

    @Test
    void aTransactionThatIsBoundToTheThreadIsNeitherCommittedNorRolledBack() throws Exception {
        assertTheBoundTransactionIsKept(new AmbientDataSource(pool()), true);
    }

    @Test
    void theSameWhereThePoolHasAutocommitOff() throws Exception {
        Assumptions.assumeTrue(
                database().has(Trait.KNOWS_NEW_TRANSACTIONS),
                "a session without autocommit is always in a transaction");
        HikariDataSource manual = closing(database().pool(config -> config.setAutoCommit(false)));
        assertTheBoundTransactionIsKept(
                new AmbientDataSource(manual), database().has(Trait.TELLS_OF_TRANSACTIONS_THAT_READ));
    }

    /**
     * Inserts and reads.
     *
     * @param tellsOfReads whether a transaction is known that has only read
     */
    private void assertTheBoundTransactionIsKept(AmbientDataSource ambient, boolean tellsOfReads) throws SQLException {
        Dibs dibs = dibs();
        Lease lease = dibs.lock(fresh("bound")).tryAcquire().orElseThrow();
        try (AmbientDataSource.Transaction transaction = ambient.begin()) {
            insert(transaction.connection());
            assertRefusesAsBound(lease, ambient);
            insert(transaction.connection());
            assertThat(rows()).as("it is not committed").isZero();
            transaction.commit();
        }
        assertThat(rows()).as("it is not rolled back").isEqualTo(2);
        try (AmbientDataSource.Transaction transaction = ambient.begin()) {
            assertThat(rows(Sql.on(transaction.connection()))).isEqualTo(2);
            if (tellsOfReads) {
                assertRefusesAsBound(lease, ambient);
            }
        }
        lease.inTransaction(ambient, InTransactionContract.this::insert);
        assertThat(rows()).as("there is no transaction any more").isEqualTo(3);
    }

    private static void assertRefusesAsBound(Lease lease, DataSource dataSource) {
        assertThatThrownBy(() -> lease.inTransaction(dataSource, tx -> {
                    throw new AssertionError("the work ran");
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("whose transaction is running")
                .hasMessageContaining("lease.guard(connection)");
        lease.check();
    }

    @Test
    void aBoundTransactionThatHasNotBegunInTheDatabaseIsRefusedToo() throws Exception {
        AmbientDataSource ambient = new AmbientDataSource(pool());
        Lease lease = here().lock(fresh("new")).tryAcquire().orElseThrow();
        AmbientDataSource.Transaction ignored = closing(ambient.begin());
        assertRefusesAsBound(lease, ambient);
    }

    /** The work of a run gets such a connection, too. */
    @Test
    void workOfARunCannotEndItsTransaction() throws Exception {
        AtomicInteger refusals = new AtomicInteger();
        Jobs jobs = jobs(2);
        RunWorkers<?> workers = here().run(fresh("run"))
                .over(jobs.claims(here()).build())
                .workInTransaction((key, connection) -> {
                    jobs.effect(connection, key.asLong());
                    assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class);
                    refusals.incrementAndGet();
                });
        assertThat(workers.start().await()).isEqualTo(RunWorkers.End.FINISHED);
        assertThat(refusals).hasValue(2);
        assertThat(jobs.effects()).hasSize(2).allMatch(effects -> effects == 1);
    }

    @Test
    void workThatDoesNotUseItsConnectionIsAWarningOnce() throws Exception {
        assumeRowLocks();
        String name = fresh("elsewhere");
        Warnings warnings = closing(new Warnings(name));
        Lease lease = here().lock(name).tryAcquire().orElseThrow();
        lease.inTransaction(pool(), this::insert);
        assertThat(warnings.heard()).isEmpty();
        lease.inTransaction(pool(), tx -> sql().run("DELETE FROM " + table));
        lease.inTransaction(pool(), tx -> {});
        assertThat(warnings.heard()).singleElement().asString().contains("has not used its connection");
    }

    private static int otherThan(int isolation) {
        return isolation == Connection.TRANSACTION_SERIALIZABLE
                ? Connection.TRANSACTION_READ_COMMITTED
                : Connection.TRANSACTION_SERIALIZABLE;
    }

    @Test
    void anInterruptDuringTheWaitForAConnectionIsTold() throws Exception {
        Lease lease = here().lock(fresh("interrupted")).tryAcquire().orElseThrow();
        HikariDataSource one = closing(database().pool(config -> config.setMaximumPoolSize(1)));
        CompletableFuture<Throwable> told = new CompletableFuture<>();
        try (Connection taken = one.getConnection()) {
            assertThat(taken.isClosed()).isFalse();
            Thread waiting = new Thread(() -> {
                Throwable thrown = catchThrowable(() -> lease.inTransaction(one, this::insert));
                told.complete(Thread.currentThread().isInterrupted() ? thrown : null);
            });
            waiting.start();
            Awaitility.await().until(() -> one.getHikariPoolMXBean().getThreadsAwaitingConnection() == 1);
            waiting.interrupt();
            assertThat(told.get(60, TimeUnit.SECONDS)).isInstanceOf(NotAcquiredException.class);
        }
    }

    private void insert(Connection connection) throws SQLException {
        run(connection, "INSERT INTO " + table + " (num) VALUES (1)");
    }

    private long rows() throws SQLException {
        return rows(sql());
    }

    private long rows(Sql sql) throws SQLException {
        return sql.number("SELECT count(*) FROM " + table);
    }
}
