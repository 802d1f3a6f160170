package dev.dibs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Dialect;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The pages below docs/statements are what {@code dibs statements} prints. {@code mvn verify -Dtest=StatementPagesTest -Ddibs.write=true} writes
 * them anew.
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
        Path page = Path.of("docs", "statements", dialect + ".md");
        String printed = "# The statements for " + dialect + "\n\nAs they are sent; `dibs statements " + dialect
                + "` printed them.\n\n```sql\n"
                + cli.run("statements", dialect, "--tables").out() + "```\n";
        if (Boolean.getBoolean("dibs.write")) {
            Files.createDirectories(page.getParent());
            Files.writeString(page, printed);
        }

        assertThat(Files.readString(page))
                .as(page + "; -Ddibs.write=true writes it anew")
                .isEqualTo(printed);
    }
}
