package dev.dibs.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.dibs.Dibs;
import dev.dibs.NotAcquiredException;
import dev.dibs.database.Sql;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.sql.SQLException;
import java.util.Map;
import javax.sql.DataSource;
import org.jboss.weld.environment.se.WeldContainer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One application; {@code mvn -Pall verify} runs the others. */
@Tag("flow")
class SmokeTest {

    record Counter(int id) {}

    @ApplicationScoped
    static class Counters {

        @Inject
        DataSource dataSource;

        @Transactional
        @Locked(value = "counter", waitFor = "5s")
        public String add(@LockKey("id") Counter counter) throws SQLException {
            Sql sql = Sql.on(dataSource);
            sql.change("UPDATE counter SET amount = amount + 1 WHERE id = ?", counter.id());
            return sql.text("SELECT name FROM dibs_lock WHERE owner IS NOT NULL");
        }
    }

    @Test
    void anApplicationStartsAndItsMethodRunsUnderALock() throws SQLException {
        try (WeldContainer application = Applications.start(Map.of(), Counters.class)) {
            Sql sql = Sql.on(Pool.of(application));
            sql.run("CREATE TABLE counter (id int, amount int)", "INSERT INTO counter VALUES (42, 0)");
            Counters counters = application.select(Counters.class).get();
            assertThat(counters.add(new Counter(42))).isEqualTo("counter:42");
            assertThat(sql.number("SELECT amount FROM counter")).isEqualTo(1);
            Dibs dibs = application.select(Dibs.class).get();
            assertThat(dibs.admin().locks()).isEmpty();
            dibs.lock("counter", 42).tryRun(lease -> {
                Thread.currentThread().interrupt();
                assertThatThrownBy(() -> counters.add(new Counter(42))).isInstanceOf(NotAcquiredException.class);
                assertThat(Thread.interrupted()).isTrue();
            });
        }
    }
}
