package dev.dibs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The tables as files for Flyway and Liquibase. Those of a version that is not released are written by
 * {@code mvn verify -Dtest=MigrationFilesTest -Ddibs.write=true}; those of a released one stay as they are.
 */
@Tag("unit")
class MigrationFilesTest {

    private static final Path FOLDER = Path.of("src/core/resources/dev/dibs/migrations");

    /** The dialects, by the names that Liquibase gives to their databases. Galera has the tables of MariaDB. */
    private static final Map<String, String> LIQUIBASE = Map.of(
            "h2", "h2",
            "mariadb", "mariadb",
            "mysql", "mysql",
            "postgresql", "postgresql",
            "sqlite", "sqlite",
            "sqlserver", "mssql");

    @Test
    void everyDialectHasItsFiles() {
        assertThat(Dialect.names())
                .allSatisfy(name -> assertThat(LIQUIBASE.containsKey(name) || name.equals("galera"))
                        .as(name)
                        .isTrue());
    }

    @Test
    void theFilesMakeTheTablesOfThisVersion() throws IOException {
        for (String dialect : dialects()) {
            Path file = FOLDER.resolve(dialect).resolve("V" + version() + "__dibs.sql");
            String text = "-- The tables of Dibs " + version() + ". A released file does not change.\n\n"
                    + Dialect.named(dialect).ddl().strip() + "\n";
            if (Boolean.getBoolean("dibs.write")) {
                Files.createDirectories(file.getParent());
                Files.writeString(file, text);
            }
            assertThat(file).as("-Ddibs.write=true writes it").hasContent(text);
        }
    }

    @Test
    void theChangelogForLiquibaseNamesEachFile() throws IOException {
        String changelog = Files.readString(FOLDER.resolve("dibs.xml"));
        for (String dialect : dialects()) {
            assertThat(changelog)
                    .contains("id=\"" + version() + "-" + dialect + "\" author=\"dibs\" dbms=\""
                            + LIQUIBASE.get(dialect) + "\"")
                    .contains("\"" + dialect + "/V" + version() + "__dibs.sql\"");
        }
    }

    private static List<String> dialects() {
        return LIQUIBASE.keySet().stream().sorted().toList();
    }

    private static String version() throws IOException {
        var version = Pattern.compile("<version>([0-9.]+)(-SNAPSHOT)?</version>")
                .matcher(Files.readString(Path.of("pom.xml")));
        assertThat(version.find()).isTrue();
        return version.group(1);
    }
}
