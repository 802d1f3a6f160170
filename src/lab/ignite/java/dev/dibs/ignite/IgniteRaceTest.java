package dev.dibs.ignite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.cli.Main;
import dev.dibs.process.ChildJvm;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Apache Ignite with its Calcite engine reports to several connections that they have changed a row that only one could change. The check
 * finds that out for a new user: with its own statements, not those of a dialect, which the engine does not even know.
 */
class IgniteRaceTest {
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    @TempDir
    static Path folder;

    private static IgniteNode node;
    private static HikariDataSource pool;
    private static Path dialect;

    @BeforeAll
    static void start() throws Exception {
        node = new IgniteNode(Files.createDirectories(folder.resolve("node")));
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(node.url());
        config.setMaximumPoolSize(1);
        pool = new HikariDataSource(config);
        dialect = Files.createDirectories(folder.resolve("ignite"));
        // The beginning of a dialect for it.
        Files.writeString(dialect.resolve("dialect.sql"), """
                -- fragment: now
                cast(extract(EPOCH FROM current_timestamp) AS bigint) * 1000
                """);
    }

    @AfterAll
    static void stop() {
        pool.close();
        node.close();
    }

    @Test
    void aProductWithoutADialectIsSaidToHaveNone() {
        assertThatThrownBy(() -> Dibs.on(pool))
                .isInstanceOf(DatabaseFailureException.class)
                .hasMessageContaining("no dialect for the database 'Apache Ignite'")
                .hasMessageContaining("Dialect.at(path)");
    }

    @Test
    void theCommandRefusesAnEngineThatLetsTwoWin() throws Exception {
        List<String> options = ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.startsWith("--add-opens"))
                .toList();
        String[] check = {"conformance", "--only", "engine", "--dialect", dialect.toString()};
        try (ChildJvm command = ChildJvm.start(options, Map.of("DIBS_URL", node.url()), Main.class, check)) {
            assertThat(command.exitCode(PATIENCE)).isEqualTo(1);
            command.awaitLine(
                    line -> line.matches(
                            "FAILED +engine: change one row .* with more than one. Do not use Apache Ignite.*"),
                    PATIENCE);
        }
    }
}
