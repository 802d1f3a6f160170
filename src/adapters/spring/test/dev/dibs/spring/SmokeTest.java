package dev.dibs.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.dibs.Dibs;
import dev.dibs.NotAcquiredException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** One application on this version of Spring Boot; {@code mvn -Pall verify} runs the others. */
@Tag("flow")
class SmokeTest {

    @EnableAutoConfiguration
    static class Application {

        @Bean
        Counters counters(JdbcTemplate jdbc, Dibs dibs) {
            return new Counters(jdbc, dibs);
        }
    }

    record Counter(int id) {}

    static class Counters {

        private final JdbcTemplate jdbc;
        private final Dibs dibs;

        Counters(JdbcTemplate jdbc, Dibs dibs) {
            this.jdbc = jdbc;
            this.dibs = dibs;
        }

        @Transactional
        @Locked(value = "counter", key = "#counter.id", waitFor = "5s")
        public String add(Counter counter) {
            jdbc.update("UPDATE counter SET amount = amount + 1 WHERE id = ?", counter.id());
            return dibs.admin().locks().get(0).name();
        }
    }

    @Test
    void anApplicationStartsAndItsMethodRunsUnderALock() {
        try (ConfigurableApplicationContext application =
                Applications.start(Application.class, Applications.freshH2(), "--dibs.tables=create")) {
            JdbcTemplate jdbc = application.getBean(JdbcTemplate.class);
            jdbc.execute("CREATE TABLE counter (id int, amount int)");
            jdbc.update("INSERT INTO counter VALUES (42, 0)");
            Counters counters = application.getBean(Counters.class);
            assertThat(counters.add(new Counter(42))).isEqualTo("counter:42");
            assertThat(jdbc.queryForObject("SELECT amount FROM counter", Integer.class))
                    .isEqualTo(1);
            Dibs dibs = application.getBean(Dibs.class);
            assertThat(dibs.admin().locks()).isEmpty();
            dibs.lock("counter", 42).tryRun(lease -> {
                Thread.currentThread().interrupt();
                assertThatThrownBy(() -> counters.add(new Counter(42))).isInstanceOf(NotAcquiredException.class);
                assertThat(Thread.interrupted()).isTrue();
            });
            assertThat(Boot.health(application)).startsWith("UP");
        }
    }
}
