package dev.dibs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.dibs.Dialect;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The pages below docs/statements are the output of {@code dibs statements}. {@code mvn verify -Dtest=StatementPagesTest -Ddibs.write=true}
 * writes them anew.
 */
@Tag("unit")
class StatementPagesTest {

    private final Cli cli = new Cli(Map.of());

    static Set<String> dialects() {
        return Dialect.names();
    }

    @ParameterizedTest
    @MethodSource("dialects")
    void thePageIsOfThisVersion(String dialect) throws IOException {
        requireCurrent(
                dialect + ".md",
                "# The statements for " + dialect + "\n\nAs they are sent; `dibs statements " + dialect
                        + "` printed them. Below are [those of claims](#claims).\n\n```sql\n"
                        + cli.run("statements", dialect, "--tables").out()
                        + "```\n\n## Claims\n\nOn a table `mails`, printed by `dibs statements " + dialect
                        + " --claims mails --key id:bigint --token claimed_by --until claimed_until\n--where 'sent_at IS NULL'"
                        + " --complete-set 'sent_at = CURRENT_TIMESTAMP'`:\n\n```sql\n"
                        + claims(dialect) + "```\n");
    }

    private String claims(String dialect) {
        return cli.run(
                        "statements",
                        dialect,
                        "--claims",
                        "mails",
                        "--key",
                        "id:bigint",
                        "--token",
                        "claimed_by",
                        "--until",
                        "claimed_until",
                        "--where",
                        "sent_at IS NULL",
                        "--complete-set",
                        "sent_at = CURRENT_TIMESTAMP")
                .out();
    }

    /** For programs. It is in the command's jar, too. */
    @ParameterizedTest
    @MethodSource("dialects")
    void theJsonIsOfThisVersion(String dialect) throws IOException {
        String printed =
                cli.run("statements", dialect, "--tables", "--format", "json").out();
        requireCurrent(dialect + ".json", printed);
        try (InputStream packaged = DibsCommand.class.getResourceAsStream("/statements/" + dialect + ".json")) {
            assumeFalse(Boolean.getBoolean("dibs.write"), "the next build packages what was written");
            assertThat(packaged).isNotNull();
            assertThat(new String(packaged.readAllBytes(), StandardCharsets.UTF_8))
                    .isEqualTo(printed);
        }
    }

    private static void requireCurrent(String file, String printed) throws IOException {
        Path page = Path.of("docs", "statements", file);
        if (Boolean.getBoolean("dibs.write")) {
            Files.createDirectories(page.getParent());
            Files.writeString(page, printed);
        }

        assertThat(Files.readString(page))
                .as(page + "; -Ddibs.write=true writes it anew")
                .isEqualTo(printed);
    }
}
