package dev.dibs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.cli.Cli.Outcome;
import dev.dibs.conformance.Conformance;
import dev.dibs.database.DatabaseUser;
import dev.dibs.database.FullRun;
import dev.dibs.database.MariaDbDatabase;
import dev.dibs.database.OnEachDatabase;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.TestDatabase;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code dibs conformance} with the client in Python: as it is, it keeps all rules; and of a client that breaks one on purpose the run says so. */
@OnEachDatabase({PostgresDatabase.class, MariaDbDatabase.class})
@Tag("process")
@Timeout(120)
class PythonClientContract implements DatabaseUser {

    private static final Path CLIENT = Path.of("clients/python/conformance.py").toAbsolutePath();

    private TestDatabase database;

    @Override
    public void use(TestDatabase given) {
        database = given;
    }

    /** The first Python that has a driver: that of the system may have it where another one in the path has not. */
    private static Optional<String> python(String driver) {
        return Stream.of("python3", "/usr/bin/python3")
                .filter(python -> succeeds(python, "-c", "import " + driver))
                .findFirst();
    }

    private static boolean succeeds(String... command) {
        try {
            return new ProcessBuilder(command)
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private Outcome run(List<String> options, String... broken) {
        String driver = database.name().equals("postgresql") ? "psycopg" : "pymysql";
        Optional<String> python = python(driver);
        Assumptions.assumeTrue(python.isPresent(), () -> "no Python has the driver " + driver);
        List<String> words = new ArrayList<>(List.of("conformance", "--url", database.url()));
        words.addAll(options);
        words.addAll(List.of("--", python.orElseThrow(), CLIENT.toString()));
        words.addAll(List.of(broken));
        Cli cli = Cli.on(database.url(), database.user(), database.password());
        return cli.run(words.toArray(String[]::new));
    }

    @Test
    @FullRun
    void keepsAllRules() {
        Outcome outcome = run(List.of());

        assertThat(outcome.err()).isEmpty();
        assertThat(outcome.out().lines())
                .hasSameSizeAs(Conformance.names())
                .allMatch(line -> line.startsWith("ok "), outcome.out());
        assertThat(outcome.exitCode()).isZero();
    }

    @Test
    @FullRun
    void thatBreaksARuleIsFound() {
        for (List<String> broken : List.of(
                List.of("token-twice", "fresh-tokens"),
                List.of("no-deadline", "loss-without-database"),
                List.of("no-renewal", "renewal"),
                List.of("guard-unheeded", "guard-after-break"))) {
            Outcome outcome = run(List.of("--only", broken.get(1)), "--broken", broken.get(0));

            assertThat(outcome.out()).startsWith("FAILED ").contains(" " + broken.get(1) + ": ");
            assertThat(outcome.exitCode()).isEqualTo(1);
        }
    }
}
