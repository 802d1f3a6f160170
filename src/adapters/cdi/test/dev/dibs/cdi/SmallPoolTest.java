package dev.dibs.cdi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.database.FullRun;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.Sql;
import dev.dibs.database.UsesDatabase;
import dev.dibs.junit.Threads;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.sql.SQLException;
import java.util.Map;
import javax.sql.DataSource;
import org.jboss.weld.environment.se.WeldContainer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Many callers of methods without a lease over a pool with few connections: none waits for another one that waits for it. */
@Tag("flow")
@FullRun
@UsesDatabase(PostgresDatabase.class)
class SmallPoolTest {

    private static final int CALLERS = 40;

    @ApplicationScoped
    static class Tills {

        @Inject
        DataSource dataSource;

        @Transactional
        @Locked(value = "till", waitFor = "5m", lease = false)
        public void add(@LockKey int till) throws SQLException {
            Sql sql = Sql.on(dataSource);
            long amount = sql.number("SELECT amount FROM till WHERE id = ?", till);
            sql.change("UPDATE till SET amount = ? WHERE id = ?", amount + 1, till);
        }
    }

    @ParameterizedTest
    @CsvSource({"h2, 1", "h2, 5", "postgresql, 1", "postgresql, 5"})
    void everyCallerHasItsTurn(String name, String connections, PostgresDatabase postgresql) throws Exception {
        boolean isH2 = name.equals("h2");
        Map<String, String> settings = Map.of(
                "db.url", isH2 ? Applications.freshH2() : postgresql.url(),
                "db.user", isH2 ? "sa" : postgresql.user(),
                "db.connections", connections);
        try (WeldContainer application = Applications.start(settings, Tills.class)) {
            Sql sql = Sql.on(Pool.of(application));
            Tills tills = application.select(Tills.class).get();
            sql.run("DROP TABLE IF EXISTS till", "CREATE TABLE till (id int PRIMARY KEY, amount int NOT NULL)");
            for (int till = 0; till <= CALLERS; till++) {
                sql.change("INSERT INTO till VALUES (?, 0)", till);
            }
            Threads.run(CALLERS, tills::add);
            assertThat(sql.number("SELECT count(*) FROM till WHERE amount = 1"))
                    .as("a lock of its own")
                    .isEqualTo(CALLERS);
            Threads.run(CALLERS, caller -> tills.add(CALLERS));
            assertThat(sql.number("SELECT amount FROM till WHERE id = ?", CALLERS))
                    .as("one lock for all")
                    .isEqualTo(CALLERS);
        }
    }
}
