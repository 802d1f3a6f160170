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
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The statements in clients/python/dibs.py are those of this version. {@code mvn verify -Dtest=ClientStatementsTest -Ddibs.write=true} writes
 * them anew.
 */
@Tag("unit")
class ClientStatementsTest {

    private static final Path CLIENT = Path.of("clients/python/dibs.py");
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

    @Test
    void pythonSendsTheStatementsOfThisVersion() throws IOException {
        String client = Files.readString(CLIENT);
        String current = client.replaceFirst(
                "(?s)(?<=# begin of statements\n).*(?=# end of statements\n)", Matcher.quoteReplacement(statements()));
        if (Boolean.getBoolean("dibs.write")) {
            Files.writeString(CLIENT, current);
        }

        assertThat(Files.readString(CLIENT))
                .as("clients/python/dibs.py; -Ddibs.write=true writes its statements anew")
                .isEqualTo(current);
    }

    private static String statements() {
        return DIALECTS.stream()
                .map(ClientStatementsTest::statements)
                .collect(Collectors.joining("", "STATEMENTS = {\n", "}\n"));
    }

    private static String statements(String dialect) {
        return StatementTexts.of(DialectFolder.named(dialect), "dibs_", Placeholders.PYFORMAT).stream()
                .filter(statement -> NAMES.contains(statement.name()))
                .map(ClientStatementsTest::statement)
                .collect(Collectors.joining("", "    \"" + dialect + "\": {\n", "    },\n"));
    }

    private static String statement(StatementText statement) {
        return statement.steps().stream()
                .map(step -> "            (\"" + (step.onlyIfNoRow() ? "if no row so far" : "always") + "\", r\"\"\"\n"
                        + step.sql().strip() + "\n\"\"\"),\n")
                .collect(Collectors.joining("", "        \"" + statement.name() + "\": [\n", "        ],\n"));
    }
}
