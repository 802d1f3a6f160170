package dev.dibs.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Dibs;
import dev.dibs.Finding;
import dev.dibs.Finding.Level;
import dev.dibs.database.DriverDataSource;
import dev.dibs.database.FullRun;
import dev.dibs.database.PostgresPair;
import dev.dibs.database.Sql;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.IntUnaryOperator;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The doctor finds a standby that may forget grants. */
@Tag("fault")
@FullRun
class StandbyDoctorTest {

    @Test
    void theDoctorFindsAnAsynchronousStandby() throws SQLException {
        PostgresPair pair = PostgresPair.asynchronous(IntUnaryOperator.identity());
        pair.assumeAvailable();
        try {
            DataSource primary = pair.dataSource();
            Sql.on(primary).run("CREATE USER plain");
            DataSource plain = new DriverDataSource(pair.url(), "plain", "");

            assertThat(standby(primary)).hasValueSatisfying(finding -> {
                assertThat(finding.level()).isEqualTo(Level.WARNING);
                assertThat(finding.message()).contains("asynchronous", "may forget grants");
                assertThat(finding.remedy()).contains("synchronous_standby_names", "docs/reference/scaling.md");
            });
            // The user sees no state, but that nothing waits for any standby.
            assertThat(level(plain)).contains(Level.WARNING);

            Sql.on(primary).run("ALTER SYSTEM SET synchronous_standby_names = 'standby'", "SELECT pg_reload_conf()");
            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> level(primary), level -> level.isPresent() && level.get() == Level.OK);
            assertThat(standby(plain)).hasValueSatisfying(finding -> {
                assertThat(finding.level()).isEqualTo(Level.NOTE);
                assertThat(finding.remedy()).contains("pg_monitor");
            });

            Sql.on(primary).run("ALTER USER plain SET synchronous_commit = 'local'");
            assertThat(level(plain)).contains(Level.WARNING);
        } finally {
            pair.kill();
        }
    }

    private static Optional<Level> level(DataSource dataSource) {
        return standby(dataSource).map(Finding::level);
    }

    private static Optional<Finding> standby(DataSource dataSource) {
        try (Dibs dibs = Dibs.on(dataSource)) {
            return dibs.admin().doctor().stream()
                    .filter(finding -> finding.subject().equals("standby"))
                    .findFirst();
        }
    }
}
