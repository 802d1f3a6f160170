package dev.dibs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Engines that report the name of a known database, by what public sources say that their drivers and servers answer. */
@Tag("unit")
class RefusedProductTest {

    private static final String PG = "PostgreSQL";
    private static final String MYSQL = "MySQL";
    private static final String GCC = " on x86_64-pc-linux-gnu, compiled by gcc (GCC) 8.5.0, 64-bit";

    /** The engine in the message; product and version as JDBC reports them; what the engine says of itself. */
    static Stream<Arguments> otherEngines() {
        return Stream.of(
                of(
                        "CockroachDB: ",
                        PG,
                        "13.0.0",
                        "CockroachDB CCL v25.2.22 (x86_64-pc-linux-gnu, built 2025/02/03 17:28:15, go1.23.7)"),
                of("YugabyteDB: ", PG, "11.2-YB-2.20.1.0-b0", "PostgreSQL 11.2-YB-2.20.1.0-b0" + GCC),
                of("YugabyteDB: ", PG, "15.12-YB-2025.1.0.0-b0", "PostgreSQL 15.12-YB-2025.1.0.0-b0" + GCC),
                of("Aurora DSQL: ", PG, "16.15", "PostgreSQL 16.15" + GCC + " (Aurora DSQL)"),
                of(
                        "Amazon Redshift: ",
                        PG,
                        "8.0.2",
                        "PostgreSQL 8.0.2 on i686-pc-linux-gnu, compiled by GCC gcc (GCC) 3.4.2 20041017"
                                + " (Red Hat 3.4.2-6.fc3), Redshift 1.0.121035"),
                of("Greenplum ", PG, "9.4.26", "PostgreSQL 9.4.26 (Greenplum Database 6.25.3 build dev)" + GCC),
                of("Greenplum ", PG, "12.12", "PostgreSQL 12.12 (Greenplum Database 7.0.0 build commit:abc)" + GCC),
                of("Greenplum ", PG, "14.4", "PostgreSQL 14.4 (Cloudberry Database 1.6.0 build 79708)" + GCC),
                of("Greenplum ", PG, "14.4", "PostgreSQL 14.4 (Apache Cloudberry 2.1.0-incubating)" + GCC),
                of(
                        "openGauss ",
                        PG,
                        "9.2.4",
                        "PostgreSQL 9.2.4 (openGauss 2.0.0 build 78689da9) compiled at 2021-03-31"),
                of("openGauss ", PG, "9.2.4", "(openGauss 7.0.0-RC1 build 10d38387) compiled at 2025-03-21 18:53:13"),
                of("openGauss ", PG, "9.2.4", "gaussdb (GaussDB Kernel 505.2.1.SPC0600 build 2aa20d4e) compiled"),
                of("Materialize: ", PG, "9.5.0", "PostgreSQL 9.5 on x86_64-unknown-linux-gnu (Materialize v26.37.0)"),
                of("RisingWave: ", PG, "13.14.0", "PostgreSQL 13.14.0-RisingWave-3.0.3 (0d15632a)"),
                of("QuestDB: ", PG, "12.3", "PostgreSQL 12.3, compiled by Visual C++ build 1914, 64-bit, QuestDB"),
                of("CrateDB: ", PG, "14.0", "CrateDB 5.10.3 (built e185886/NA, Linux 6.12.13-200.fc41.aarch64)"),
                of("An adapter ", PG, "14.1", "PostgreSQL 14.1"),
                of("Another engine ", PG, "15.0", "DuckDB v1.1.0"),
                of("DuckDB ", PG, "15.0", "PostgreSQL 15.0 on x86_64-pc-linux-gnu (Duckgres/DuckDB)"),
                of("PostgreSQL before 12: ", PG, "11.22", "PostgreSQL 11.22 (Debian 11.22-1.pgdg120+1)" + GCC),
                of("PostgreSQL before 12: ", PG, "9.6.24", "PostgreSQL 9.6.24" + GCC),
                of("TiDB: ", MYSQL, "8.0.11-TiDB-v8.5.3", "8.0.11-TiDB-v8.5.3 TiDB Server (Apache License 2.0)"),
                of("TiDB: ", MYSQL, "5.7.25-TiDB-v6.1.0", "5.7.25-TiDB-v6.1.0 TiDB Server (Apache License 2.0)"),
                of("TiDB: ", MYSQL, "8.0.36", "8.0.36 TiDB Server (Apache License 2.0) Community Edition"),
                of("Vitess ", MYSQL, "8.0.34-PlanetScale", "8.0.34-PlanetScale Version: 19.0.0"),
                of("Vitess ", MYSQL, "8.0.23-vitess", "8.0.23-vitess Version: 12.0.0"),
                of("Vitess ", MYSQL, "8.0.43-Vitess", "8.0.43-Vitess Version: 24.0.2"),
                of(
                        "SingleStore: ",
                        MYSQL,
                        "5.7.32",
                        "5.7.32 SingleStoreDB source distribution (compatible; MySQL Enterprise & MySQL Commercial)"),
                of("Doris ", MYSQL, "5.7.99", "5.7.99 Doris version doris-2.0.3-rc06-37d31a5"),
                of("Doris ", MYSQL, "5.7.99", "5.7.99 doris version doris-4.0.2-rc02-30d2df0459"),
                of("Doris ", MYSQL, "5.1.0", "5.1.0 StarRocks version 3.3.22-753696f"),
                of("OceanBase: ", MYSQL, "5.7.25-OceanBase_CE-v4.4.2.1", "5.7.25-OceanBase_CE-v4.4.2.1 OceanBase_CE"),
                of("OceanBase: ", MYSQL, "5.6.25", "5.7.25 OceanBase 3.1.3 (r10000)"),
                of("PolarDB-X: ", MYSQL, "5.7.25-TDDL-5.4.19-20251031", "5.7.25-TDDL-5.4.19-20251031 (compatible)"),
                of("ClickHouse: ", MYSQL, "24.8.4.13-ClickHouse", "24.8.4.13"),
                of("Dolt: ", MYSQL, "8.0.33", "8.0.33 Dolt"),
                of(
                        "MySQL NDB Cluster: ",
                        MYSQL,
                        "8.0.41-cluster",
                        "8.0.41-cluster MySQL Cluster Community Server - GPL"),
                of("MySQL before 8.0.19: ", MYSQL, "5.7.44", "5.7.44 MySQL Community Server (GPL)"),
                of("MySQL before 8.0.19: ", MYSQL, "8.0.18", "8.0.18 MySQL Community Server - GPL"),
                of("MariaDB before 10.6: ", "MariaDB", "10.5.8-MariaDB", "10.5.8-MariaDB mariadb.org binary"),
                of("MariaDB before 10.6: ", MYSQL, "5.5.5-10.3.39-MariaDB", "10.3.39-MariaDB mariadb.org binary"),
                of("MariaDB before 10.6: ", MYSQL, "5.5.5-10.3.39-MariaDB", "5.5.5-10.3.39-MariaDB-log Managed"),
                of("MariaDB before 10.6: ", "MariaDB", "5.5.68-MariaDB", "5.5.68-MariaDB MariaDB Server"));
    }

