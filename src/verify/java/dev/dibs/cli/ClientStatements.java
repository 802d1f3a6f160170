package dev.dibs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.internal.sql.files.DialectFolder;
import dev.dibs.internal.sql.files.KeyKind;
import dev.dibs.internal.sql.files.Statements;
import dev.dibs.statements.ClaimTexts;
import dev.dibs.statements.Placeholders;
import dev.dibs.statements.StatementText;
import dev.dibs.statements.StatementTexts;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The statements that clients in other languages have. */
final class ClientStatements {

    private static final List<String> NAMES =
            List.of(("create_lock look_lock acquire_lock renew_locks find_locks guard_lock"
                            + " guard_free_lock take_expired_lock release_lock create_token issue_token"
                            + " consume_token")
                    .split(" ", -1));

    /** Those of claims. What only the caller knows is left open in them. */
    private static final List<String> CLAIMS =
            List.of(("check_condition claim_rows find_rows still_rows renew_rows release_rows"
                            + " complete_rows delete_rows release_token")
                    .split(" ", -1));

    /** No key has more characters or bytes: the longest index of MariaDB has as many bytes. */
    static final int LONGEST_KEY = 3072;

    /** The kinds of keys that the clients know, by their names there. */
    static final Map<String, KeyKind> KINDS =
            new TreeMap<>(Map.of("number", KeyKind.WHOLE, "text", KeyKind.TEXT, "binary", KeyKind.BINARY));

    private ClientStatements() {}

    /** Those of Python and Node. */
    static List<StatementText> withClaims(String dialect, Placeholders style) {
        return chosen(dialect, style, NAMES, CLAIMS);
    }

    /** Those of Go. */
    static List<StatementText> withMoreClaims(String dialect, Placeholders style) {
        return chosen(dialect, style, and(NAMES, "peek_token"), and(CLAIMS, "postpone_rows"));
    }

    /** Those of PHP, which adds the row of a new name without a lease. */
    static List<StatementText> ofPhp(String dialect) {
        return chosen(dialect, Placeholders.QUESTION, and(NAMES, "make_locks"), and(CLAIMS, "postpone_rows"));
    }

    private static List<String> and(List<String> names, String name) {
        return Stream.concat(names.stream(), Stream.of(name)).toList();
    }

    private static List<StatementText> chosen(
            String dialect, Placeholders style, List<String> names, List<String> claims) {
        List<StatementText> ofNumbers = claims(dialect, style, "number", claims);
        for (String kind : KINDS.keySet()) {
            assertThat(claims(dialect, style, kind, claims))
                    .as("all that depends on the type of a key is left open")
                    .isEqualTo(ofNumbers);
        }
        return Stream.concat(
                        StatementTexts.of(DialectFolder.named(dialect), "dibs_", style).stream()
                                .filter(statement -> names.contains(statement.name())),
                        ofNumbers.stream())
                .toList();
    }

    private static List<StatementText> claims(String dialect, Placeholders style, String kind, List<String> names) {
        ColumnText key = ColumnText.of(dialect, kind, 0);
        return Stream.of(false, true)
                .flatMap(deletes ->
                        ClaimTexts.open(KINDS.get(kind), deletes)
                                .in(DialectFolder.named(dialect), "dibs_", style)
                                .stream()
                                .filter(statement -> deletes == statement.name().equals("delete_rows")))
                .filter(statement -> names.contains(statement.name()))
                .map(key::leftOpen)
                .toList();
    }

    /**
     * What depends on the type of a key.
     *
     * @param list a column of a list of keys
     * @param match the condition that a row has such a key
     * @param member the key as a member of a JSON object
     */
    record ColumnText(String list, String match, String member) {

        static ColumnText of(String dialect, String kind, int size) {
            Statements fragments = Statements.load(DialectFolder.named(dialect), "dibs_");
            KeyKind type = KINDS.get(kind);
            return new ColumnText(
                    fragments
                            .fragment("key_list", type)
                            .replace("#", "1")
                            .replace(
                                    "{type}",
                                    fragments
                                            .fragment("key_type", type)
                                            .replace("{size}", String.valueOf(size))
                                            .replace("{hex_size}", String.valueOf(2 * size))),
                    fragments.fragment("key_match", type).replace("#", "1"),
                    fragments.fragment("key_member", type).replace("#", "1"));
        }

        StatementText leftOpen(StatementText statement) {
            return new StatementText(
                    statement.name(),
                    "",
                    statement.transaction(),
                    statement.parameters(),
                    statement.steps().stream()
                            .map(step -> new StatementText.Step(
                                    step.sql()
                                            .replace(list, "{key_list}")
                                            .replace(match, "{key_match}")
                                            .replace(member, "{key_member}"),
                                    step.binds(),
                                    step.when(),
                                    step.key()))
                            .toList());
        }
    }
}
