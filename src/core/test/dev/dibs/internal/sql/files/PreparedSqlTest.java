package dev.dibs.internal.sql.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("unit")
class PreparedSqlTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT 'DELETE' FROM t FOR UPDATE",
                "(SELECT \"UPDATE\" FROM t FOR NO KEY UPDATE)",
                "WITH a AS (SELECT 1 AS b) SELECT b FROM a",
                "SET STATEMENT x = 1 FOR SELECT 1",
                "DECLARE @a int = ?; SELECT a FROM t WHERE a = @a"
            })
    void aQueryOnlyReads(String sql) {
        assertThat(new PreparedSql(sql, List.of(), StepCondition.ALWAYS).changes())
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE t SET a = 1",
                "WITH a AS (DELETE FROM t RETURNING b) SELECT b FROM a",
                "WITH a AS (SELECT b FROM \"T\" WHERE c <> '12\"') UPDATE \"T\" SET b = 1",
                "SELECT b FROM FINAL TABLE (INSERT INTO t VALUES (1))",
                "SET STATEMENT x = 1 FOR UPDATE t SET a = 1",
                "SELECT 1; ALTER TABLE t ADD a int",
                "DECLARE @a int = ?; EXEC p @a",
                "BEGIN NOT ATOMIC SELECT 1; END"
            })
    void anotherTextMayChangeRows(String sql) {
        assertThat(new PreparedSql(sql, List.of(), StepCondition.ALWAYS).changes())
                .isTrue();
    }

    @Test
    void parametersBecomeQuestionMarksInTheirOrder() {
        PreparedSql text =
                PreparedSql.parse("UPDATE t SET a = :first, b = :second WHERE c = :first", StepCondition.ALWAYS, null);
        assertThat(text.jdbc()).isEqualTo("UPDATE t SET a = ?, b = ? WHERE c = ?");
        assertThat(text.parameters()).containsExactly("first", "second", "first");
    }

    @Test
    void aParameterMayStandAnywhere() {
        assertParsed(":a", "?", "a");
        assertParsed("x = :a", "x = ?", "a");
        assertParsed(":a:b", "??", "a", "b");
        assertParsed("f(:a,:b)", "f(?,?)", "a", "b");
        assertParsed("(:a)", "(?)", "a");
        assertParsed("1 -:a/:b", "1 -?/?", "a", "b");
        assertParsed("x=:a--:b\n+:c", "x=?--:b\n+?", "a", "c");
        assertParsed(":a_1b :_x", "? ?", "a_1b", "_x");
        assertParsed(":aB", "?B", "a");
        assertParsed(":a-:b", "?-?", "a", "b");
        assertParsed(":names::text[]", "?::text[]", "names");
        assertParsed("'1'::int + :a", "'1'::int + ?", "a");
        assertParsed("':x' || :a", "':x' || ?", "a");
        assertParsed("'' || :a", "'' || ?", "a");
        assertParsed("'it''s' || :a", "'it''s' || ?", "a");
        assertParsed("[b] = :a", "[b] = ?", "a");
        assertParsed("`b` = :a", "`b` = ?", "a");
        assertParsed("\"b\" = :a", "\"b\" = ?", "a");
        assertParsed("/* x */ :a", "/* x */ ?", "a");
        assertParsed("-- x\n:a", "-- x\n?", "a");
        assertParsed("list[1:2] = :a", "list[1:2] = ?", "a");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT ':a'",
                "SELECT 'it''s :a'",
                "SELECT '12:30', ' :a '",
                "SELECT \":a\" FROM \"b\"\":c\"",
                "SELECT `:a` FROM `b``:c`",
                "SELECT [:a] FROM [b :c]",
                "SELECT list[1:2], list[lower:upper]",
                "SELECT 1 -- :a",
                "SELECT 1 -- it's :a\n+ 1",
                "SELECT /* :a */ 1",
                "SELECT /* it's\n:a */ 1",
                "SELECT now()::date",
                "SET x := 1",
                "SELECT 12:30",
                "SELECT a : b",
                "SELECT 1:",
                "SELECT 2 - 1 / 3",
                "SELECT :A",
                "SELECT 'unterminated :a",
                "SELECT [unterminated :a",
                "SELECT /* unterminated :a",
                ""
            })
    void textsThatAreNoParametersStay(String sql) {
        PreparedSql text = PreparedSql.parse(sql, StepCondition.ALWAYS, null);
        assertThat(text.jdbc()).isEqualTo(sql);
        assertThat(text.parameters()).isEmpty();
    }

    private static void assertParsed(String sql, String jdbc, String... parameters) {
        PreparedSql text = PreparedSql.parse(sql, StepCondition.ALWAYS, null);
        assertThat(text.jdbc()).isEqualTo(jdbc);
        assertThat(text.parameters()).containsExactly(parameters);
    }
}