    private static Arguments of(String begins, String product, String version, String said) {
        return Arguments.of(begins, product, version, said);
    }

    @ParameterizedTest
    @MethodSource("otherEngines")
    void refusesAnotherEngineByName(String begins, String product, String version, String said) {
        StubServer server = StubServer.answering(product, version, said);
        assertRefused(server, begins, said);
        assertThat(server.asked()).as("one round trip").hasSize(1);
    }

    @ParameterizedTest
    @MethodSource("otherEngines")
    void refusesAnotherEngineWithoutSettings(String begins, String product, String version, String said) {
        SQLException refusal = new SQLException("unrecognized configuration parameter \"fsync\"", "42704");
        assertRefused(StubServer.refusing(product, version, said, refusal), begins, said);
    }

    private static void assertRefused(StubServer server, String begins, String said) {
        assertThatThrownBy(() -> Dibs.on(server.dataSource()))
                .isInstanceOf(DatabaseFailureException.class)
                .hasMessageStartingWith(begins)
                .hasMessageContaining(". Keep the tables of Dibs in a database that has a dialect")
                .hasMessageContaining("Dialect.named(")
                .hasMessageEndingWith("The database says that it is '" + said + "'");
    }

    /** Relatives that keep all promises, or nobody has shown otherwise. */
    static Stream<Arguments> relatives() {
        return Stream.of(
                Arguments.of(PG, "17.11", "PostgreSQL 17.11" + GCC),
                Arguments.of(PG, "12.22", "PostgreSQL 12.22 (Debian 12.22-1.pgdg120+1)" + GCC),
                Arguments.of(PG, "18.1", "PostgreSQL 18.1, compiled by Visual C++ build 1944, 64-bit"),
                Arguments.of(PG, "17.9", "PostgreSQL 17.9 on x86_64-pc-linux-gnu"),
                Arguments.of(PG, "16.4.1", "PostgreSQL 16.4 (EnterpriseDB Advanced Server 16.4.1)" + GCC),
                Arguments.of(PG, "17.5", "PostgreSQL 17.5 (PlanetScale)" + GCC),
                Arguments.of(
                        MYSQL,
                        "8.0.36",
                        "8.0.36 (Ubuntu) for the move from tidb and Vitess, with ClickHouse beside it"),
                Arguments.of(MYSQL, "5.5.5-10.11.6-MariaDB", "5.5.5-10.11.6-MariaDB-log Managed"),
                Arguments.of("MariaDB", "10.11.6-MariaDB", "5.5.5-10.11.6-MariaDB source distribution"),
                Arguments.of(MYSQL, "8.0.45", "8.0.45 MySQL Community Server - GPL"),
                Arguments.of(MYSQL, "8.0.36-0ubuntu0.22.04.1", "8.0.36-0ubuntu0.22.04.1 (Ubuntu)"),
                Arguments.of(MYSQL, "9.4.0", "9.4.0 MySQL Community Server - GPL"),
                Arguments.of(MYSQL, "8.0.28", "8.0.28 Source distribution"),
                Arguments.of(MYSQL, "8.0.35-27", "8.0.35-27 Percona Server (GPL), Release 27, Revision 2f8a1ea0"),
                // ProxySQL greets with a version of its own.
                Arguments.of(MYSQL, "8.0.11", "8.0.45 MySQL Community Server - GPL"),
                Arguments.of(
                        "MariaDB", "12.3.2-MariaDB-ubu2404", "12.3.2-MariaDB-ubu2404 mariadb.org binary distribution"),
                Arguments.of(MYSQL, "5.5.5-10.6.12-MariaDB", "10.6.12-MariaDB-1:10.6.12+maria~ubu2004 mariadb.org"));
    }

