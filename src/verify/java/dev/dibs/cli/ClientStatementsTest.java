package dev.dibs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.internal.sql.files.DialectFolder;
import dev.dibs.statements.Placeholders;
import dev.dibs.statements.StatementText;
import dev.dibs.statements.StatementTexts;
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
    private static final List<String> IN_PYTHON = List.of("postgresql", "mariadb", "sqlite");
    private static final List<String> EVERYWHERE = List.of("postgresql", "mariadb", "mysql", "sqlite");
    private static final List<String> IN_SHELL =
            List.of(("look_lock acquire_lock renew_locks find_locks guard_lock guard_free_lock"
                            + " take_expired_lock make_locks release_lock")
                    .split(" ", -1));
    private static final String GO_HEAD = """
            // Code generated from the statements of Dibs; DO NOT EDIT.
            // In a clone: mvn verify -Dtest=ClientStatementsTest -Ddibs.write=true

            package dibs

            // A step of a statement, sent under its condition. Its values are bound in this order.
            type step struct {
            	when  string
            	binds []string
            	sql   string
            }

            // A statement, and whether its steps are one transaction.
            type statement struct {
            	together bool
            	steps    []step
            }

            // What depends on the type of a key.
            type keyTexts struct {
            	list, match, member string
            }

            var allStatements = map[string]map[string]statement{
            """;
    private static final String GO_KEYS = "\nvar allKeyTexts = map[string]map[string]keyTexts{\n";
    private static final String PHP_HEAD = """
            <?php

            // Made of the statements of Dibs, and not edited by hand.
            // In a clone: mvn verify -Dtest=ClientStatementsTest -Ddibs.write=true

            declare(strict_types=1);

            return [
                'statements' => [
            """;
    private static final Pattern PARAMETER = Pattern.compile("(?<!:):([a-z]+)\\b");

    @Test
    void pythonSendsTheStatementsOfThisVersion() throws IOException {
        requireCurrent(
                Path.of("clients/python/dibs.py"),
                "#",
                IN_PYTHON.stream()
                                .map(dialect ->
                                        python(dialect, ClientStatements.withClaims(dialect, inPython(dialect))))
                                .collect(Collectors.joining("", "STATEMENTS = {\n", "}\n"))
                        + IN_PYTHON.stream()
                                .map(dialect -> ClientStatements.KINDS.keySet().stream()
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
                                        node(
                                                "postgresql",
                                                ClientStatements.withClaims("postgresql", Placeholders.DOLLAR)),
                                        node("mariadb", ClientStatements.withClaims("mariadb", Placeholders.QUESTION)))
                                .collect(Collectors.joining(",\n", "const STATEMENTS = {\n", "\n}\n"))
                        + DIALECTS.stream()
                                .map(dialect -> ClientStatements.KINDS.keySet().stream()
                                        .map(kind -> nodeKey(dialect, kind))
                                        .collect(Collectors.joining(",\n", "  " + dialect + ": {\n", "\n  }")))
                                .collect(Collectors.joining(",\n", "const CLAIM_KEYS = {\n", "\n}\n")));
    }

    /** Go sends those of MariaDB and MySQL without parameters, with each value written into the text in the place of its question mark. */
    @Test
    void goSendsTheStatementsOfThisVersion() throws IOException {
        requireSame(
                Path.of("clients/go/statements.go"),
                EVERYWHERE.stream()
                                .map(dialect -> go(
                                        dialect,
                                        ClientStatements.withMoreClaims(
                                                dialect,
                                                dialect.equals("postgresql")
                                                        ? Placeholders.DOLLAR
                                                        : Placeholders.QUESTION)))
                                .collect(Collectors.joining("", GO_HEAD, "}\n"))
                        + EVERYWHERE.stream()
                                .map(dialect -> ClientStatements.KINDS.keySet().stream()
                                        .map(kind -> goKey(dialect, kind))
                                        .collect(Collectors.joining("", "\t\"" + dialect + "\": {\n", "\t},\n")))
                                .collect(Collectors.joining("", GO_KEYS, "}\n")));
    }

    /** PDO knows question marks for each database, and one value for each of them. */
    @Test
    void phpSendsTheStatementsOfThisVersion() throws IOException {
        requireSame(
                Path.of("clients/php/statements.php"),
                EVERYWHERE.stream()
                                .map(dialect -> php(dialect, ClientStatements.ofPhp(dialect)))
                                .collect(Collectors.joining("", PHP_HEAD, "    ],\n"))
                        + EVERYWHERE.stream()
                                .map(dialect -> ClientStatements.KINDS.keySet().stream()
                                        .map(kind -> phpKey(dialect, kind))
                                        .collect(Collectors.joining(
                                                "", "        '" + dialect + "' => [\n", "        ],\n")))
                                .collect(Collectors.joining("", "    'keys' => [\n", "    ],\n];\n")));
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

    private static void requireSame(Path file, String text) throws IOException {
        if (Boolean.getBoolean("dibs.write")) {
            Files.createDirectories(file.getParent());
            Files.writeString(file, text);
        }

        assertThat(Files.readString(file))
                .as(file + "; -Ddibs.write=true writes it anew")
                .isEqualTo(text);
    }

    /** Whether the client begins a transaction for the steps. One step is a transaction of its own, under autocommit. */
    private static boolean isTogether(StatementText statement) {
        return statement.steps().size() > 1 && statement.transaction().startsWith("one for all steps");
    }

    private static String go(String dialect, List<StatementText> statements) {
        return statements.stream()
                .map(statement -> statement.steps().stream()
                        .map(step -> "\t\t\t{\"" + when(step) + "\", []string{" + quoted(step.binds(), "\"") + "}, `\n"
                                + step.sql().strip() + "\n`},\n")
                        .collect(Collectors.joining(
                                "",
                                "\t\t\"" + statement.name() + "\": {" + isTogether(statement) + ", []step{\n",
                                "\t\t}},\n")))
                .collect(Collectors.joining("", "\t\"" + dialect + "\": {\n", "\t},\n"));
    }

    /** With the blanks by which gofmt lines the values up. */
    private static String goKey(String dialect, String kind) {
        ClientStatements.ColumnText key = ClientStatements.ColumnText.of(dialect, kind, ClientStatements.LONGEST_KEY);
        return "\t\t%-9s {\"%s\", \"%s\", \"%s\"},%n"
                .formatted("\"" + kind + "\":", key.list(), key.match(), key.member());
    }

    private static String php(String dialect, List<StatementText> statements) {
        return statements.stream()
                .map(statement -> statement.steps().stream()
                        .map(step -> "                ['when' => '" + when(step) + "', 'binds' => ["
                                + quoted(step.binds(), "'") + "], 'sql' => <<<'SQL'\n"
                                + step.sql().strip() + "\nSQL],\n")
                        .collect(Collectors.joining(
                                "",
                                "            '" + statement.name() + "' => ['together' => " + isTogether(statement)
                                        + ", 'steps' => [\n",
                                "            ]],\n")))
                .collect(Collectors.joining("", "        '" + dialect + "' => [\n", "        ],\n"));
    }

    private static String phpKey(String dialect, String kind) {
        ClientStatements.ColumnText key = ClientStatements.ColumnText.of(dialect, kind, ClientStatements.LONGEST_KEY);
        return "            '%s' => ['key_list' => %s, 'key_match' => %s, 'key_member' => %s],%n"
                .formatted(kind, inPhp(key.list()), inPhp(key.match()), inPhp(key.member()));
    }

    private static String inPhp(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }

    private static String quoted(List<String> names, String quote) {
        return names.stream().map(name -> quote + name + quote).collect(Collectors.joining(", "));
    }

    private static String pythonKey(String dialect, String kind) {
        ClientStatements.ColumnText key = ClientStatements.ColumnText.of(dialect, kind, ClientStatements.LONGEST_KEY);
        return "        \"%s\": {\"key_list\": \"%s\", \"key_match\": \"%s\", \"key_member\": \"%s\"},%n"
                .formatted(kind, key.list(), key.match(), key.member());
    }

    private static String nodeKey(String dialect, String kind) {
        ClientStatements.ColumnText key = ClientStatements.ColumnText.of(dialect, kind, ClientStatements.LONGEST_KEY);
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
