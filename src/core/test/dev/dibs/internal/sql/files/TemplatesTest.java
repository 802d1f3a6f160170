package dev.dibs.internal.sql.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The statements about a user's table, filled in. */
@Tag("unit")
class TemplatesTest {

    private static final Map<String, String> MARKER = Map.ofEntries(
            Map.entry("free", "marker_free"),
            Map.entry("mark", "marker_mark"),
            Map.entry("drop", "marker_drop"),
            Map.entry("once", "any_time"),
            Map.entry("still", "any_time"),
            Map.entry("change", "marker_drop"),
            Map.entry("asked_for", "columns_asked_for"),
            Map.entry("to_pick", "columns_to_pick"),
            Map.entry("picked", "columns_picked"),
            Map.entry("complete", "effect_and_drop"),
            Map.entry("of_asked", "asked_with_same_key"));

    private static final Map<String, String> LEASE = Map.ofEntries(
            Map.entry("free", "lease_free"),
            Map.entry("mark", "lease_mark"),
            Map.entry("drop", "lease_drop"),
            Map.entry("once", "first_time"),
            Map.entry("still", "not_expired"),
            Map.entry("change", "postpone"),
            Map.entry("asked_for", "column_asked_for"),
            Map.entry("to_pick", "column_to_pick"),
            Map.entry("picked", "column_picked"),
            Map.entry("complete", "lease_drop"),
            Map.entry("of_asked", "asked_with_new_key"));

    private static final Map<String, String> TEXTS = texts();

    /** The parameters of a call: a list of keys in two forms. */
    private static final Set<String> OFFERED = Set.of("token", "n", "lease", "delay", "keys", "key1", "key2");

    private static Map<String, String> texts() {
        Map<String, String> texts = new HashMap<>(Map.of(
                "table", "shop.\"order\"",
                "token", "request_token",
                "until", "claimed_until",
                "where", "(done IS NULL AND what <> '{now} :what')",
                "order", "a, b",
                "effect", "done = 1"));
        texts.put("n", ":n");
        texts.put("keys", "a, b");
        texts.put("t_keys", "t.a, t.b");
        texts.put("keys_as", "t.a AS dibs_key1, t.b AS dibs_key2");
        texts.put("key_texts", "t.a AS dibs_key1, t.b AS dibs_key2");
        texts.put("and_texts", "");
        texts.put("done_texts", "dibs_key1, dibs_key2");
        texts.put("key_aliases", "dibs_key1, dibs_key2");
        texts.put("key_members", "'dibs_key1', dibs_key1, 'dibs_key2', dibs_key2");
        texts.put("returned_keys", "a AS dibs_key1, b AS dibs_key2");
        texts.put("inserted_keys", "inserted.a, inserted.b");
        texts.put("deleted_keys", "deleted.a, deleted.b");
        texts.put("list", "1f");
        texts.put("asked_members", "'dibs_key1', k.dibs_key1, 'dibs_key2', k.dibs_key2");
        texts.put("key_description", "a int, b int");
        texts.put("key_match", "t.a = k.dibs_key1 AND t.b = k.dibs_key2");
        texts.put("key_list", "dibs_key1 bigint = :key1, dibs_key2 bigint = :key2");
        texts.put("first_key", "a");
        texts.put("first_type", "bigint");
        return texts;
    }

    static Set<String> dialects() {
        return Products.dialects();
    }

    @ParameterizedTest
    @MethodSource("dialects")
    void aCallBindsEveryParameter(String dialect) {
        for (Map<String, String> choices : List.of(MARKER, LEASE)) {
            Statements statements = load(dialect).about(choices, TEXTS);
            for (String name : statements.names()) {
                assertThat(parameters(statements, name)).as(name).isSubsetOf(OFFERED);
            }
        }
    }

    /** Without the token in it, a change would affect rows of another claim. */
    @ParameterizedTest
    @MethodSource("dialects")
    void everyChangeAsksForTheToken(String dialect) {
        Statements statements = load(dialect).about(LEASE, TEXTS);
        for (String name : List.of("change_rows", "complete_rows", "delete_rows", "release_token", "find_rows")) {
            assertThat(parameters(statements, name)).as(name).contains("token");
        }
    }

    @ParameterizedTest
    @MethodSource("dialects")
    void theTableIsTheUsers(String dialect) {
        Statements statements = load(dialect).about(MARKER, TEXTS);
        for (String name : statements.names()) {
            assertThat(statements.steps(name))
                    .as(name)
                    .anySatisfy(step -> assertThat(step.jdbc()).contains("shop.\"order\""));
        }
    }

    @Test
    void aTextThatIsMissingIsAnError() {
        Statements statements = load("h2").about(LEASE, Map.of("table", "t"));
        assertThatThrownBy(() -> statements.names().forEach(statements::steps))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is not defined");
    }

    @Test
    void oneStatementNeedsNoMoreThanItMentions() {
        assertThat(load("h2").only("columns_of_table", Map.of("table", "{now}")).steps("columns_of_table"))
                .extracting(PreparedSql::jdbc)
                .containsExactly("SELECT * FROM {now} WHERE 1 = 0");
    }

    private static Set<String> parameters(Statements statements, String name) {
        return statements.steps(name).stream()
                .flatMap(step -> step.parameters().stream())
                .collect(Collectors.toSet());
    }

    private static Statements load(String dialect) {
        return Statements.load(DialectFolder.named(dialect), "dibs_");
    }
}