    @ParameterizedTest
    @MethodSource("relatives")
    void startsOnARelative(String product, String version, String said) {
        assertThatCode(() -> Dibs.on(
                                StubServer.answering(product, version, said).dataSource())
                        .close())
                .doesNotThrowAnyException();
    }

    /** An engine that nobody has listed, and that pretends well. */
    @Test
    void refusesAnEngineThatDoesNotKnowTheSettingsOfItsProduct() {
        SQLException refusal = new SQLException("function pg_is_in_recovery() does not exist", "42883");
        StubServer server = StubServer.refusing(PG, "15.0", "PostgreSQL 15.0" + GCC, refusal);
        assertThatThrownBy(() -> Dibs.on(server.dataSource()))
                .isInstanceOf(DatabaseFailureException.class)
                .hasMessageContainingAll(
                        "Another engine that reports 'PostgreSQL 15.0'", "pg_is_in_recovery() does not exist");
    }

    @Test
    void startsWithoutTheRightToSeeTheSettings() {
        SQLException refusal = new SQLException("permission denied for function pg_is_in_recovery", "42501");
        StubServer server = StubServer.refusing(PG, "17.11", "PostgreSQL 17.11" + GCC, refusal);
        assertThatCode(() -> Dibs.on(server.dataSource()).close()).doesNotThrowAnyException();
    }

    @Test
    void refusesAnUnidentifiedEngine() {
        StubServer server = StubServer.refusing(MYSQL, "8.0.90", null, new SQLException("what?", "HY000", 7));
        assertThatThrownBy(() -> Dibs.on(server.dataSource()))
                .isInstanceOf(DatabaseFailureException.class)
                .hasMessageContaining("did not say which product it is: what?");
    }

    @Test
    void anExplicitDialectGivesAWarning() {
        StubServer server = StubServer.answering(MYSQL, "8.0.11-TiDB-v8.5.3", "8.0.11-TiDB-v8.5.3 TiDB Server");
        try (Dibs dibs = Dibs.builder(server.dataSource())
                .dialect(Dialect.named("mysql"))
                .build()) {
            assertThat(dibs.dialect().name()).isEqualTo("mysql");
        }
    }
}
