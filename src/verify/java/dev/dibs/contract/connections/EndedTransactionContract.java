package dev.dibs.contract.connections;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.DatabaseFailureException;
import dev.dibs.Dialect;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.TransactionWork;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.database.CountingDataSource;
import dev.dibs.database.FullTest;
import dev.dibs.database.Sql;
import dev.dibs.database.Trait;
import dev.dibs.runs.RunWorkers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The work ends its transaction by a statement that does not say so: it is told at once, and so is the caller of inTransaction. */
class EndedTransactionContract extends ContractFixture {

    private static final Pattern TABLE = Pattern.compile("#(?=[ _,;]|$)");

    private enum Outcome {
        /** All of the work was committed, at the end. */
        WHOLE,
        /** The caller was told of an earlier end, and nothing after it was committed. */
        ENDED
    }

    private interface Way {
        void send(Connection connection, String text) throws SQLException;
    }

    private static final Way EXECUTE = (tx, text) -> {
        try (Statement statement = tx.createStatement()) {
            statement.execute(text);
        }
    };

    private static final Way UPDATE = (tx, text) -> {
        try (Statement statement = tx.createStatement()) {
            statement.executeUpdate(text);
        }
    };

    private static final Way PREPARED = (tx, text) -> {
        try (PreparedStatement statement = tx.prepareStatement(text)) {
            statement.execute();
        }
    };

    private static final Way CALL = (tx, text) -> {
        try (CallableStatement statement = tx.prepareCall(text)) {
            statement.execute();
        }
    };

    private static final Way BATCH = (tx, text) -> {
        try (Statement statement = tx.createStatement()) {
            statement.addBatch(text);
            statement.executeBatch();
        }
    };

    private String table;
    /** The table of the texts, which may lock it as a whole. */
    private String other;

    private HikariDataSource several;

    @BeforeEach
    void makeTable() throws SQLException {
        table = table("num int");
        other = table("num int");
        several = closing(database().pool(database()::sendSeveral));
    }

    private String text(String text) {
        return TABLE.matcher(text).replaceAll(Matcher.quoteReplacement(other));
    }

    private void insert(Connection connection, long number) throws SQLException {
        Sql.on(connection).change("INSERT INTO " + table + " (num) VALUES (?)", number);
    }

    private List<Long> rows() throws SQLException {
        return sql().numbers("SELECT num FROM " + table + " ORDER BY num");
    }

    /** Work with a row before and a row after something. It has caught what it was told. */
    private Outcome outcome(TransactionWork<SQLException> something) throws SQLException {
        sql().run("DELETE FROM " + table);
        List<Long> early = new ArrayList<>();
        List<String> told = new ArrayList<>();
        try (Dibs dibs = dibs();
                Lease lease = dibs.lock(fresh("ended")).tryAcquire().orElseThrow()) {
            lease.inTransaction(several, tx -> {
                insert(tx, 1);
                try {
                    something.run(tx);
                } catch (SQLException e) {
                    told.add(e.getMessage());
                }
                early.addAll(rows());
                try {
                    insert(tx, 2);
                } catch (SQLException e) {
                    told.add(e.getMessage());
                }
            });
        } catch (DatabaseFailureException e) {
            assertThat(e)
                    .hasMessageContaining("the guarded transaction on 'ended-")
                    .hasMessageContaining("What came before was committed under the guard")
                    .hasMessageContaining("nothing after it is committed")
                    .hasCauseInstanceOf(SQLException.class);
            assertThat(rows()).doesNotContain(2L);
            return Outcome.ENDED;
        }
        assertThat(told).isEmpty();
        assertThat(early).as("committed before the end").isEmpty();
        assertThat(rows()).containsExactly(1L, 2L);
        return Outcome.WHOLE;
    }

    private Outcome outcome(Way way, String text) throws SQLException {
        return outcome(tx -> way.send(tx, text(text)));
    }

    /** By execute, or by executeUpdate, which is how SQLite's driver sends more than the first statement. */
    @FullTest(except = {"postgresql", "h2", "mariadb"})
    void aTextThatEndsTheTransactionIsFound() throws Exception {
        for (String text : database().hiddenEnds()) {
            if (outcome(EXECUTE, text) == Outcome.WHOLE) {
                assertThat(outcome(UPDATE, text)).as(text).isEqualTo(Outcome.ENDED);
            }
        }
    }

    @Test
    void soIsAPreparedOneAndOneInABatch() throws Exception {
        String text = database().hiddenEnds().get(0);
        Assumptions.assumeTrue(outcome(EXECUTE, text) == Outcome.ENDED, "only executeUpdate sends several statements");
        assertThat(outcome(PREPARED, text)).isEqualTo(Outcome.ENDED);
        if (database().has(Trait.BATCHES_SEVERAL)) {
            assertThat(outcome(BATCH, text)).isEqualTo(Outcome.ENDED);
        }
    }

