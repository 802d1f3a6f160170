package dev.dibs.spring;

import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.context.ApplicationContext;

/** What has another name in each version of Spring Boot. */
final class Boot {

    /** Left out where no test needs JPA. */
    static final String JPA = "org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration";

    private Boot() {}

    /** UP or DOWN, and the details. */
    static String health(ApplicationContext application) {
        Health health = application
                .getBean("dibsHealthIndicator", HealthIndicator.class)
                .health();
        return health.getStatus().getCode() + " " + health.getDetails();
    }
}
