package dev.dibs.database;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dialect;
import dev.dibs.Dibs;
import dev.dibs.Finding;
import dev.dibs.Finding.Level;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Engines that let two win, or take nothing back: each is made of H2 and one lie, and is refused. */
@Tag("race")
class EngineRaceTest {

    @TempDir
    Path folder;

    private HikariDataSource pool;

    @BeforeEach
    void open() {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:h2:mem:race");
        config.setMaximumPoolSize(8);
        config.setConnectionTimeout(2_000);
        pool = new HikariDataSource(config);
        try (Dibs dibs = Dibs.on(pool)) {
            dibs.createSchema();
        }
    }

    @AfterEach
    void close() {
        pool.close();
    }

    @Test
    void anEngineThatTellsSeveralThatTheyChangedTheRowIsRefused() throws Exception {
        Finding found = onlyError(race(pool, wrong("race", "race_update", """
                UPDATE {prefix}lock SET fence = 1 WHERE name = :name AND fence < 2""")));
        assertThat(found.message()).contains("on a condition", "more than one");
        assertThat(found.remedy()).contains("Do not use H2 2.");
    }

    /** Somebody else's engine may not even parse our statements; that two won is what is to be said. */
    @Test
    void anEngineThatIsRefusedNeedNotKnowTheStatementsOfADialect() throws Exception {
        wrong("leases", "acquire_lease", "NO SUCH STATEMENT");
        Finding found = onlyError(race(pool, wrong("race", "race_update", """
                UPDATE {prefix}lock SET fence = 1 WHERE name = :name AND fence < 2""")));
        assertThat(found.message()).contains("on a condition", "more than one");
    }

    @Test
    void anEngineWhoseKeysAreNotUniqueIsRefused() throws Exception {
        Finding found = onlyError(race(pool, wrong("race", "race_insert", """
                INSERT INTO {prefix}lock (name, fence, acquired_at, held_until)
                SELECT coalesce(max(:name || random_uuid()), :name), 0, 0, 0 FROM {prefix}lock WHERE name = :name""")));
        assertThat(found.message()).contains("making one key");
    }

    @Test
    void anEngineThatIgnoresARollbackIsRefused() throws Exception {
        DataSource careless = new WatchedDataSource(pool) {
            @Override
            Object onConnection(Connection connection, Method method, Object[] arguments, Call call) throws Throwable {
                if (method.getName().equals("rollback")) {
                    connection.commit();
                    return null;
                }
                return call.proceed();
            }
        };
        assertThat(onlyError(race(careless, Dialect.named("h2"))).message()).contains("rollback did not undo");
    }

    @Test
    @FullRun
    void tooFewConnectionsAreSaidToBeTooFew() {
        try (Dibs dibs = Dibs.on(pool)) {
            assertThat(onlyError(dibs.race(20)).message()).contains("no more than 8 connections");
        }
    }

    @Test
    @FullRun
    void aPoolOfAsManyAsRaceIsEnough() {
        try (Dibs dibs = Dibs.on(pool)) {
            assertThat(dibs.race(8)).hasSize(5).noneMatch(finding -> finding.level() == Level.ERROR);
        }
    }

    @Test
    void aTransactionOfTheCallersThreadIsLeftAlone() throws Exception {
        AmbientDataSource ambient = new AmbientDataSource(pool);
        try (Dibs dibs = Dibs.on(ambient)) {
            try (AmbientDataSource.Transaction transaction = ambient.begin();
                    Statement insert = transaction.connection().createStatement()) {
                insert.execute("INSERT INTO dibs_lock (name, fence, acquired_at, held_until) VALUES ('mine', 1, 1, 1)");
                assertThat(dibs.race(4)).hasSize(5).noneMatch(finding -> finding.level() == Level.ERROR);
            }
            assertThat(dibs.lock("mine").tryAcquire().orElseThrow().takeover())
                    .as("nobody has committed it")
                    .isEmpty();
        }
    }

    private Dialect wrong(String file, String statement, String sql) throws Exception {
        Path dialect = Files.createDirectories(folder.resolve("liar"));
        Files.writeString(dialect.resolve("dialect.sql"), "-- fragment: base\nh2\n");
        Files.writeString(
                dialect.resolve(file + ".sql"), "-- Wrong.\n\n-- name: " + statement + "\n-- Wrong.\n" + sql + ";\n");
        return Dialect.at(dialect);
    }

    private static List<Finding> race(DataSource dataSource, Dialect dialect) {
        try (Dibs dibs = Dibs.builder(dataSource).dialect(dialect).build()) {
            return dibs.race(4);
        }
    }

    private static Finding onlyError(List<Finding> findings) {
        return findings.stream()
                .filter(finding -> finding.level() == Level.ERROR)
                .reduce((a, b) -> {
                    throw new AssertionError(a + " and " + b);
                })
                .orElseThrow();
    }
}
