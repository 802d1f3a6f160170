package dev.dibs.contract.connections;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.NamedLock;
import dev.dibs.TransactionWork;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullTest;
import dev.dibs.database.ReconnectingDataSource;
import dev.dibs.database.Sql;
import dev.dibs.database.Trait;
import dev.dibs.runs.RunWorkers;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Work in a transaction of Dibs catches an error: all of it is committed, or its caller gets an exception and nothing is. */
class CaughtErrorContract extends ContractFixture {

    private static final long OTHER = 100;

    private String table;

    @BeforeEach
    void makeTable() throws SQLException {
        table = table("num int NOT NULL PRIMARY KEY, what int");
        sql().run("INSERT INTO " + table + " (num, what) VALUES (1, 0)");
        sql().run("INSERT INTO " + table + " (num, what) VALUES (2, 0)");
    }

    private void insert(Connection connection, long number) throws SQLException {
        Sql.on(connection).change("INSERT INTO " + table + " (num, what) VALUES (?, 0)", number);
    }

    private void update(Connection connection, long number) throws SQLException {
        Sql.on(connection).change("UPDATE " + table + " SET what = what + 1 WHERE num = ?", number);
    }

    private long inserted() throws SQLException {
        return sql().number("SELECT count(*) FROM " + table + " WHERE num >= " + OTHER);
    }

    private static <X extends Exception> void quietly(Connection connection, TransactionWork<X> statement) {
        assertThatThrownBy(() -> statement.run(connection)).isInstanceOf(SQLException.class);
    }

    @Test
    void aDuplicateKeyUndoesOnlyItsStatementOrTheCallerGetsIt() throws Exception {
        Lease lease = here().lock(fresh("duplicate")).tryAcquire().orElseThrow();
        TransactionWork<SQLException> work = tx -> {
            insert(tx, OTHER);
            quietly(tx, same -> insert(same, OTHER));
        };
        assertCommitsTheRestOrNothing(lease, work, "savepoint", "duplicate key");
    }

    /** By whether an error undoes its statement alone, or the caller gets it. */
    private void assertCommitsTheRestOrNothing(Lease lease, TransactionWork<SQLException> work, String... said)
            throws SQLException {
        if (database().has(Trait.UNDOES_ONLY_THE_STATEMENT)) {
            lease.inTransaction(pool(), work);
            assertThat(inserted()).isEqualTo(1);
        } else {
            assertThatThrownBy(() -> lease.inTransaction(pool(), work))
                    .isInstanceOf(DatabaseFailureException.class)
                    .hasMessageContaining("nothing was committed")
                    .hasMessageContainingAll(said)
                    .hasCauseInstanceOf(SQLException.class);
            assertThat(inserted()).isZero();
        }
    }

    /** Such as one of conversion, which ends the whole transaction on SQL Server; under some settings every error does. */
    @Test
    void anyErrorUndoesOnlyItsStatementOrTheCallerGetsIt() throws Exception {
        assertAllOrNothing(pool());
        for (String mode : database().strictModes()) {
            try (HikariDataSource strict = database().pool(config -> config.setConnectionInitSql(mode))) {
                assertAllOrNothing(strict);
            }
        }
    }

    private void assertAllOrNothing(HikariDataSource dataSource) throws SQLException {
        for (String wrong : List.of(
                "INSERT INTO " + table + " (num, what) VALUES (1, 0)",
                "INSERT INTO " + table + " (num, what) VALUES (NULL, 0)",
                "INSERT INTO " + table + " (num, what) VALUES (100000, 'abc')",
                "SELECT CAST('abc' AS int)",
                "SELECT CAST('2026-02-30' AS date)",
                "SELECT 1/0",
                "SELECT nothing FROM " + table,
                "DELETE FROM " + table + "_none",
                "CALL " + table + "_none()",
                "no statement")) {
            sql().run("DELETE FROM " + table + " WHERE num >= " + OTHER);
            boolean committed = true;
            try (Dibs dibs = dibs();
                    Lease lease = dibs.lock(fresh("any")).tryAcquire().orElseThrow()) {
                lease.inTransaction(dataSource, tx -> {
                    insert(tx, OTHER);
                    try (Statement statement = tx.createStatement()) {
                        statement.execute(wrong);
                        while (statement.getMoreResults()) {
                            // An error may come with later rows.
                        }
                    } catch (SQLException caught) {
                        // As work does that goes on.
                    }
                    try {
                        insert(tx, OTHER + 1);
                    } catch (SQLException caught) {
                        // Likewise.
                    }
                });
            } catch (DatabaseFailureException e) {
                assertThat(e).hasMessageContaining("nothing was committed");
                committed = false;
            }
            assertThat(sql().numbers("SELECT num FROM " + table + " WHERE num IN (" + OTHER + ", " + (OTHER + 1)
                            + ") ORDER BY num"))
                    .as(wrong)
                    .isEqualTo(committed ? List.of(OTHER, OTHER + 1) : List.of());
        }
    }

