package dev.dibs.internal.sql.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.List;
import java.util.Properties;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("unit")
class ProductsTest {

    /** The answers of drivers to getDatabaseProductName and getDatabaseProductVersion. */
    static Stream<Arguments> realProducts() {
        return Stream.of(
                Arguments.of("h2", "H2", "2.3.232 (2024-08-11)"),
                Arguments.of("h2", "H2", "2.5.252 (2026-07-10)"),
                Arguments.of("postgresql", "PostgreSQL", "17.11"),
                Arguments.of("postgresql", "PostgreSQL", "15.18 (Debian 15.18-0+deb12u1)"),
                Arguments.of("mariadb", "MariaDB", "11.4.5-MariaDB"),
                Arguments.of("mariadb", "MariaDB", "10.11.6-MariaDB-log"),
                Arguments.of("mariadb", "MariaDB", "10.6.18-MariaDB-0ubuntu0.22.04.1"),
                Arguments.of("mariadb", "MySQL", "11.4.5-MariaDB"),
                Arguments.of("mariadb", "MySQL", "5.5.5-10.11.6-MariaDB-1:10.11.6+maria~ubu2204"),
                Arguments.of("mysql", "MySQL", "8.0.45"),
                Arguments.of("mysql", "MySQL", "8.0.36-0ubuntu0.22.04.1"),
                Arguments.of("mysql", "MySQL", "8.4.3"),
                Arguments.of("mysql", "MySQL", "8.0.mysql_aurora.3.05.2"),
                Arguments.of("sqlserver", "Microsoft SQL Server", "15.00.4430"),
                Arguments.of("sqlserver", "Microsoft SQL Server", "16.00.1135"),
                Arguments.of("sqlserver", "Microsoft SQL Server", "12.00.2531"),
                Arguments.of("sqlserver", "Microsoft SQL Server", "12.0.2000.8"),
                // A version may have several lines.
                Arguments.of("mariadb", "MySQL", "11.4.5-MariaDB\nfrom the archive"));
    }

    @ParameterizedTest
    @MethodSource("realProducts")
    void findsTheDialect(String dialect, String product, String version) {
        assertThat(Products.detect(product, version).name()).isEqualTo(dialect);
    }

    @ParameterizedTest
    @MethodSource("realProducts")
    void thePatternsExcludeEachOther(String dialect, String product, String version) throws IOException {
        List<Object> matching = patterns().entrySet().stream()
                .filter(entry -> Pattern.compile((String) entry.getValue(), Pattern.DOTALL)
                        .matcher(product + " " + version)
                        .matches())
                .map(entry -> entry.getKey())
                .toList();
        assertThat(matching).containsExactly(dialect);
    }

    @Test
    void asksTheConnectedDatabase() throws SQLException {
        DatabaseMetaData database = (DatabaseMetaData) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {DatabaseMetaData.class},
                (proxy, method, args) -> switch (method.getName()) {
                    case "getDatabaseProductName" -> "MySQL";
                    case "getDatabaseProductVersion" -> "11.4.5-MariaDB";
                    default -> throw new UnsupportedOperationException(method.getName());
                });
        assertThat(Products.detect(database).name()).isEqualTo("mariadb");
    }

    @ParameterizedTest
    @MethodSource("unknownProducts")
    void anUnknownProductIsAnErrorWithARemedy(String product, String version) {
        assertThatThrownBy(() -> Products.detect(product, version))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll(
                        "'" + product + "'", version, "postgresql", "Dialect.named", "Dialect.at", "dialect.sql");
    }

    static Stream<Arguments> unknownProducts() {
        return Stream.of(
                Arguments.of("Oracle", "Oracle Database 23ai Free Release 23.0.0.0.0"),
                Arguments.of("DB2/LINUXX8664", "SQL110590"),
                Arguments.of("Apache Derby", "10.17.1.0 - (1913217)"),
                Arguments.of("DuckDB", "v1.4.1"),
                Arguments.of("HSQL Database Engine", "2.7.4"),
                Arguments.of("EnterpriseDB", "16.4.1 PostgreSQL compatible"),
                Arguments.of("H2O", "1.0"));
    }

    @Test
    void everyFolderIsListedAndEveryListedFolderIsThere() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("dialects"))) {
            assertThat(files.filter(Files::isDirectory)
                            .map(folder -> folder.getFileName().toString()))
                    .containsExactlyInAnyOrderElementsOf(Products.dialects());
        }
        for (String dialect : Products.dialects()) {
            assertThat(DialectFolder.named(dialect).read("dialect").fragments)
                    .as(dialect)
                    .satisfiesAnyOf(
                            own -> assertThat(own).containsKey("now"),
                            own -> assertThat(own).containsKey("base"));
        }
    }

    @Test
    void aDialectThatIsNotThereIsAnErrorThatListsThem() {
        assertThatThrownBy(() -> DialectFolder.named("oracle"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("'oracle'", "h2", "mariadb", "mysql", "postgresql", "sqlserver");
        assertThatThrownBy(() -> DialectFolder.named("../sql")).isInstanceOf(IllegalArgumentException.class);
    }

    private static Properties patterns() throws IOException {
        try (InputStream in = Products.class.getResourceAsStream("dialects/products.properties")) {
            Properties properties = new Properties();
            properties.load(in);
            return properties;
        }
    }
}
