package dev.dibs.spring.boot4;

import dev.dibs.Dibs;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** A health indicator, if the application has the actuator. Off by {@code management.health.dibs.enabled=false}. */
@AutoConfiguration(afterName = "dev.dibs.spring.DibsAutoConfiguration")
@ConditionalOnClass(HealthIndicator.class)
@ConditionalOnSingleCandidate(Dibs.class)
@ConditionalOnEnabledHealthIndicator("dibs")
final class DibsHealthAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = "dibsHealthIndicator")
    DibsHealthIndicator dibsHealthIndicator(Dibs dibs) {
        return new DibsHealthIndicator(dibs);
    }
}
