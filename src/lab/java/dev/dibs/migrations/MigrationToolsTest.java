package dev.dibs.migrations;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dialect;
import dev.dibs.Dibs;
import dev.dibs.Finding;
import dev.dibs.database.DatabaseUser;
import dev.dibs.database.FullRun;
import dev.dibs.database.NextVersion;
import dev.dibs.database.OnEachDatabase;
import dev.dibs.database.Sql;
import dev.dibs.database.TestDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import liquibase.Contexts;
import liquibase.Liquibase;
import liquibase.database.DatabaseFactory;
import liquibase.database.jvm.JdbcConnection;
import liquibase.resource.ClassLoaderResourceAccessor;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Flyway and Liquibase make the tables by the files in the jar, in a database that has other tables, and Dibs is content. */
@Tag("contract")
@FullRun
@OnEachDatabase(ownServer = true)
@Execution(ExecutionMode.SAME_THREAD)
class MigrationToolsTest implements DatabaseUser {

    @TempDir
    private Path folder;

    private TestDatabase database;

    @Override
    public void use(TestDatabase database) {
        this.database = database;
    }

    @Test
    void flywayMakesTheTablesAndThoseOfALaterVersion() throws Exception {
        try (HikariDataSource pool = emptied()) {
            Dialect dialect = Dialect.named(database.name());
            String files = "classpath:dev/dibs/migrations/" + dialect.name();
            assertThat(flyway(pool, files).migrate().migrationsExecuted).isEqualTo(1);
            requireContent(pool, dialect);
            assertThat(flyway(pool, files).migrate().migrationsExecuted).isZero();

            Dialect next = NextVersion.of(dialect, "dibs_", Files.createDirectory(folder.resolve("next")));
            Path later = Files.createDirectory(folder.resolve("migrations"));
            try (Dibs dibs = Dibs.builder(pool).dialect(next).build()) {
                Files.writeString(
                        later.resolve("V0.2.0__dibs.sql"),
                        dibs.admin().missingSchema().stream().collect(Collectors.joining(";\n", "", ";\n")));
            }
            assertThat(flyway(pool, files, "filesystem:" + later).migrate().migrationsExecuted)
                    .isEqualTo(1);
            requireContent(pool, next);
            requireContent(pool, dialect);
        }
    }

    @Test
    void liquibaseMakesTheTables() throws Exception {
        try (HikariDataSource pool = emptied()) {
            for (int time = 1; time <= 2; time++) {
                try (Connection connection = pool.getConnection();
                        Liquibase liquibase = new Liquibase(
                                "dev/dibs/migrations/dibs.xml",
                                new ClassLoaderResourceAccessor(),
                                DatabaseFactory.getInstance()
                                        .findCorrectDatabaseImplementation(new JdbcConnection(connection)))) {
                    assertThat(liquibase.listUnrunChangeSets(new Contexts(), null))
                            .hasSize(time == 1 ? 1 : 0);
                    liquibase.update(new Contexts());
                }
                requireContent(pool, Dialect.named(database.name()));
            }
        }
    }

    private static Flyway flyway(HikariDataSource pool, String... locations) {
        return Flyway.configure()
                .dataSource(pool)
                .locations(locations)
                .table("dibs_schema_history")
                .baselineOnMigrate(true)
                .baselineVersion("0")
                .load();
    }

    private HikariDataSource emptied() throws SQLException {
        HikariDataSource pool = database.pool(config -> {});
        List<String> tables = Pattern.compile("CREATE TABLE (?:IF NOT EXISTS )?(\\w+)")
                .matcher(Dialect.named(database.name()).ddl())
                .results()
                .map(found -> "DROP TABLE IF EXISTS " + found.group(1))
                .toList();
        Sql.on(pool).run(tables.toArray(String[]::new));
        Sql.on(pool).run("DROP TABLE IF EXISTS customer", "CREATE TABLE customer (id bigint PRIMARY KEY)");
        return pool;
    }

    private static void requireContent(HikariDataSource pool, Dialect dialect) {
        try (Dibs dibs = Dibs.builder(pool).dialect(dialect).build()) {
            dibs.admin().checkSchema();
            assertThat(dibs.admin().missingSchema()).isEmpty();
            assertThat(dibs.admin().doctor())
                    .filteredOn(finding -> finding.level() == Finding.Level.ERROR)
                    .isEmpty();
            assertThat(dibs.lock("made by a tool").tryAcquire()).isPresent();
        }
    }
}