    @Test
    void anErrorOfTheDriversOwnStatementIsNoticedToo() throws Exception {
        Class<? extends Statement> driver;
        try (Connection own = database().dataSource().getConnection();
                Statement statement = own.createStatement()) {
            driver = statement.getClass();
        }
        Lease lease = here().lock(fresh("unseen")).tryAcquire().orElseThrow();
        TransactionWork<SQLException> work = tx -> {
            insert(tx, OTHER);
            try (Statement statement = tx.createStatement()) {
                assertThatThrownBy(() ->
                                statement.unwrap(driver).execute("INSERT INTO " + table + " (num, what) VALUES (1, 0)"))
                        .isInstanceOf(SQLException.class);
            }
        };
        assertCommitsTheRestOrNothing(lease, work, "database");
    }

    @Test
    void aRollbackToASavepointRevivesTheTransaction() throws Exception {
        Lease lease = here().lock(fresh("revived")).tryAcquire().orElseThrow();
        lease.inTransaction(pool(), tx -> {
            insert(tx, OTHER);
            Savepoint before = tx.setSavepoint();
            quietly(tx, same -> insert(same, OTHER));
            tx.rollback(before);
            insert(tx, OTHER + 1);
        });
        assertThat(inserted()).isEqualTo(2);
    }

    @Test
    void aRollbackToASavepointInSqlRevivesTheTransaction() throws Exception {
        assumeTrue(
                database().has(Trait.HAS_SAVEPOINTS),
                "a rollback to a savepoint looks like one of the transaction here");
        Lease lease = here().lock(fresh("revived")).tryAcquire().orElseThrow();
        lease.inTransaction(pool(), tx -> {
            insert(tx, OTHER);
            Sql.on(tx).run("SAVEPOINT early");
            quietly(tx, same -> insert(same, OTHER));
            Sql.on(tx).run("ROLLBACK TO SAVEPOINT early");
            insert(tx, OTHER + 1);
        });
        assertThat(inserted()).isEqualTo(2);
    }

    @FullTest(except = "postgresql")
    void lockTimeoutUndoesItsStatementOrReachesTheCaller() throws Exception {
        assumeRowLocks();
        HikariDataSource impatient = impatient();
        Lease lease = here().lock(fresh("impatient")).tryAcquire().orElseThrow();
        Connection holder = transaction();
        update(holder, 1);
        TransactionWork<SQLException> work = tx -> {
            quietly(tx, same -> update(same, 1));
            insert(tx, OTHER);
        };
        if (database().has(Trait.UNDOES_ONLY_THE_STATEMENT)) {
            lease.inTransaction(impatient, work);
            assertThat(inserted()).isEqualTo(1);
        } else {
            assertThatThrownBy(() -> lease.inTransaction(impatient, work)).isInstanceOf(SQLException.class);
            assertThat(inserted()).isZero();
        }
        holder.rollback();
    }

