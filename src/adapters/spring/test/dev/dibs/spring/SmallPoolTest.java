package dev.dibs.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.database.FullRun;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.UsesDatabase;
import dev.dibs.junit.Threads;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** Many callers of methods without a lease over a pool with few connections: none waits for another one that waits for it. */
@Tag("flow")
@FullRun
@UsesDatabase(PostgresDatabase.class)
class SmallPoolTest {

    private static final int CALLERS = 40;

    @EnableAutoConfiguration
    static class Application {

        @Bean
        Tills tills(JdbcTemplate jdbc) {
            return new Tills(jdbc);
        }
    }

    static class Tills {

        private final JdbcTemplate jdbc;

        Tills(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Transactional
        @Locked(value = "till", key = "#till", waitFor = "5m", lease = false)
        public void add(int till) {
            Integer amount = jdbc.queryForObject("SELECT amount FROM till WHERE id = ?", Integer.class, till);
            jdbc.update("UPDATE till SET amount = ? WHERE id = ?", amount + 1, till);
        }
    }

    @ParameterizedTest
    @CsvSource({"h2, 1", "h2, 5", "postgresql, 1", "postgresql, 5"})
    void everyCallerHasItsTurn(String name, int connections, PostgresDatabase postgresql) throws Exception {
        String url = name.equals("h2") ? "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1" : postgresql.url();
        try (ConfigurableApplicationContext application = Applications.start(
                Application.class,
                "--spring.datasource.url=" + url,
                "--spring.datasource.username=" + (name.equals("h2") ? "sa" : postgresql.user()),
                "--spring.datasource.hikari.maximum-pool-size=" + connections,
                "--dibs.tables=create")) {
            JdbcTemplate jdbc = application.getBean(JdbcTemplate.class);
            Tills tills = application.getBean(Tills.class);
            jdbc.execute("DROP TABLE IF EXISTS till");
            jdbc.execute("CREATE TABLE till (id int PRIMARY KEY, amount int NOT NULL)");
            for (int till = 0; till <= CALLERS; till++) {
                jdbc.update("INSERT INTO till VALUES (?, 0)", till);
            }
            Threads.run(CALLERS, tills::add);
            assertThat(jdbc.queryForList("SELECT amount FROM till WHERE id < ?", Integer.class, CALLERS))
                    .as("a lock of its own")
                    .hasSize(CALLERS)
                    .allMatch(amount -> amount == 1);
            Threads.run(CALLERS, caller -> tills.add(CALLERS));
            assertThat(jdbc.queryForObject("SELECT amount FROM till WHERE id = ?", Integer.class, CALLERS))
                    .as("one lock for all")
                    .isEqualTo(CALLERS);
        }
    }
}
