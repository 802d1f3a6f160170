package dev.dibs.spring;

import static dev.dibs.spring.Applications.freshH2;
import static dev.dibs.spring.Applications.start;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.dibs.Dialect;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.database.FullRun;
import dev.dibs.junit.Closing;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/** The bean Dibs: when there is one, over which data source, and with which settings. */
@Tag("flow")
@FullRun
class StartTest extends Closing {

    private static final String CREATE = "--dibs.tables=create";

    @EnableAutoConfiguration
    static class Plain {}

    @EnableAutoConfiguration
    static class WithItsOwnDibs {
        @Bean
        Dibs mine(DataSource dataSource) {
            return Dibs.builder(dataSource).holder("mine").build();
        }
    }

    @ImportAutoConfiguration(DibsAutoConfiguration.class)
    static class WithoutDataSource {}

    @ImportAutoConfiguration(DibsAutoConfiguration.class)
    static class LockedWithoutDataSource {
        @Bean
        Orders orders() {
            return new Orders();
        }
    }

    static class Orders {
        @Locked("order")
        public void ship() {}
    }

    @EnableAutoConfiguration
    static class WithTwoDataSources {
        @Bean
        DataSource orders() {
            return h2(UUID.randomUUID().toString());
        }

        @Bean
        DataSource archive() {
            return h2(UUID.randomUUID().toString());
        }
    }

    @EnableAutoConfiguration
    static class WithAPrimaryDataSource {
        @Bean
        DataSource archive() {
            return h2(UUID.randomUUID().toString());
        }

        @Bean
        @Primary
        DataSource orders() {
            return h2(UUID.randomUUID().toString());
        }
    }

    @EnableAutoConfiguration
    static class WithADataSourceThatBindsConnections {
        @Bean
        DataSource orders() {
            return new TransactionAwareDataSourceProxy(h2(UUID.randomUUID().toString()));
        }
    }

    @EnableAutoConfiguration
    static class WithACustomizer {
        @Bean
        DibsBuilderCustomizer holder() {
            return builder -> builder.holder("customized");
        }
    }

    private static DataSource h2(String name) {
        JdbcDataSource dataSource = new JdbcDataSource();
        dataSource.setURL("jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1");
        dataSource.setUser("sa");
        return dataSource;
    }

    private static String holderOf(ConfigurableApplicationContext application) {
        Dibs dibs = application.getBean(Dibs.class);
        try (Lease lease = dibs.lock("door").acquire(Duration.ZERO)) {
            return dibs.admin().locks().get(0).holder();
        }
    }

    @Test
    void aBeanOfTheApplicationIsLeftAlone() {
        var application = closing(start(WithItsOwnDibs.class, freshH2()));
        assertThat(application.getBeansOfType(Dibs.class)).containsOnlyKeys("mine");
    }

    @Test
    void withoutADataSourceThereIsNoDibs() {
        var application = closing(start(WithoutDataSource.class));
        assertThat(application.getBeansOfType(Dibs.class)).isEmpty();
    }

    /** Else the method would run without its lock. */
    @Test
    void withoutADataSourceALockedMethodIsRefused() {
        assertThatThrownBy(() -> start(LockedWithoutDataSource.class))
                .hasMessageContaining("Orders.ship()")
                .hasMessageContaining("spring.datasource.url");
    }

    @Test
    void twoDataSourcesAreAnErrorWithARemedy() {
        assertThatThrownBy(() -> start(WithTwoDataSources.class))
                .rootCause()
                .hasMessageContaining("orders, archive")
                .hasMessageContaining("@Primary")
                .hasMessageContaining("@Bean Dibs dibs(@Qualifier(\"orders\") DataSource dataSource)");
    }

    @Test
    void thePrimaryDataSourceIsTaken() {
        var application = closing(start(WithAPrimaryDataSource.class, CREATE));
        DataSource orders = application.getBean("orders", DataSource.class);
        assertThat(new JdbcTemplate(orders).queryForObject("SELECT count(*) FROM dibs_lock", Integer.class))
                .isPositive();
    }

    @Test
    void dibsHasItsOwnConnectionsAlsoIfTheDataSourceBindsThem() {
        var application = closing(start(WithADataSourceThatBindsConnections.class, CREATE));
        assertThat(application.getBean(DibsDataSource.class).dataSource()).isInstanceOf(JdbcDataSource.class);
    }

    @Test
    void missingTablesAreAnErrorWithARemedy() {
        String database = freshH2();
        assertThatThrownBy(() -> start(Plain.class, database))
                .hasMessageContaining("dibs_lock")
                .hasMessageContaining("dibs.tables=create");
        start(Plain.class, database, "--dibs.tables=none").close();
        start(Plain.class, database, CREATE).close();
        start(Plain.class, database).close();
    }

