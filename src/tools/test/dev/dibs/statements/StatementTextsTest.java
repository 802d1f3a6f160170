package dev.dibs.statements;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Dialect;
import dev.dibs.internal.sql.files.DialectFolder;
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
            for (boolean numbered : new boolean[] {true, false}) {
                all.addAll(ClaimTexts.open(numbered, numbered).in(folder, "dibs_", Placeholders.NAMED));
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
        assertThat(unused).containsExactly("front", "key2", "key3", "key4", "scope");
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

    @Test
    void noContractKeepsAMarker() {
        assertThat(all()).noneMatch(text -> text.contract().contains("transaction: "));
    }
}
