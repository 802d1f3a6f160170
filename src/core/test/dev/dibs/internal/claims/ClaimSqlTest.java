package dev.dibs.internal.claims;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.dibs.internal.claims.store.ClaimSql;
import dev.dibs.internal.claims.store.CompletionEffect;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("unit")
class ClaimSqlTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "done IS NULL",
                "a = 'it''s; -- /* :x (' AND b > 1",
                "\"or;der\" = 1",
                "`a--b` = 1",
                "[a:b] = 1",
                "doc ?? 'x'",
                "x::int = 1 AND (y - 1) / 2 > -1",
                "id IN (SELECT id FROM other WHERE (x))",
                "a = '{now}'"
            })
    void aTextThatIsCompleteIsTaken(String text) {
        assertThat(ClaimSql.check("where", "  " + text + "\n")).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '\0',
            delimiter = '|',
            value = {
                "a = 1; DROP TABLE x | semicolon",
                "a = 1 -- b | comment",
                "a = 1 /* b | comment",
                "a = :b | parameter",
                "a = ? | parameter",
                "a = 1) OR (1 = 1 | did not open",
                "(a = 1 | does not close",
                "a = 'b | does not close",
                "a = \"b | does not close",
                "a = `b | does not close",
                "a = [b | does not close",
            })
    void invalidTextsAreErrorsThatNameTheReason(String text, String why) {
        assertThatThrownBy(() -> ClaimSql.check("where", text.strip()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("where ")
                .hasMessageContaining(why.strip())
                .hasMessageContaining(text.strip());
    }

    @Test
    void aHashBeginsACommentOnMariaDbAndMySqlAlone() {
        ClaimOptions options = new ClaimOptions("jobs", Duration.ofMinutes(1));
        ClaimOptions hashed = options.with(changed -> changed.effect = CompletionEffect.set("done = 1 # and no more"));
        ClaimOptions quoted = options.with(changed -> changed.where = "kind = '#1' AND `#` = 2");
        assertThatThrownBy(() -> hashed.texts(List.of("id"), "`"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("completeSet has a comment: done = 1 # and no more");
        assertThat(hashed.texts(List.of("id"), "\"")).containsEntry("effect", "done = 1 # and no more");
        assertThat(quoted.texts(List.of("id"), "`")).containsEntry("where", "(kind = '#1' AND `#` = 2)");
    }

    @Test
    void anEmptyConditionIsRefused() {
        assertThatThrownBy(() -> ClaimSql.check("orderBy", null)).hasMessage("orderBy is null");
        assertThatThrownBy(() -> ClaimSql.check("orderBy", " ")).hasMessage("orderBy is empty");
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '\0',
            delimiter = '|',
            value = {
                "a = 1 | a",
                "a = 'x, c = 2', b = (SELECT d FROM o WHERE e = 1) | a b",
                "t.a = coalesce(b, c), \"O r\" = (d = e) | a O r",
                "(a, b) = (1, 2), c = d = e | a b c",
                "[a] = 1, `b` = [c], d=5 | a b d"
            })
    void assignedColumnsAreFound(String assignments, String columns) {
        assertThat(String.join(" ", ClaimSql.assigned(assignments))).isEqualTo(columns);
    }
}
