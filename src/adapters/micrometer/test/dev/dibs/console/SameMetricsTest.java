package dev.dibs.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Dibs;
import dev.dibs.micrometer.DibsMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.List;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The console and the binder show the same counters by the same names. */
@Tag("unit")
class SameMetricsTest {

    @Test
    void consoleAndBinderHaveTheSameNames() {
        JdbcDataSource source = new JdbcDataSource();
        source.setURL("jdbc:h2:mem:same-metrics;DB_CLOSE_DELAY=-1");
        try (Dibs dibs = Dibs.on(source)) {
            dibs.admin().createSchema();
            dibs.lock("door").acquire(Duration.ZERO).close();
            PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
            new DibsMetrics(dibs).bindTo(registry);
            assertThat(instance(
                            Metrics.scrape(new Snapshot(dibs, System::nanoTime)).body()))
                    .hasSize(3 * 8)
                    .containsExactlyInAnyOrderElementsOf(instance(registry.scrape()));
        }
    }

    private static List<String> instance(String text) {
        return text.lines().filter(line -> line.contains("dibs_leases_")).toList();
    }
}
