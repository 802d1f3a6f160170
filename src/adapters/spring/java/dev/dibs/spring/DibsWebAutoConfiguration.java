package dev.dibs.spring;

import java.util.Objects;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** The answer to a request that finds its lock busy, with {@code dibs.busy-status} in an application on Spring MVC. */
@AutoConfiguration
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(name = "org.springframework.web.servlet.DispatcherServlet")
@ConditionalOnProperty("dibs.busy-status")
@EnableConfigurationProperties(DibsProperties.class)
final class DibsWebAutoConfiguration {

    @Bean
    static BusyAdvice dibsBusyAdvice(DibsProperties properties) {
        return new BusyAdvice(Objects.requireNonNull(properties.busyStatus()));
    }
}
