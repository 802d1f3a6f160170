package dev.dibs.spring;

import static dev.dibs.spring.Applications.start;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.dibs.Dialect;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.database.FullRun;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.PostgresPair;
import dev.dibs.database.UsesDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;

/** Applications with PostgreSQL. */
@Tag("flow")
@FullRun
@UsesDatabase(PostgresDatabase.class)
class OnPostgresTest {

    @EnableAutoConfiguration
    static class Application {}

    private static final String USER = "--spring.datasource.username=postgres";

    @Test
    void anApplicationStarts(PostgresDatabase database) {
        try (var application = start(Application.class, url(database.url()), USER, "--dibs.tables=create");
                Lease lease = application
                        .getBean(Dibs.class)
                        .lock("spring", "start")
                        .tryAcquire()
                        .orElseThrow()) {
            assertThat(lease.isValid()).isTrue();
            assertThat(Boot.health(application)).startsWith("UP").contains("dialect=postgresql");
        }
    }

    @Test
    void flywayMigratesBeforeTheTablesAreChecked(PostgresDatabase database, @TempDir Path folder) throws Exception {
        Files.writeString(
                folder.resolve("V1__dibs.sql"),
                "CREATE SCHEMA migrated;\n" + Dialect.named("postgresql").ddl("migrated.dibs_"));
        List<String> settings = List.of(
                url(database.url()),
                USER,
                "--dibs.schema=migrated",
                "--spring.flyway.enabled=true",
                "--spring.flyway.default-schema=flyway",
                "--spring.flyway.locations=filesystem:" + folder);
        start(Application.class, settings.toArray(String[]::new)).close();
    }

    @Test
    void aStandbyAsTheDataSourceIsAnErrorAtTheStart() {
        PostgresPair pair = PostgresPair.asynchronous(IntUnaryOperator.identity());
        start(Application.class, url(pair.url()), USER, "--dibs.tables=create").close();
        pair.awaitStandby();
        int standby = pair.ports().stream()
                .filter(port -> port != pair.port())
                .findFirst()
                .orElseThrow();
        for (String tables : List.of("check", "create")) {
            assertThatThrownBy(
                            () -> start(Application.class, url(pair.urlAt(standby)), USER, "--dibs.tables=" + tables))
                    .cause()
                    .hasMessageContaining("this server is a standby")
                    .hasMessageContaining("primary's address");
        }
    }

    private static String url(String url) {
        return "--spring.datasource.url=" + url;
    }
}