    @Test
    void aHarmlessTextPasses() throws Exception {
        for (String text : database().harmlessStatements()) {
            assertThat(outcome(EXECUTE, text)).as(text).isEqualTo(Outcome.WHOLE);
        }
    }

    @Test
    void aProcedureThatEndsTheTransactionIsFound() throws Exception {
        List<String> procedure = database().endingProcedure();
        Assumptions.assumeFalse(procedure.isEmpty(), "no procedure ends a transaction");
        sql().run(text(procedure.get(0)));
        assertThat(outcome(CALL, procedure.get(1))).isEqualTo(Outcome.ENDED);
    }

    /** Where any error may roll the transaction back, the work gets the error, and not that a statement has ended the transaction. */
    @Test
    void anErrorThatRollsTheTransactionBackKeepsItsState(@TempDir Path folder) throws Exception {
        List<String> procedure = database().failingProcedure();
        Assumptions.assumeFalse(procedure.isEmpty(), "no procedure rolls the transaction back");
        sql().run(text(procedure.get(0)));
        Files.writeString(
                folder.resolve("dialect.sql"),
                "-- fragment: base\n" + here().dialect().name() + "\n");
        Files.writeString(folder.resolve("features.properties"), "errors_may_end_transaction = yes\n");
        Dibs dibs = closing(builder(pool()).dialect(Dialect.at(folder)).build());
        Lease lease = dibs.lock(fresh("rolled")).tryAcquire().orElseThrow();
        assertThatThrownBy(() -> lease.inTransaction(pool(), tx -> {
                    insert(tx, 1);
                    assertThatThrownBy(() -> CALL.send(tx, text(procedure.get(1))))
                            .isInstanceOf(SQLException.class);
                    insert(tx, 2);
                }))
                .isInstanceOfSatisfying(
                        SQLException.class,
                        told -> assertThat(told.getSQLState()).isEqualTo("45D1C"))
                .hasMessageContaining("the database has rolled this transaction back");
        assertThat(rows()).isEmpty();
    }

    /** The session may keep more of such a statement than its end of the transaction, such as locked tables. */
    @Test
    void aConnectionWhoseTransactionTheWorkHasEndedIsNotUsedAgain() throws Exception {
        try (Connection own = database().dataSource().getConnection()) {
            own.abort(Runnable::run);
            Assumptions.assumeTrue(own.isClosed(), "the driver does not end a connection");
        }
        String text = text(database().hiddenEnds().get(0));
        Assumptions.assumeTrue(outcome(UPDATE, database().hiddenEnds().get(0)) == Outcome.ENDED);
        HikariDataSource one = closing(database().pool(config -> {
            database().sendSeveral(config);
            config.setMaximumPoolSize(1);
        }));
        Lease lease = here().lock(fresh("once")).tryAcquire().orElseThrow();
        Object before = physical(one);
        lease.inTransaction(one, tx -> insert(tx, 1));
        assertThat(physical(one)).isSameAs(before);
        assertThatThrownBy(() -> lease.inTransaction(one, tx -> UPDATE.send(tx, text)))
                .isInstanceOf(SQLException.class);
        assertThat(physical(one)).isNotSameAs(before);
    }

    private Object physical(HikariDataSource pool) throws SQLException {
        // This takes a while: the pool does not ask a connection of the same millisecond whether it lives.
        Class<? extends Connection> driver = driver();
        try (Connection pooled = pool.getConnection()) {
            return pooled.unwrap(driver);
        }
    }

    /** A pool lets a driver's statement be used after the connection has gone back. */
    @Test
    void aStatementThatTheWorkHasKeptSendsNothingAfterTheEnd() throws Exception {
        Lease lease = here().lock(fresh("kept")).tryAcquire().orElseThrow();
        Statement kept = lease.callInTransaction(pool(), tx -> {
            insert(tx, 1);
            return tx.createStatement();
        });
        assertThatThrownBy(() -> kept.executeUpdate("INSERT INTO " + table + " (num) VALUES (2)"))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("this transaction has ended");
        assertThat(rows()).containsExactly(1L);
    }

    @Test
    void theWorkIsToldAtOnce() throws Exception {
        String text = text(database().hiddenEnds().get(0));
        Lease lease = here().lock(fresh("told")).tryAcquire().orElseThrow();
        assertThatThrownBy(() -> lease.inTransaction(several, tx -> {
                    insert(tx, 1);
                    UPDATE.send(tx, text);
                    throw new AssertionError("it goes on");
                }))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("a statement of the work has ended this transaction");
    }

