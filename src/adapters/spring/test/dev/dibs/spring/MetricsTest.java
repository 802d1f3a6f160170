package dev.dibs.spring;

import static dev.dibs.spring.Applications.freshH2;
import static dev.dibs.spring.Applications.start;
import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Dibs;
import dev.dibs.database.FullRun;
import dev.dibs.junit.Closing;
import dev.dibs.micrometer.DibsMetrics;
import dev.dibs.process.ChildJvm;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** The meters of an application. */
@Tag("flow")
@FullRun
class MetricsTest extends Closing {

    @EnableAutoConfiguration
    static class Plain {}

    @EnableAutoConfiguration
    static class Traced {

        final List<String> traced = new CopyOnWriteArrayList<>();

        @Bean
        ObservationHandler<Observation.Context> tracer() {
            return new ObservationHandler<>() {
                @Override
                public void onStop(Observation.Context context) {
                    traced.add(context.getName());
                }

                @Override
                public boolean supportsContext(Observation.Context context) {
                    return true;
                }
            };
        }
    }

    @ImportAutoConfiguration({DibsAutoConfiguration.class, DibsMetricsAutoConfiguration.class})
    static class WithoutMeters {}

    private static double acquires(ApplicationContext application, String lock) {
        return application
                .getBean(MeterRegistry.class)
                .get("dibs.acquire")
                .tags("lock", lock, "outcome", "acquired")
                .timer()
                .count();
    }

    @Test
    void theMetersOfTheBeanAreRegistered() {
        ConfigurableApplicationContext application =
                closing(start(Plain.class, freshH2(), "--dibs.tables=create", "--dibs.metrics.locks=invoices,order"));
        Dibs dibs = application.getBean(Dibs.class);
        assertThat(acquires(application, "order")).isZero();
        dibs.lock("order", 42).acquire(Duration.ZERO).close();
        dibs.lock("stock", 42).acquire(Duration.ZERO).close();
        assertThat(acquires(application, "order")).isEqualTo(1);
        assertThat(acquires(application, "other")).as("and that of the start").isEqualTo(2);
        assertThat(application
                        .getBean(MeterRegistry.class)
                        .get("dibs.leases.acquired")
                        .functionCounter()
                        .count())
                .isEqualTo(3);
    }

    @Test
    void acquiresAreTracedByTheApplicationsRegistry() {
        ConfigurableApplicationContext application = closing(start(Traced.class, freshH2(), "--dibs.tables=create"));
        assertThat(application.getBean(ObservationRegistry.class).isNoop()).isFalse();
        Dibs dibs = application.getBean(Dibs.class);
        List<String> traced = application.getBean(Traced.class).traced;
        traced.clear();
        dibs.lock("order", 42).acquire(Duration.ZERO).close();
        assertThat(traced).containsExactly("dibs.acquire");
    }

    @Test
    void anApplicationWithoutMicrometerAndSpringMvcStarts() throws InterruptedException {
        String classPath = Applications.classPathWithout("micrometer-core", "spring-web");
        String[] settings = {
            "--spring.autoconfigure.exclude=" + Boot.JPA,
            "--spring.flyway.enabled=false",
            "--spring.liquibase.enabled=false",
            freshH2(),
            "--dibs.tables=create",
            "--dibs.busy-status=503"
        };
        ChildJvm jvm = closing(ChildJvm.startOn(classPath, AotApplication.class, settings));
        assertThat(jvm.exitCode(Duration.ofMinutes(5)))
                .as(String.join("\n", jvm.lines()))
                .isZero();
        assertThat(jvm.lines()).anyMatch(line -> line.startsWith("LOCKED counter:42"));
    }

    @Test
    void withoutARegistryThereAreNoMeters() {
        ConfigurableApplicationContext application = closing(start(WithoutMeters.class));
        assertThat(application.getBeansOfType(DibsMetrics.class)).isEmpty();
    }
}