    /** Two transactions lock a row each and then want the other's. Both catch what they get, and go on. */
    @Test
    void aDeadlockEndsTheTransactionForItsCallerToo() throws Exception {
        assumeRowLocks();
        CyclicBarrier bothHaveOne = new CyclicBarrier(2);
        Map<Integer, DatabaseFailureException> failures = new ConcurrentHashMap<>();
        Collection<String> refusals = new ConcurrentLinkedQueue<>();
        try (Dibs dibs = dibs()) {
            inThreads(2, number -> {
                try (Lease lease = dibs.lock(fresh("deadlock"))
                        .leaseLength(LONG)
                        .tryAcquire()
                        .orElseThrow()) {
                    lease.inTransaction(pool(), tx -> {
                        insert(tx, OTHER + number);
                        update(tx, 1 + number);
                        bothHaveOne.await(SOON.toSeconds(), TimeUnit.SECONDS);
                        try {
                            update(tx, 2 - number);
                        } catch (SQLException caught) {
                            assertThatThrownBy(() -> insert(tx, OTHER + 10 + number))
                                    .isInstanceOfSatisfying(SQLException.class, e -> refusals.add(e.getMessage()));
                        }
                    });
                } catch (DatabaseFailureException e) {
                    failures.put(number, e);
                }
            });
        }
        assertThat(failures).as("who was the victim").isNotEmpty();
        assertThat(failures.values())
                .allSatisfy(e -> assertThat(e)
                        .hasMessageContaining("rolled back")
                        .hasMessageContaining("nothing was committed")
                        .hasCauseInstanceOf(SQLException.class));
        assertThat(refusals).hasSameSizeAs(failures.values());
        if (database().has(Trait.UNDOES_ONLY_THE_STATEMENT)) {
            assertThat(refusals)
                    .allSatisfy(message -> assertThat(message)
                            .contains("has rolled this transaction back")
                            .contains("run the whole transaction again"));
        }
        assertThat(inserted()).isEqualTo(2L - failures.size());
        assertThat(sql().number("SELECT sum(what) FROM " + table)).isEqualTo(2L * (2 - failures.size()));
    }

    @Test
    void aDuplicateKeyThatEndsTheTransactionReachesTheCaller() throws Exception {
        String ending = "INSERT " + database().orRollback() + " INTO " + table + " (num, what) VALUES (1, 0)";
        Assumptions.assumeFalse(database().orRollback().isEmpty(), "a duplicate key never ends the transaction");
        Lease lease = here().lock(fresh("or-rollback")).tryAcquire().orElseThrow();
        assertThatThrownBy(() -> lease.inTransaction(pool(), tx -> {
                    insert(tx, OTHER);
                    quietly(tx, same -> Sql.on(same).run(ending));
                    quietly(tx, same -> insert(same, OTHER + 1));
                }))
                .isInstanceOf(DatabaseFailureException.class)
                .hasMessageContaining("nothing was committed");
        assertThat(inserted()).isZero();
        lease.inTransaction(pool(), tx -> insert(tx, OTHER));
        assertThat(inserted()).isEqualTo(1);
    }

    /** By an error whose code says nothing about it, such as an I/O error, too little memory, or a full lock table. */
    @Test
    void anyErrorThatEndsTheTransactionReachesTheCaller() throws Exception {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        NamedLock lock = here().lock(fresh("any-end"));
        for (int code : List.of(7, 10, 1206, 99_999)) {
            assertReachesTheCaller(
                    lock,
                    faulty,
                    () -> faulty.on(sql -> sql.startsWith("UPDATE " + table)).endTransaction(null, code));
        }
    }

    @Test
    void anotherSessionOfTheSameConnectionDoesNotGoOn() throws Exception {
        assumeRowLocks();
        ReconnectingDataSource reconnecting = new ReconnectingDataSource(pool());
        assertReachesTheCaller(here().lock(fresh("session")), reconnecting, reconnecting::loseSession);
    }

    private void assertReachesTheCaller(NamedLock lock, DataSource dataSource, Runnable fault) throws SQLException {
        assertThatThrownBy(() -> lock.inTransaction(dataSource, tx -> {
                    insert(tx, OTHER);
                    fault.run();
                    quietly(tx, same -> update(same, 1));
                    quietly(tx, same -> insert(same, OTHER + 1));
                }))
                .isInstanceOf(DatabaseFailureException.class)
                .hasMessageContaining("nothing was committed");
        assertThat(inserted()).isZero();
        lock.inTransaction(dataSource, tx -> update(tx, 2));
    }

