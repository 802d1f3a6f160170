package dev.dibs.spring;

import dev.dibs.Dibs;
import dev.dibs.micrometer.DibsMetrics;
import dev.dibs.micrometer.LockMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/**
 * The meters of the bean {@code Dibs}, if the application has a registry for meters. Off by {@code management.metrics.enable.dibs=false}.
 */
@AutoConfiguration(
        after = DibsAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnSingleCandidate(MeterRegistry.class)
@EnableConfigurationProperties(DibsProperties.class)
final class DibsMetricsAutoConfiguration {

    /** Also for a bean {@code Dibs} of the application's own, which passes it to its builder. */
    @Bean
    @ConditionalOnMissingBean
    LockMetrics dibsLockMetrics(
            MeterRegistry meters, ObjectProvider<ObservationRegistry> observations, DibsProperties properties) {
        List<String> locks = properties.metrics().locks();
        ObservationRegistry traced = observations.getIfUnique();
        return traced == null || traced.isNoop()
                ? new LockMetrics(meters, locks.toArray(String[]::new))
                : new LockMetrics(meters, traced, locks);
    }

    @Bean
    DibsBuilderCustomizer dibsLockMetricsListener(LockMetrics metrics) {
        return builder -> builder.listener(metrics);
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnSingleCandidate(Dibs.class)
    DibsMetrics dibsMetrics(Dibs dibs) {
        return new DibsMetrics(dibs);
    }
}
