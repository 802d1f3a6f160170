package dev.dibs.examples;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.TestDatabase;
import dev.dibs.database.UsesDatabase;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The program of docs/situations/leaving-advisory-locks.md, beside a node that knows only the session lock. */
@Tag("flow")
@Timeout(600)
@UsesDatabase(PostgresDatabase.class)
class AdvisoryLockPageTest {

    @Test
    void bothLocksAreHeldInTheFirstStep(TestDatabase database, @TempDir Path folder) throws Exception {
        String setter = "setUrl(\"" + database.url() + "\"); dataSource.setUser(\"" + database.user()
                + "\"); dataSource.setPassword(\"" + database.password() + "\")";
        PageProgram program = new PageProgram(
                "leaving-advisory-locks",
                folder,
                code -> code.replace("setUrl(\"jdbc:postgresql://localhost/app?user=app\")", setter));
        program.expect(0, program.start());
        try (HikariDataSource pool = database.pool(config -> {});
                Connection former = pool.getConnection();
                Statement sql = former.createStatement()) {
            sql.execute("SELECT pg_advisory_lock(4711)");
            program.expect(1, program.start());
            sql.execute("SELECT pg_advisory_unlock(4711)");
        }
        program.expect(0, program.start());
    }
}
