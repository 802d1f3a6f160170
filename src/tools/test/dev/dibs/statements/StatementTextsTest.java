package dev.dibs.statements;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.dibs.Dialect;
import dev.dibs.internal.sql.files.DialectFolder;
import dev.dibs.internal.sql.files.KeyKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The data of the statement files for programs in other languages. */
@Tag("unit")
class StatementTextsTest {

    private static final String TOGETHER = "its own, or one for supersede_token and issue_new_token, in this order";

    private static List<StatementText> all() {
        List<StatementText> all = new ArrayList<>();
        for (String dialect : Dialect.names()) {
            DialectFolder folder = DialectFolder.named(dialect);
            all.addAll(StatementTexts.of(folder, "dibs_", Placeholders.NAMED));
            for (KeyKind kind : List.of(KeyKind.WHOLE, KeyKind.TEXT, KeyKind.BINARY)) {
                all.addAll(ClaimTexts.open(kind, kind == KeyKind.WHOLE).in(folder, "dibs_", Placeholders.NAMED));
            }
        }
        return all;
    }

    /** The others are in statements about the claim table or ranges, or in a standard form that no database gets: these are not printed. */
    @Test
    void eachParameterIsOneThatStatementsHave() {
        Set<String> known =
                DialectFolder.STANDARD.properties("parameters.properties").keySet();
        Set<String> printed = all().stream()
                .flatMap(text -> text.parameters().stream())
                .map(StatementText.Parameter::name)
                .collect(Collectors.toSet());
        Set<String> unused = new TreeSet<>(known);
        unused.removeAll(printed);
        assertThat(unused)
                .containsExactly("front", "group1", "group2", "group3", "group4", "key2", "key3", "key4", "scope");
    }

    @Test
    void aTypeIsOneOfAFew() {
        assertThat(all().stream().flatMap(text -> text.parameters().stream()).map(StatementText.Parameter::type))
                .contains("text", "bigint", "bigint[]", "text[]", "bytes", "json", "array")
                .isSubsetOf("text", "bigint", "bigint[]", "text[]", "bytes", "json", "array");
    }

    @Test
    void aStatementSaysWhoseTransactionItIs() {
        Map<String, Set<String>> names = all().stream()
                .collect(Collectors.groupingBy(
                        StatementText::transaction,
                        Collectors.mapping(StatementText::name, Collectors.toCollection(TreeSet::new))));
        assertThat(names.get("the caller's")).contains("guard_lock", "guard_permit", "guard_reader");
        assertThat(names.get("each step alone, or the caller's")).containsExactly("consume_token");
        assertThat(names.get(TOGETHER)).containsExactly("issue_new_token", "supersede_token");
        assertThat(names.get("one for all steps")).contains("claim_rows", "release_token");
        assertThat(names.get("one for all steps, or the caller's"))
                .contains("complete_rows", "delete_rows", "renew_rows");
        assertThat(names.get("each step alone")).contains("acquire_lock", "renew_locks", "release_lock");
        assertThat(names).hasSize(6);
    }

    /** Java checks the condition that the word stands for. */
    @Test
    void aStepThatWouldUndoAnAcquireSaysSo() {
        assertThat(having("held"))
                .containsExactly("acquire_gate", "acquire_held_lock", "acquire_lock", "acquire_permit");
        assertThat(having("ours")).containsExactly("acquire_reader");
        assertThat(having("refused")).containsExactly("acquire_once");
    }

    private static Stream<String> having(String unless) {
        return all().stream()
                .filter(text -> text.steps().stream()
                        .anyMatch(step -> step.when().unless().equals(unless)))
                .map(StatementText::name)
                .distinct()
                .sorted();
    }

    /** The columns are compared as bytes, by their index; what is sent are hexadecimal digits. */
    @Test
    void theStatementsOfABinaryKeySayHowItIsSent() {
        assertThat(completion("mariadb", "id:binary(16)"))
                .contains("as 0aff.", "dibs_key1 varchar(32) CHARACTER SET latin1", "t.id = unhex(k.dibs_key1)");
        assertThat(completion("mysql", "id:varbinary(20)"))
                .contains("as 0aff.", "dibs_key1 varchar(40) CHARACTER SET latin1", "t.id = unhex(k.dibs_key1)");
        assertThat(completion("postgresql", "id:bytea")).contains("as \\x0aff.", "k(dibs_key1 bytea)");
        assertThat(completion("sqlite", "id:blob")).contains("as 0aff.", "unhex(json_extract(value, '$.dibs_key1'))");
        assertThat(completion("sqlserver", "id:binary(16)"))
                .contains("as 0aff.", "convert(varbinary(1700), json_value(dibs_asked.value, '$.dibs_key1'), 2)");
        assertThat(completion("mariadb", "id:bigint")).doesNotContain("hexadecimal");
    }

    private static String completion(String dialect, String key) {
        return claims(key).in(DialectFolder.named(dialect), "dibs_", Placeholders.NAMED).stream()
                .filter(text -> text.name().equals("complete_rows"))
                .map(text -> text.contract() + text.steps())
                .collect(Collectors.joining());
    }

    private static ClaimTexts claims(String key) {
        return ClaimTexts.of("jobs", List.of(key), "mark", "ends_at", null, null, "done = 1", false);
    }

    /** Without one the statements would find no row. */
    @Test
    void aTypeThatNeedsALengthHasOne() {
        DialectFolder folder = DialectFolder.named("mariadb");
        for (String key : List.of("id:binary", "id:varchar", "id:decimal")) {
            assertThatThrownBy(() -> claims(key).in(folder, "dibs_", Placeholders.NAMED))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("needs a length here: write " + key + "(40)");
        }
    }

    @Test
    void noContractKeepsAMarker() {
        assertThat(all()).noneMatch(text -> text.contract().contains("transaction: "));
    }
}
