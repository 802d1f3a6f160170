package dev.dibs.internal.sql.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.dibs.internal.sql.files.StatementFile.Step;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("unit")
class StatementFileTest {

    @Test
    void aStatementEndsWhereTheNextOneBegins() {
        StatementFile file = parse("""
                -- What this file is about.

                -- name: one
                SELECT 1;

                -- name: two
                SELECT 2
                  FROM t;
                """);
        assertThat(file.statements.keySet()).containsExactly("one", "two");
        assertThat(file.statements.get("one")).containsExactly(step("SELECT 1"));
        assertThat(file.statements.get("two")).containsExactly(step("SELECT 2\n  FROM t"));
    }

    @Test
    void aCapabilityHasTheStatementsUpToTheNextOne() {
        StatementFile file = parse("""
                -- name: none
                SELECT 0;

                -- capability: one
                -- What it is for.

                -- name: first
                SELECT 1;
                -- capability: two needs one
                -- name: second
                SELECT 2;
                """);
        assertThat(file.capabilities).containsExactly(Map.entry("first", "one"), Map.entry("second", "two"));
        assertThat(file.needs).containsExactly(Map.entry("two", "one"));
        assertThat(file.statements.get("first")).containsExactly(step("SELECT 1"));
        assertRefused("-- capability: one\nSELECT 1;", 2, "SELECT 1;");
        assertRefused("-- capability: one, two\n", 1, "one, two");
    }

    @Test
    void theContractIsNotSentAndLaterCommentsAre() {
        StatementFile file = parse("""
                -- name: one
                -- What it must do,
                -- in two lines.
                SELECT 1 -- why
                -- and why
                     + 2;
                """);
        assertThat(file.statements.get("one")).containsExactly(step("SELECT 1 -- why\n-- and why\n     + 2"));
    }

    @Test
    void commentsBetweenStatementsAreNotSent() {
        StatementFile file = parse("""
                -- name: one
                SELECT 1;

                -- The rest is about something else.

                -- name: two
                SELECT 2;
                """);
        assertThat(file.statements.get("one")).containsExactly(step("SELECT 1"));
    }

    @Test
    void onlyTheLastSemicolonIsDropped() {
        StatementFile file = parse("""
                -- name: block
                BEGIN NOT ATOMIC
                    SELECT 1;
                END;

                """);
        assertThat(file.statements.get("block")).containsExactly(step("BEGIN NOT ATOMIC\n    SELECT 1;\nEND"));
        assertThat(parse("-- name: one\nSELECT 1").statements.get("one")).containsExactly(step("SELECT 1"));
    }

    @Test
    void thenAndElseDivideAStatementIntoSteps() {
        StatementFile file = parse("""
                -- name: three
                -- Its contract.
                SELECT 1;
                -- else
                SELECT 2;
                -- then
                SELECT 3;
                """);
        assertThat(file.statements.get("three"))
                .containsExactly(
                        step("SELECT 1"), new Step("SELECT 2", new StepCondition(true, ""), null), step("SELECT 3"));
    }

    @Test
    void aStepMayDependOnAnAnswer() {
        StatementFile file = parse("""
                -- name: four
                SELECT 1;
                -- then unless held
                SELECT 2;
                -- else unless refused
                SELECT 3;
                -- then unless ours
                SELECT 4;
                """);
        assertThat(file.statements.get("four"))
                .extracting(step -> step.when().toString())
                .containsExactly("always", "unless held", "if no row so far, unless refused", "unless ours");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"-- then unless taken", "--then", "-- else  unless held", "--else unless ours", "-- then unless"
            })
    void aMarkerThatIsNearlyRightIsRefused(String marker) {
        assertRefused("-- name: two\nSELECT 1;\n" + marker + "\nSELECT 2;\n", 3, marker);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-- key: fence", "-- then", "-- else unless held"})
    void aFragmentHasNoMarkers(String marker) {
        assertRefused("-- fragment: part\n-- Why.\n" + marker + "\na = 1\n", 3, marker);
    }

    private static Step step(String text) {
        return new Step(text, StepCondition.ALWAYS, null);
    }

    @Test
    void aStepMayAnswerWithAColumnOfTheRowThatItChanges() {
        StatementFile file = parse("""
                -- name: two
                -- Its contract.
                -- key: fence
                UPDATE t SET fence = 1;
                -- then
                SELECT 2;
                """);
        assertThat(file.statements.get("two"))
                .containsExactly(new Step("UPDATE t SET fence = 1", StepCondition.ALWAYS, "fence"), step("SELECT 2"));
    }

    @Test
    void aFragmentIsAText() {
        StatementFile file = parse("""
                -- fragment: now
                -- The clock.
                clock_timestamp()
                -- name: one
                SELECT {now}
                """);
        assertThat(file.fragments).containsOnlyKeys("now").containsEntry("now", "clock_timestamp()");
        assertThat(file.statements.get("one")).containsExactly(step("SELECT {now}"));
    }

    @Test
    void linesMayEndAsOnWindows() {
        StatementFile file =
                parse("-- name: one\r\n-- Contract.\r\nSELECT 1,\r\n       2;\r\n-- then\r\nSELECT 3;\r\n");
        assertThat(file.statements.get("one")).containsExactly(step("SELECT 1,\n       2"), step("SELECT 3"));
    }

    @Test
    void anEmptyFileHasNothing() {
        assertThat(parse("").statements).isEmpty();
        assertThat(parse("-- just a comment\n\n").statements).isEmpty();
    }

    @Test
    void aMistakeIsRefusedWithItsLine() {
        assertRefused("-- about\nSELECT 1;\n", 2, "expected '-- name: some_statement'", "SELECT 1;");
        assertRefused("--name: one\nSELECT 1;\n", 1, "expected '-- name: some_statement'");
        assertRefused("-- name: One\nSELECT 1;\n", 1, "-- name: One");
        assertRefused("-- name: one two\nSELECT 1;\n", 1, "-- name: one two");
        assertRefused("-- name: one\nSELECT 1;\n-- fragment : now\nx\n", 3, "-- fragment : now");
        assertRefused("-- name: one\nSELECT 1;\n-- name: Two\nSELECT 2;\n", 3, "-- name: Two");
        assertRefused("-- name: one\nSELECT 1;\n-- name: one\nSELECT 2;\n", 3, "'one' appears twice");
        assertRefused("-- fragment: now\na\n-- fragment: now\nb\n", 3, "'now' appears twice");
        assertRefused("-- name: one\n-- Contract only.\n-- name: two\nSELECT 2;\n", 1, "'one' has an empty text");
        assertRefused("-- name: one\n", 1, "'one' has an empty text");
        assertRefused("-- name: one\n;\n", 1, "'one' has an empty text");
        assertRefused("-- name: one\nSELECT 1;\n-- then\n", 1, "'one' has an empty text");
        assertRefused("-- name: one\n-- then\nSELECT 1;\n", 1, "'one' has an empty text");
        assertRefused("-- fragment: now\n\n", 1, "'now' has an empty text");
    }

    private static StatementFile parse(String text) {
        return StatementFile.parse("some/file.sql", text);
    }

    private static void assertRefused(String text, int line, String... says) {
        assertThatThrownBy(() -> parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("some/file.sql, line " + line + ":")
                .hasMessageContainingAll(List.of(says).toArray(String[]::new));
    }
}
