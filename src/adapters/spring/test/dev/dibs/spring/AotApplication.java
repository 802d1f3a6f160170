package dev.dibs.spring;

import dev.dibs.Dibs;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

/** An application of its own process, which calls its methods once. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class AotApplication {

    @Bean
    SmokeTest.Counters counters(JdbcTemplate jdbc, Dibs dibs) {
        return new SmokeTest.Counters(jdbc, dibs);
    }

    @Bean
    Monthly monthly() {
        return new Monthly();
    }

    static class Monthly {
        @OncePer("P30D")
        void count() {
            System.out.println("COUNTED");
        }
    }

    /** Prints the lock that it has held, or fails. */
    public static void main(String[] args) {
        try (ConfigurableApplicationContext application = SpringApplication.run(AotApplication.class, args)) {
            JdbcTemplate jdbc = application.getBean(JdbcTemplate.class);
            jdbc.execute("CREATE TABLE counter (id int, amount int)");
            System.out.println("LOCKED "
                    + application.getBean(SmokeTest.Counters.class).add(new SmokeTest.Counter(42)) + " "
                    + application.getBean(SmokeTest.Counters.class).getClass());
            application.getBean(Monthly.class).count();
            application.getBean(Monthly.class).count();
            System.out.println("HEALTH " + Boot.health(application));
        }
        System.out.println("ENDED");
    }
}
