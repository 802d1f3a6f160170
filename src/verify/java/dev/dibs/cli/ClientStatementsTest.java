package dev.dibs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.internal.sql.DialectFolder;
import dev.dibs.internal.sql.Placeholders;
import dev.dibs.internal.sql.StatementText;
import dev.dibs.internal.sql.StatementTexts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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
    private static final List<String> NAMES = List.of(
            "create_lock",
            "look_lock",
            "acquire_lock",
            "renew_locks",
            "find_locks",
            "guard_lock",
            "release_lock",
            "create_token",
            "issue_token",
            "consume_token");

    private static final List<String> IN_SHELL =
            List.of("look_lock", "acquire_lock", "renew_locks", "find_locks", "guard_lock", "release_lock");
    private static final Pattern PARAMETER = Pattern.compile("(?<!:):([a-z]+)\\b");

    @Test
    void pythonSendsTheStatementsOfThisVersion() throws IOException {
        requireCurrent(
                Path.of("clients/python/dibs.py"),
                "#",
                DIALECTS.stream()
                        .map(dialect -> python(dialect, statements(dialect, Placeholders.PYFORMAT)))
                        .collect(Collectors.joining("", "STATEMENTS = {\n", "}\n")));
    }

    @Test
    void nodeSendsTheStatementsOfThisVersion() throws IOException {
        requireCurrent(
                Path.of("clients/node/dibs.mjs"),
                "//",
                Stream.of(
                                node("postgresql", statements("postgresql", Placeholders.DOLLAR)),
                                node("mariadb", statements("mariadb", Placeholders.QUESTION)))
                        .collect(Collectors.joining(",\n", "const STATEMENTS = {\n", "\n}\n")));
    }

    /** psql fills in a text as {@code :'name'}, and a number as {@code :lease}. It knows no arrays. */
    @Test
    void theShellSendsTheStatementsOfThisVersion() throws IOException {
        requireCurrent(
                Path.of("clients/shell/dibs.sh"),
                "#",
                statements("postgresql", Placeholders.NAMED).stream()
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
