package dev.dibs.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("unit")
class TransactionEndsTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "COMMIT",
                "commit;",
                "\t-- now\n/* or\nnever */ Commit Work",
                "ROLLBACK",
                "rollback work",
                "END",
                "end transaction",
                "ABORT",
                "BEGIN",
                "begin; SELECT 1",
                "BEGIN TRAN",
                "START TRANSACTION READ ONLY",
                "SET autocommit = 1",
                "set @@session.autocommit=0",
                "SET SESSION autocommit = ON",
                "SET AUTOCOMMIT TRUE",
                "PREPARE TRANSACTION 'x'"
            })
    void findsStatementsThatEndATransaction(String sql) {
        assertThat(TransactionEnds.endIn(sql)).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ";",
                "SELECT 1",
                "/* COMMIT */ SELECT 'COMMIT'",
                "ROLLBACK TO a",
                "rollback work to savepoint a",
                "SAVEPOINT a",
                "RELEASE SAVEPOINT a",
                "BEGIN NOT ATOMIC SELECT 1; END",
                "BEGIN UPDATE a SET b = 1; END",
                "SET TRANSACTION ISOLATION LEVEL READ COMMITTED",
                "SET search_path = a",
                "PREPARE a AS SELECT 1",
                "committed",
                "CREATE TABLE a (b int)",
                "{call commit_it()}"
            })
    void otherStatementsDoNotEndATransaction(String sql) {
        assertThat(TransactionEnds.endIn(sql)).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"CREATE TABLE a (b int)", "alter table a add c int", "TRUNCATE TABLE a", "LOCK TABLES a READ"})
    void findsTableDefinitions(String sql) {
        assertThat(TransactionEnds.definitionIn(sql)).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CREATE TEMPORARY TABLE a (b int)",
                "DROP TEMPORARY TABLE a",
                "SELECT created",
                "UPDATE drops SET a = 1"
            })
    void otherStatementsDefineNothing(String sql) {
        assertThat(TransactionEnds.definitionIn(sql)).isNull();
    }
}
