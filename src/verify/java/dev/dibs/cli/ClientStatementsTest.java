package dev.dibs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.internal.sql.files.DialectFolder;
import dev.dibs.internal.sql.files.KeyKind;
import dev.dibs.internal.sql.files.Statements;
import dev.dibs.statements.ClaimTexts;
import dev.dibs.statements.Placeholders;
import dev.dibs.statements.StatementText;
import dev.dibs.statements.StatementTexts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The statements in the clients are those of this version. {@code mvn verify -Dtest=ClientStatementsTest -Ddibs.write=true} writes them anew.
 */
@Tag("unit")
class ClientStatementsTest {

    private static final List<String> DIALECTS = List.of("postgresql", "mariadb");
    private static final List<String> IN_PYTHON = List.of("postgresql", "mariadb", "sqlite");
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
    private static final int LONGEST_KEY = 3072;

    /** The kinds of keys that the clients know, by their names there. */
    private static final Map<String, KeyKind> KINDS =
            new TreeMap<>(Map.of("number", KeyKind.WHOLE, "text", KeyKind.TEXT, "binary", KeyKind.BINARY));

    private static final List<String> IN_SHELL =
            List.of(("look_lock acquire_lock renew_locks find_locks guard_lock guard_free_lock"
                            + " take_expired_lock make_locks release_lock")
                    .split(" ", -1));
    private static final Pattern PARAMETER = Pattern.compile("(?<!:):([a-z]+)\\b");

    @Test
    void pythonSendsTheStatementsOfThisVersion() throws IOException {
        requireCurrent(
                Path.of("clients/python/dibs.py"),
                "#",
                IN_PYTHON.stream()
                                .map(dialect -> python(dialect, withClaims(dialect, inPython(dialect))))
                                .collect(Collectors.joining("", "STATEMENTS = {\n", "}\n"))
                        + IN_PYTHON.stream()
                                .map(dialect -> KINDS.keySet().stream()
                                        .map(kind -> pythonKey(dialect, kind))
                                        .collect(Collectors.joining("", "    \"" + dialect + "\": {\n", "    },\n")))
                                .collect(Collectors.joining("", "CLAIM_KEYS = {\n", "}\n")));
    }

    @Test
    void nodeSendsTheStatementsOfThisVersion() throws IOException {
        requireCurrent(
                Path.of("clients/node/dibs.mjs"),
                "//",
                Stream.of(
                                        node("postgresql", withClaims("postgresql", Placeholders.DOLLAR)),
                                        node("mariadb", withClaims("mariadb", Placeholders.QUESTION)))
                                .collect(Collectors.joining(",\n", "const STATEMENTS = {\n", "\n}\n"))
                        + DIALECTS.stream()
                                .map(dialect -> KINDS.keySet().stream()
                                        .map(kind -> nodeKey(dialect, kind))
                                        .collect(Collectors.joining(",\n", "  " + dialect + ": {\n", "\n  }")))
                                .collect(Collectors.joining(",\n", "const CLAIM_KEYS = {\n", "\n}\n")));
    }

    private static Placeholders inPython(String dialect) {
        return dialect.equals("sqlite") ? Placeholders.NAMED : Placeholders.PYFORMAT;
    }

    /** psql fills in a text as {@code :'name'}, and a number as {@code :lease}. It knows no arrays. */
    @Test
    void theShellSendsTheStatementsOfThisVersion() throws IOException {
        requireCurrent(
                Path.of("clients/shell/dibs.sh"),
                "#",
                StatementTexts.of(DialectFolder.named("postgresql"), "dibs_", Placeholders.NAMED).stream()
                        .filter(statement -> IN_SHELL.contains(statement.name()))
                        .map(ClientStatementsTest::shell)
                        .collect(Collectors.joining()));
    }

    private static String shell(StatementText statement) {
        String sql = statement.steps().stream()
                .map(step -> PARAMETER
                        .matcher(step.sql().strip())
                        .replaceAll(found -> Matcher.quoteReplacement(inPsql(found.group(1)))))
                .collect(Collectors.joining(";\n"));
        return "        " + statement.name() + ")\n            IFS= read -r -d '' _dibs_sql <<'END'\n" + sql
                + "\nEND\n            ;;\n";
    }