    @Test
    void aTableDefinitionPassesWhereItDoesNotCommit() throws Exception {
        boolean commits;
        try (Connection connection = pool().getConnection()) {
            commits = connection.getMetaData().dataDefinitionCausesTransactionCommit();
        }
        assertThat(outcome(EXECUTE, "ALTER TABLE # ADD more int")).isEqualTo(commits ? Outcome.ENDED : Outcome.WHOLE);
    }

    @Test
    void soIsACommitByTheDriversOwnConnection() throws Exception {
        Class<? extends Connection> driver = driver();
        assertThat(outcome(tx -> tx.unwrap(driver).commit())).isEqualTo(Outcome.ENDED);
        assertThat(outcome(tx -> tx.unwrap(driver).rollback())).isEqualTo(Outcome.ENDED);
        assertThat(outcome(tx -> insertAndUndo(tx.unwrap(driver)))).isEqualTo(Outcome.WHOLE);
    }

    @Test
    void savepointsWorkBesideTheDriversOwnConnection() throws Exception {
        Class<? extends Connection> driver = driver();
        assertThat(outcome(tx -> {
                    Savepoint before = tx.setSavepoint();
                    assertThat(tx.unwrap(driver)).isNotNull();
                    insert(tx, 3);
                    tx.rollback(before);
                    insertAndUndo(tx);
                    if (database().has(Trait.HAS_SAVEPOINTS)) {
                        EXECUTE.send(tx, "SAVEPOINT early");
                        insert(tx, 3);
                        EXECUTE.send(tx, "ROLLBACK TO SAVEPOINT early");
                    }
                    EXECUTE.send(tx, text(database().harmlessStatements().get(0)));
                }))
                .isEqualTo(Outcome.WHOLE);
    }

    private void insertAndUndo(Connection connection) throws SQLException {
        Savepoint before = connection.setSavepoint();
        insert(connection, 3);
        connection.rollback(before);
    }

    /** A savepoint of the work stays as it is beside such a text. */
    @Test
    void savepointsWorkAroundATextThatMayEndTheTransaction() throws Exception {
        for (String text : database().harmlessStatements().subList(0, 2)) {
            assertThat(outcome(tx -> {
                        Savepoint before = tx.setSavepoint();
                        insert(tx, 3);
                        EXECUTE.send(tx, text(text));
                        insert(tx, 4);
                        tx.rollback(before);
                    }))
                    .as(text)
                    .isEqualTo(Outcome.WHOLE);
        }
    }

    @Test
    void aTextMayRollBackToAnEarlierSavepoint() throws Exception {
        Assumptions.assumeTrue(
                database().has(Trait.HAS_SAVEPOINTS),
                "a rollback to a savepoint looks like one of the transaction here");
        assertThat(outcome(tx -> {
                    EXECUTE.send(tx, "SAVEPOINT early");
                    for (int i = 0; i < 2; i++) {
                        UPDATE.send(
                                tx,
                                text("INSERT INTO # (num) VALUES (3); ROLLBACK TO SAVEPOINT early;"
                                        + " DELETE FROM # WHERE num = 9"));
                    }
                }))
                .isEqualTo(Outcome.WHOLE);
    }

    /** The first statement of a run's transaction may be such a text: nothing has begun the transaction before. */
    @Test
    void aRunIsToldToo() throws Exception {
        String ends = text(database().hiddenEnds().get(0));
        String harmless = text("DELETE FROM # WHERE num = 9; SELECT '; COMMIT'");
        String name = fresh("run");
        Jobs jobs = closing(new Jobs(several, 3));
        Dibs dibs = dibs(several);
        RunWorkers<?> workers = dibs.run(name)
                .over(jobs.claims(dibs).build())
                .maxAttempts(1)
                .workInTransaction((key, tx) -> {
                    EXECUTE.send(tx, harmless);
                    jobs.effect(tx, key.asLong());
                    if (key.asLong() == 1) {
                        UPDATE.send(tx, ends);
                    }
                });
        assertThat(workers.start().await(LONG)).isTrue();
        assertThat(dibs.run(name).dead(9)).singleElement().asString().contains("without the completion of its row");
        assertThat(jobs.done()).hasSize(2);
    }

    @Test
    void plainStatementsCostNothing() throws Exception {
        CountingDataSource counting = new CountingDataSource(several);
        Lease lease = here().lock(fresh("plain")).tryAcquire().orElseThrow();
        lease.inTransaction(counting, tx -> {
            EXECUTE.send(tx, text("-- a row\n/* of the work */ insert into # (num) values (1);"));
            PREPARED.send(tx, text("WITH x AS (SELECT 1 AS n) SELECT * FROM x, #;"));
            Savepoint savepoint = tx.setSavepoint();
            EXECUTE.send(tx, text("DELETE FROM #"));
            tx.rollback(savepoint);
        });
        assertThat(counting.statements()).as("with the guard").hasSize(4);
    }
}
