package dev.dibs.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.dibs.Dialect;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.database.DriverDataSource;
import dev.dibs.database.FullRun;
import dev.dibs.database.Sql;
import dev.dibs.junit.Closing;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.Startup;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.enterprise.inject.literal.NamedLiteral;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.jboss.weld.environment.se.WeldContainer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The bean Dibs: when there is one, over which data source, and with which settings. */
@Tag("flow")
@FullRun
class StartTest extends Closing {

    private static final Map<String, String> CREATE = Map.of("dibs.tables", "create");

    static class WithItsOwnDibs {

        @Produces
        @Singleton
        Dibs mine(DataSource dataSource) {
            return Dibs.builder(dataSource).holder("mine").build();
        }

        void close(@Disposes Dibs dibs) {
            dibs.close();
        }
    }

    static class WithADibsForEachInjection {

        @Produces
        Dibs mine(DataSource dataSource) {
            return Dibs.on(dataSource);
        }
    }

    static class TwoDataSources {

        @Produces
        @Named("orders")
        @Singleton
        DataSource orders() {
            return h2();
        }

        @Produces
        @Named("archive")
        @Singleton
        DataSource archive() {
            return h2();
        }
    }

    static class Mark {

        @Produces
        @DibsDataSource
        DataSource ofDibs(@Named("orders") DataSource orders) {
            return orders;
        }
    }

    @ApplicationScoped
    static class Migration {

        void migrate(@Observes Startup event, DataSource dataSource) throws SQLException {
            Sql.on(dataSource).run(Dialect.named("h2").ddl());
        }
    }

    private static DriverDataSource h2() {
        return new DriverDataSource(Applications.freshH2(), "sa", "");
    }

    private static String holderOf(WeldContainer application) {
        Dibs dibs = application.select(Dibs.class).get();
        try (Lease lease = dibs.lock("door").acquire(Duration.ZERO)) {
            return dibs.admin().locks().get(0).holder();
        }
    }

    @Test
    void theBeanIsMadeAtTheStart() throws SQLException {
        WeldContainer application = closing(Applications.start(Map.of()));
        assertThat(Sql.on(Pool.of(application)).finds("SELECT 1 FROM dibs_lock"))
                .isTrue();
    }

    @Test
    void aBeanOfTheApplicationIsLeftAlone() {
        WeldContainer application =
                closing(Applications.start(Map.of("dibs.holder", "till 3"), WithItsOwnDibs.class, Accounts.class));
        application.select(Dibs.class).get().admin().createSchema();
        assertThat(holderOf(application)).isEqualTo("mine");
    }

    @Test
    void aBeanWithoutAScopeIsAnErrorWithARemedy() {
        assertThatThrownBy(() -> Applications.start(Map.of(), WithADibsForEachInjection.class)
                        .close())
                .hasMessageContaining("Add @Singleton");
    }

    @Test
    void withoutADataSourceTheApplicationDoesNotStart() {
        assertThatThrownBy(() ->
                        Applications.startWith(CREATE, Applications.weld()).close())
                .hasMessageContaining("needs a bean DataSource, and there is none")
                .hasMessageContaining("@Produces @DibsDataSource DataSource dataSource");
    }

    @Test
    void twoDataSourcesAreAnErrorWithARemedy() {
        assertThatThrownBy(() -> Applications.startWith(CREATE, Applications.weld(TwoDataSources.class))
                        .close())
                .hasMessageContaining("several beans DataSource")
                .hasMessageContaining("@Produces @DibsDataSource DataSource dataSource");
    }

    @Test
    void theMarkedDataSourceIsTaken() throws SQLException {
        WeldContainer application =
                closing(Applications.startWith(CREATE, Applications.weld(TwoDataSources.class, Mark.class)));
        DataSource orders =
                application.select(DataSource.class, NamedLiteral.of("orders")).get();
        assertThat(Sql.on(orders).finds("SELECT 1 FROM dibs_lock")).isTrue();
    }

    @Test
    void missingTablesAreAnErrorWithARemedy() {
        String database = Applications.freshH2();
        assertThatThrownBy(() -> start(database, "check"))
                .hasMessageContaining("dibs_lock")
                .hasMessageContaining("dibs.tables=create");
        start(database, "none");
        start(database, "create");
        start(database, "check");
    }

    private static void start(String database, String tables) {
        Applications.start(Map.of("db.url", database, "dibs.tables", tables)).close();
    }

    @Test
    void anObserverOfTheStartMayMigrateBeforeTheTablesAreChecked() {
        Applications.start(Map.of("dibs.tables", "check"), Migration.class).close();
    }

    @Test
    void propertiesReachTheBuilder() throws SQLException {
        Map<String, String> settings = Map.of(
                "db.url",
                Applications.freshH2() + ";INIT=CREATE SCHEMA IF NOT EXISTS coordination",
                "dibs.lease-length",
                "7m",
                "dibs.table-prefix",
                "app_",
                "dibs.schema",
                "coordination",
                "dibs.dialect",
                "h2",
                "dibs.holder",
                "till 3");
        WeldContainer application = closing(Applications.start(settings));
        Dibs dibs = application.select(Dibs.class).get();
        Lease lease = closing(dibs.lock("door").acquire(Duration.ZERO));
        assertThat(lease.remaining()).isBetween(Duration.ofMinutes(6), Duration.ofMinutes(7));
        assertThat(dibs.admin().locks().get(0).holder()).isEqualTo("till 3");
        assertThat(Sql.on(Pool.of(application)).texts("SELECT name FROM coordination.app_lock"))
                .contains("door");
    }

    @Test
    void aPropertyThatCannotBeReadIsNamed() {
        assertThatThrownBy(() -> start(Applications.freshH2(), "drop"))
                .rootCause()
                .hasMessageContaining("'drop' is none of create, check, none");
        assertThatThrownBy(() ->
                        Applications.start(Map.of("dibs.lease-length", "7")).close())
                .hasStackTraceContaining("dibs.lease-length: '7' is no duration");
    }

    /** The lease would last for hours: only a release makes the lock free. */
    @Test
    void theShutdownReleasesLocksBeforeThePoolIsClosed() {
        String url = Applications.freshH2();
        WeldContainer application = Applications.start(Map.of("db.url", url, "dibs.lease-length", "10h"));
        application.select(Dibs.class).get().lock("door").acquire(Duration.ZERO);
        application.close();
        Dibs other = closing(Dibs.on(new DriverDataSource(url, "sa", "")));
        assertThat(other.admin().locks()).isEmpty();
    }

    @Test
    void aDatabaseThatCannotBeWrittenIsAnErrorAtTheStart(@TempDir Path folder) {
        String url = "jdbc:h2:" + folder.toAbsolutePath().resolve("shop" + UUID.randomUUID());
        start(url, "create");
        assertThatThrownBy(() -> start(url + ";ACCESS_MODE_DATA=r", "check")).hasStackTraceContaining("read only");
    }
}