    private static String inPsql(String parameter) {
        return switch (parameter) {
            case "names" -> "ARRAY[:'name']";
            case "owners" -> "ARRAY[:'owner']";
            case "lease" -> ":lease";
            default -> ":'" + parameter + "'";
        };
    }

    private static void requireCurrent(Path client, String comment, String statements) throws IOException {
        String current = Files.readString(client)
                .replaceFirst(
                        "(?s)(?<=" + comment + " begin of statements\n).*(?=" + comment + " end of statements\n)",
                        Matcher.quoteReplacement(statements));
        if (Boolean.getBoolean("dibs.write")) {
            Files.writeString(client, current);
        }

        assertThat(Files.readString(client))
                .as(client + "; -Ddibs.write=true writes its statements anew")
                .isEqualTo(current);
    }

    private static List<StatementText> statements(String dialect, Placeholders style) {
        return StatementTexts.of(DialectFolder.named(dialect), "dibs_", style).stream()
                .filter(statement -> NAMES.contains(statement.name()))
                .toList();
    }

    private static List<StatementText> withClaims(String dialect, Placeholders style) {
        List<StatementText> ofNumbers = claims(dialect, style, "number");
        for (String kind : KINDS.keySet()) {
            assertThat(claims(dialect, style, kind))
                    .as("all that depends on the type of a key is left open")
                    .isEqualTo(ofNumbers);
        }
        return Stream.concat(statements(dialect, style).stream(), ofNumbers.stream())
                .toList();
    }

    private static List<StatementText> claims(String dialect, Placeholders style, String kind) {
        ColumnText key = ColumnText.of(dialect, kind, 0);
        return Stream.of(false, true)
                .flatMap(deletes ->
                        ClaimTexts.open(KINDS.get(kind), deletes)
                                .in(DialectFolder.named(dialect), "dibs_", style)
                                .stream()
                                .filter(statement -> deletes == statement.name().equals("delete_rows")))
                .filter(statement -> CLAIMS.contains(statement.name()))
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
    private record ColumnText(String list, String match, String member) {

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

    private static String pythonKey(String dialect, String kind) {
        ColumnText key = ColumnText.of(dialect, kind, LONGEST_KEY);
        return "        \"%s\": {\"key_list\": \"%s\", \"key_match\": \"%s\", \"key_member\": \"%s\"},%n"
                .formatted(kind, key.list(), key.match(), key.member());
    }

    private static String nodeKey(String dialect, String kind) {
        ColumnText key = ColumnText.of(dialect, kind, LONGEST_KEY);
        return "    %s: { key_list: `%s`, key_match: `%s`, key_member: `%s` }"
                .formatted(kind, key.list(), key.match(), key.member());
    }

    private static String when(StatementText.Step step) {
        return step.when().toString();
    }

    private static String python(String dialect, List<StatementText> statements) {
        return statements.stream()
                .map(statement -> statement.steps().stream()
                        .map(step -> "            (\"" + when(step) + "\", r\"\"\"\n"
                                + step.sql().strip() + "\n\"\"\"),\n")
                        .collect(Collectors.joining("", "        \"" + statement.name() + "\": [\n", "        ],\n")))
                .collect(Collectors.joining("", "    \"" + dialect + "\": {\n", "    },\n"));
    }

    private static String node(String dialect, List<StatementText> statements) {
        return statements.stream()
                .map(statement -> statement.steps().stream()
                        .map(ClientStatementsTest::node)
                        .collect(Collectors.joining(", ", "    " + statement.name() + ": [", "]")))
                .collect(Collectors.joining(",\n", "  " + dialect + ": {\n", "\n  }"));
    }

    private static String node(StatementText.Step step) {
        String binds = step.binds().stream().map(bind -> "'" + bind + "'").collect(Collectors.joining(", ", "[", "]"));
        return "{ when: '" + when(step) + "', binds: " + binds + ", sql: String.raw`\n"
                + step.sql().strip() + "\n` }";
    }
}
