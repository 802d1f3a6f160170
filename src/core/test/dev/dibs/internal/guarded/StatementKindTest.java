package dev.dibs.internal.guarded;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("unit")
class StatementKindTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ; ;",
                "-- only a comment",
                "SELECT 1",
                "select*from a",
                "SELECT 1;",
                "SELECT created;  ",
                "/* x */ SELECT 'created'",
                "/*+ hint */ SELECT 1",
                "-- x\n-- y\r\n\tvalues (1)",
                "((SELECT 1))",
                "UPDATE drops SET a = 1",
                "INSERT INTO a VALUES (1); INSERT INTO a VALUES (2)",
                "WITH a AS (SELECT 1) SELECT * FROM a",
                "WITH a AS (INSERT INTO b VALUES (1) RETURNING *) SELECT * FROM a",
                "MERGE INTO a USING b ON a.c = b.c WHEN MATCHED THEN DELETE",
                "REPLACE INTO a VALUES (1)",
                "TABLE a"
            })
    void queriesAndChangesOfRowsArePlain(String sql) {
        assertThat(StatementKind.of(sql, true)).isEqualTo(StatementKind.PLAIN);
        assertThat(StatementKind.of(sql, false)).isEqualTo(StatementKind.PLAIN);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SAVEPOINT a",
                "RELEASE SAVEPOINT a",
                "ROLLBACK TO a",
                "rollback work to savepoint a",
                "Rollback /* x */ Transaction -- y\n To a",
                "UPDATE a SET b = 1; ROLLBACK TO a; UPDATE a SET b = 2"
            })
    void savepointsAreKnown(String sql) {
        assertThat(StatementKind.of(sql, true)).isEqualTo(StatementKind.SAVEPOINTS);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "COMMIT",
                "commit;",
                "\t-- now\n/* or\nnever */ Commit Work",
                "ROLLBACK",
                "rollback work",
                "ROLLBACK TRANSACTION a",
                "ROLLBACK AND CHAIN",
                "END",
                "end transaction",
                "ABORT",
                "BEGIN",
                "begin; SELECT 1",
                "BEGIN TRAN",
                "Begin Work",
                "START TRANSACTION READ ONLY",
                "PREPARE TRANSACTION 'x'",
                "PREPARE COMMIT x",
                ";; COMMIT"
            })
    void theEndOfATransactionIsRefused(String sql) {
        assertThat(StatementKind.of(sql, true)).isEqualTo(StatementKind.END);
        assertThat(StatementKind.of(sql, false)).isEqualTo(StatementKind.END);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CALL a()",
                "{call a()}",
                "{? = call a()}",
                "?= CALL a()",
                "EXEC a",
                "CREATE TABLE a (b int)",
                "SET autocommit = 1",
                "SET @a = 1",
                "BEGIN NOT ATOMIC COMMIT; END",
                "BEGIN UPDATE a SET b = 1; END",
                "PREPARE a FROM 'COMMIT'",
                "DO 1",
                "SAVE TRANSACTION a",
                "XA START 'x'",
                "SELECT 1; COMMIT",
                "SELECT ';'",
                "INSERT INTO a VALUES ('x; -- '); COMMIT",
                "INSERT INTO a VALUES ('; /*'); COMMIT; SELECT '*/ SELECT'",
                "SELECT 1;-- x\ncommit",
                "SELECT 1 /* ; */ ; -- x\n commit",
                "SAVEPOINT a; CALL b()",
                "/*!COMMIT*/",
                "/*M!50000 COMMIT */",
                "/*! x */ SELECT 1",
                "SELECT 1 /*!; COMMIT */",
                "/* /* */ SELECT 1 */ COMMIT",
                "/* SELECT 1",
                "-- x\rCOMMIT\nSELECT 1",
                "# x\nCOMMIT",
                "// x\nCOMMIT",
                "`a`",
                "committed",
                "SELECTED",
                "@SELECT"
            })
    void anythingElseMayEndATransaction(String sql) {
        assertThat(StatementKind.of(sql, true)).isEqualTo(StatementKind.UNKNOWN);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE a SET b = 1 COMMIT",
                "UPDATE a SET b = 1\nROLLBACK",
                "SELECT 1 EXEC b",
                "SELECT 1 execute b",
                "SELECT 1COMMIT",
                "SELECT 1 BEGIN TRAN"
            })
    void anyWordMayBeginAStatementWhereNothingSeparatesThem(String sql) {
        assertThat(StatementKind.of(sql, false)).isEqualTo(StatementKind.UNKNOWN);
        assertThat(StatementKind.of(sql, true)).isEqualTo(StatementKind.PLAIN);
    }

    private static long millis(String text) {
        long start = System.nanoTime();
        StatementKind.of(text, true);
        StatementKind.of(text, false);
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    }

    @Test
    void aLongTextIsReadOnce() {
        for (String part : new String[] {"SELECT 1;", "/* x */", "-- x\n", "/*", "a", "SELECT ';", "'", ";"}) {
            String text = part.repeat(100_000);
            assertThat(Stream.generate(() -> millis(text)).limit(4).anyMatch(millis -> millis < 2_000))
                    .as("one that is read again and again takes long each time")
                    .isTrue();
        }
    }
}
