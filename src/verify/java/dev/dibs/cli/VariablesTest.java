package dev.dibs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The variables besides those of the database's address. */
@Tag("unit")
class VariablesTest {

    private final Map<String, String> environment = new HashMap<>();

    @BeforeEach
    void newDatabase() {
        environment.put("DIBS_URL", "jdbc:h2:mem:variables" + System.nanoTime() + ";DB_CLOSE_DELAY=60;WRITE_DELAY=0");
        environment.put("DIBS_USER", "sa");
    }

    private Cli.Outcome run(String... arguments) {
        return new Cli(environment).run(arguments);
    }

    @Test
    void schemaAndPrefixAreThoseOfTheVariables() {
        environment.putAll(Map.of("DIBS_SCHEMA", "PUBLIC", "DIBS_PREFIX", "x_", "DIBS_DIALECT", ""));
        assertThat(run("init").exitCode()).isZero();
        assertThat(run("locks").exitCode()).isZero();
        assertThat(run("locks", "--prefix", "y_").err()).contains("y_lock");
        assertThat(run("schema", "h2").out()).contains("CREATE TABLE IF NOT EXISTS PUBLIC.x_lock (");
        environment.put("DIBS_PREFIX", "");
        assertThat(run("locks").err()).contains("dibs_lock");
    }

    @Test
    void theDialectIsThatOfTheVariable() {
        environment.put("DIBS_DIALECT", "nonsense");
        assertThat(run("locks").exitCode()).isEqualTo(2);
        assertThat(run("locks").err()).contains("nonsense");
        assertThat(run("init", "--dialect", "h2").exitCode()).isZero();
    }

    @Test
    void thePasswordIsTheContentOfAFile(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("password"), " ge heim \n");
        environment.put("DIBS_PASSWORD", " ge heim ");
        assertThat(run("init").exitCode()).isZero();
        environment.put("DIBS_PASSWORD", "");
        assertThat(run("locks").err()).contains("Wrong user name or password");
        environment.put("DIBS_PASSWORD_FILE", file.toString());
        assertThat(run("locks").exitCode()).isZero();
        assertThat(run("locks", "--password", "other").err()).contains("Wrong user name or password");
        environment.put("DIBS_PASSWORD_FILE", folder.resolve("none").toString());
        assertThat(run("locks").exitCode()).isEqualTo(2);
        assertThat(run("locks").err()).contains("which DIBS_PASSWORD_FILE names, cannot be read");
    }
}
