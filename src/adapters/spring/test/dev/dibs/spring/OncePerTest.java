package dev.dibs.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.LeaseInfo;
import dev.dibs.database.FullRun;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** What {@link OncePer} does when the method is called. */
@Tag("flow")
@FullRun
class OncePerTest {

    private static final String URL = "--spring.datasource.url=jdbc:h2:mem:";

    @EnableAutoConfiguration
    static class Application {

        @Bean
        AtomicInteger calls() {
            return new AtomicInteger();
        }

        @Bean
        Jobs jobs(AtomicInteger calls, JdbcTemplate jdbc, Dibs dibs) {
            return new Jobs(calls, jdbc, dibs);
        }
    }

    static class Jobs {

        private final AtomicInteger calls;
        private final JdbcTemplate jdbc;
        private final Dibs dibs;

        Jobs(AtomicInteger calls, JdbcTemplate jdbc, Dibs dibs) {
            this.calls = calls;
            this.jdbc = jdbc;
            this.dibs = dibs;
        }

        @OncePer("P30D")
        public void monthly() {
            calls.incrementAndGet();
        }

        @OncePer(value = "${period:1h}", name = "failing")
        public void failing() {
            calls.incrementAndGet();
            throw new IllegalArgumentException("no disk");
        }

        @Transactional
        @OncePer(value = "30d", name = "guarded")
        public void guarded() {
            assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                    .isTrue();
            jdbc.update("INSERT INTO done VALUES (1)");
            // Nobody can: its row is locked.
            assertThatThrownBy(() -> dibs.admin().breakLeases("guarded", LeaseInfo.Kind.ONCE))
                    .isInstanceOf(DatabaseFailureException.class);
        }
    }

    @Test
    void theMethodRunsOnceAPeriodInOneOfTheApplications() {
        String url = URL + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
        try (var one = Applications.start(Application.class, url, "--dibs.tables=create");
                var other = Applications.start(Application.class, url)) {
            for (int i = 0; i < 3; i++) {
                one.getBean(Jobs.class).monthly();
                other.getBean(Jobs.class).monthly();
            }
            assertThat(calls(one) + calls(other)).isEqualTo(1);
            assertThat(one.getBean(Dibs.class).admin().onces())
                    .singleElement()
                    .satisfies(once -> assertThat(once.name()).isEqualTo(Jobs.class.getName() + ".monthly"));

            assertThatThrownBy(() -> one.getBean(Jobs.class).failing()).hasMessage("no disk");
            other.getBean(Jobs.class).failing();
            assertThat(calls(one) + calls(other))
                    .as("a pause after the failure")
                    .isEqualTo(2);
        }
    }

    @Test
    void aTransactionOfTheMethodIsGuarded() {
        String url = URL + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
        try (var application = Applications.start(Application.class, url, "--dibs.tables=create")) {
            JdbcTemplate jdbc = application.getBean(JdbcTemplate.class);
            jdbc.execute("CREATE TABLE done (id int)");
            application.getBean(Jobs.class).guarded();
            application.getBean(Jobs.class).guarded();
            assertThat(jdbc.queryForObject("SELECT count(*) FROM done", Integer.class))
                    .isEqualTo(1);
        }
    }

    private static int calls(ConfigurableApplicationContext application) {
        return application.getBean(AtomicInteger.class).get();
    }
}
