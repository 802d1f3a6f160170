package dev.dibs.spring;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.ApplicationContext;

/** What has another name in each version of Spring Boot. */
final class Boot {

    /** Left out where no test needs JPA. */
    static final String JPA = "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration";

    private Boot() {}

    /** UP or DOWN, and the details. */
    static String health(ApplicationContext application) {
        Health health = application
                .getBean("dibsHealthIndicator", HealthIndicator.class)
                .health();
        return health.getStatus().getCode() + " " + health.getDetails();
    }
}