    /** Where nothing was done before, the database may know of no transaction that has ended. */
    @Test
    void aRefusedStatementAtTheBeginningEndsNoTransactionOfARun() throws Exception {
        assumeTrue(database().has(Trait.UNDOES_ONLY_THE_STATEMENT), "each error ends the transaction");
        String name = fresh("run");
        Jobs jobs = jobs(1);
        RunWorkers<?> workers = here().run(name)
                .over(jobs.claims(here()).build())
                .maxAttempts(1)
                .workInTransaction((key, tx) -> {
                    quietly(tx, same -> Sql.on(same).run("no statement"));
                    Sql.on(tx).number("SELECT count(*) FROM " + table);
                    assertThat(Sql.on(tx).change("UPDATE " + table + " SET what = 1 WHERE num = 9"))
                            .isZero();
                    quietly(tx, same -> insert(same, 1));
                    jobs.effect(tx, key.asLong());
                });
        assertThat(workers.start().await(LONG)).isTrue();
        assertThat(here().run(name).dead(1)).isEmpty();
        assertThat(jobs.effects()).containsExactly(1L);
    }

    @Test
    void aRunRepeatsARowWhoseWorkHasCaughtADeadlock() throws Exception {
        assumeRowLocks();
        String name = fresh("run");
        CyclicBarrier bothHaveOne = new CyclicBarrier(2);
        AtomicInteger attempts = new AtomicInteger();
        Jobs jobs = jobs(2);
        RunWorkers<?> workers = here().run(name)
                .over(jobs.claims(here()).build())
                .threads(2)
                .batch(1)
                .maxAttempts(1)
                .workInTransaction((key, tx) -> {
                    jobs.effect(tx, key.asLong());
                    update(tx, key.asLong());
                    if (attempts.incrementAndGet() <= 2) {
                        bothHaveOne.await(SOON.toSeconds(), TimeUnit.SECONDS);
                    }
                    try {
                        update(tx, 3 - key.asLong());
                    } catch (SQLException caught) {
                        // As work does that means to try again.
                    }
                });
        assertThat(workers.start().await(LONG)).isTrue();
        assertThat(attempts.get()).as("one was repeated").isGreaterThan(2);
        assertThat(jobs.done()).hasSize(2);
        assertThat(jobs.effects()).containsExactly(1L, 1L);
        assertThat(here().run(name).status().orElseThrow().failed()).isZero();
    }

    @Test
    void rowWhoseWorkCaughtADuplicateKeyIsCompletedOnlyWithItsWork() throws Exception {
        String name = fresh("run");
        Jobs jobs = jobs(1);
        RunWorkers<?> workers = here().run(name)
                .over(jobs.claims(here()).build())
                .maxAttempts(1)
                .workInTransaction((key, tx) -> {
                    jobs.effect(tx, key.asLong());
                    quietly(tx, same -> insert(same, 1));
                });
        assertThat(workers.start().await(LONG)).isTrue();
        if (database().has(Trait.UNDOES_ONLY_THE_STATEMENT)) {
            assertThat(jobs.effects()).containsExactly(1L);
            assertThat(jobs.done()).hasSize(1);
        } else {
            assertThat(jobs.effects()).isEmpty();
            assertThat(here().run(name).dead(1)).singleElement().asString().contains("savepoint");
        }
    }

    @Test
    void aCommitThatTheDatabaseRefusesHasCommittedNothing() throws Exception {
        Assumptions.assumeFalse(database().has(Trait.UNDOES_ONLY_THE_STATEMENT), "no check waits for the commit");
        sql().run("ALTER TABLE " + table + " ADD CONSTRAINT " + table
                + "_late UNIQUE (what, num) DEFERRABLE INITIALLY DEFERRED");
        sql().run("ALTER TABLE " + table + " DROP CONSTRAINT " + table + "_pkey");
        Lease lease = here().lock(fresh("late")).tryAcquire().orElseThrow();
        assertThatThrownBy(() -> lease.inTransaction(pool(), tx -> insert(tx, OTHER - 100 + 1)))
                .isInstanceOf(DatabaseFailureException.class)
                .hasMessageContaining("rolled back by the database at its commit; nothing was committed");
        assertThat(sql().number("SELECT count(*) FROM " + table)).isEqualTo(2);
    }
}