    @Test
    void propertiesReachTheBuilder() {
        String database = freshH2() + ";INIT=CREATE SCHEMA IF NOT EXISTS coordination";
        String[] settings = {
            database,
            CREATE,
            "--dibs.lease-length=7m",
            "--dibs.table-prefix=app_",
            "--dibs.schema=coordination",
            "--dibs.dialect=h2",
            "--dibs.holder=till 3"
        };
        var application = closing(start(Plain.class, settings));
        Dibs dibs = application.getBean(Dibs.class);
        Lease lease = closing(dibs.lock("door").acquire(Duration.ZERO));
        assertThat(lease.remaining()).isBetween(Duration.ofMinutes(6), Duration.ofMinutes(7));
        assertThat(dibs.admin().locks().get(0).holder()).isEqualTo("till 3");
        assertThat(application
                        .getBean(JdbcTemplate.class)
                        .queryForList("SELECT name FROM coordination.app_lock", String.class))
                .contains("door");
    }

    @Test
    void editorsKnowTheProperties() throws IOException {
        assertThat(Collections.list(DibsProperties.class
                        .getClassLoader()
                        .getResources("META-INF/spring-configuration-metadata.json")))
                .anySatisfy(file -> assertThat(file.openStream())
                        .asString(StandardCharsets.UTF_8)
                        .contains("\"dibs.tables\"", "\"dibs.lease-length\"", "\"dibs.schema\""));
    }

    @Test
    void aCustomizerHasTheLastWord() {
        var application = closing(start(WithACustomizer.class, freshH2(), CREATE, "--dibs.holder=till 3"));
        assertThat(holderOf(application)).isEqualTo("customized");
    }

    @Test
    void flywayMigratesBeforeTheTablesAreChecked(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("V1__dibs.sql"), Dialect.named("h2").ddl());
        start(Plain.class, freshH2(), "--spring.flyway.enabled=true", "--spring.flyway.locations=filesystem:" + folder)
                .close();
    }

    @Test
    void liquibaseMigratesBeforeTheTablesAreChecked(@TempDir Path folder) throws Exception {
        Path changes = folder.resolve("changes.sql");
        Files.writeString(
                changes,
                "--liquibase formatted sql\n--changeset dibs:1\n"
                        + Dialect.named("h2").ddl());
        start(
                        Plain.class,
                        freshH2(),
                        "--spring.liquibase.enabled=true",
                        "--spring.liquibase.change-log=file:" + changes)
                .close();
    }

    @Test
    void scriptsOfSpringRunBeforeTheTablesAreChecked(@TempDir Path folder) throws Exception {
        Path script = folder.resolve("schema.sql");
        Files.writeString(script, Dialect.named("h2").ddl());
        start(Plain.class, freshH2(), "--spring.sql.init.schema-locations=file:" + script)
                .close();
    }

    /** The lease would last for hours: only a release makes the lock free. */
    @Test
    void theShutdownReleasesLocksBeforeThePoolIsClosed() throws SQLException {
        String name = UUID.randomUUID().toString();
        var application = start(
                Plain.class,
                "--spring.datasource.url=jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1",
                CREATE,
                "--dibs.lease-length=10h");
        application.getBean(Dibs.class).lock("door").acquire(Duration.ZERO);
        application.close();
        Dibs other = closing(Dibs.on(h2(name)));
        assertThat(other.admin().locks()).isEmpty();
    }

    @Test
    void aDatabaseThatCannotBeWrittenIsAnErrorAtTheStart(@TempDir Path folder) {
        String url =
                "--spring.datasource.url=jdbc:h2:" + folder.toAbsolutePath().resolve("shop");
        start(Plain.class, url, CREATE).close();
        assertThatThrownBy(() -> start(Plain.class, url + ";ACCESS_MODE_DATA=r"))
                .rootCause()
                .hasMessageContaining("read only");
    }

    @Test
    void healthIsDownOnlyIfNoLockCanBeAcquired() {
        try (var application = start(Plain.class, freshH2(), CREATE)) {
            JdbcTemplate jdbc = application.getBean(JdbcTemplate.class);
            assertThat(Boot.health(application)).startsWith("UP").contains("dialect=h2");
            application.getBean(Dibs.class).lock("dibs health").acquire(Duration.ZERO);
            assertThat(Boot.health(application)).as("busy").startsWith("UP");
            jdbc.execute("ALTER TABLE dibs_run DROP COLUMN reason");
            assertThat(Boot.health(application)).as("runs alone do not work").startsWith("UP");
            jdbc.execute("DROP TABLE dibs_lock");
            assertThat(Boot.health(application)).startsWith("DOWN").contains("dibs_lock");
        }
        assertThatThrownBy(() -> {
                    try (var application =
                            start(Plain.class, freshH2(), CREATE, "--management.health.dibs.enabled=false")) {
                        Boot.health(application);
                    }
                })
                .hasMessageContaining("dibsHealthIndicator");
    }
}
