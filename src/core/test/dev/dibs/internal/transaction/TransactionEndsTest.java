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
                "PREPARE TRANSACTION 'x'",
                "# x\nCOMMIT",
                "// x\nCOMMIT",
                ";; COMMIT"
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
            strings = {
                "CREATE TABLE a (b int)",
                "alter table a add c int",
                "TRUNCATE TABLE a",
                "LOCK TABLES a READ",
                "CREATE TABLE temporary (b int)",
                "DROP TEMPORARY SEQUENCE a",
                "ANALYZE",
                "FLUSH TABLES",
                "XA START 'x'",
                "EXECUTE IMMEDIATE 'COMMIT'",
                "BEGIN NOT ATOMIC COMMIT; END",
                "/*!COMMIT*/",
                "/*M!50000 COMMIT */",
                "/*! x */ SELECT 1",
                "SET `autocommit`=1",
                "SET sql_mode='', autocommit=1",
                "SET PASSWORD = ''",
                "SET DEFAULT ROLE NONE",
                "SET STATEMENT max_statement_time = 1 FOR FLUSH TABLES",
                "SET STATEMENT max_statement_time = 1 FOR COMMIT",
                "LOAD INDEX INTO CACHE a",
                "`a`"
            })
    void doubtsStatementsThatItDoesNotKnow(String sql) {
        assertThat(TransactionEnds.doubtIn(sql, false)).isNotNull();
        assertThat(TransactionEnds.doubtIn(sql, true)).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ";",
                "-- only a comment",
                "SELECT created",
                "/*+ hint */ SELECT 1",
                "((SELECT 1))",
                "{? = call a()}",
                "?= CALL a()",
                "UPDATE drops SET a = 1",
                "WITH a AS (SELECT 1) SELECT * FROM a",
                "ROLLBACK TO SAVEPOINT a",
                "SET @a = 1",
                "# x\n// y\nVALUES (1)"
            })
    void doesNotDoubtHarmlessStatements(String sql) {
        assertThat(TransactionEnds.doubtIn(sql, false)).isNull();
        assertThat(TransactionEnds.doubtIn(sql, true)).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CREATE TEMPORARY TABLE a (b int)",
                "CREATE OR REPLACE TEMPORARY TABLE a (b int)",
                "DROP TEMPORARY TABLE a",
                "SET sql_mode = ''",
                "SET SESSION sort_buffer_size = 1",
                "SET STATEMENT max_statement_time = 1 FOR SELECT 1",
                "LOAD DATA INFILE 'a' INTO TABLE b"
            })
    void statementsOfASessionAreHarmlessWhereTheyDoNotCommit(String sql) {
        assertThat(TransactionEnds.doubtIn(sql, false)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"CREATE LOCAL TEMPORARY TABLE a (b int)", "SET MODE REGULAR", "SET MAX_MEMORY_ROWS 1"})
    void statementsOfASessionAreInDoubtWhereTheyCommit(String sql) {
        assertThat(TransactionEnds.doubtIn(sql, true)).isNotNull();
    }
}
