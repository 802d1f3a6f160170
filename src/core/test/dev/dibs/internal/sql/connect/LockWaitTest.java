package dev.dibs.internal.sql.connect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.internal.sql.files.DialectFolder;
import dev.dibs.internal.sql.files.Statements;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** By the standard statements, on H2. */
@Tag("unit")
class LockWaitTest {

    private static Statements statements(Path folder) throws Exception {
        Files.writeString(folder.resolve("dialect.sql"), "-- fragment: base\nh2\n");
        Files.writeString(folder.resolve("features.properties"), "limits_lock_wait = yes\n");
        return Statements.load(DialectFolder.at(folder), "dibs_");
    }

    private static long wait(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT lock_timeout()")) {
            row.next();
            return row.getLong(1);
        }
    }

    @ParameterizedTest
    @CsvSource({"7000, 3, 100", "7000, 30, 5000", "50, 3, 50"})
    void aStatementWaitsForAPartOfTheTimeForItsAnswer(long own, long seconds, long wait, @TempDir Path folder)
            throws Exception {
        LockWait limit = LockWait.of(statements(folder));
        try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:;LOCK_TIMEOUT=" + own)) {
            long before = limit.limit(connection, Duration.ofSeconds(seconds));
            assertThat(wait(connection)).isEqualTo(wait);
            limit.restore(connection, before);
            assertThat(wait(connection)).isEqualTo(own);
        }
    }

    @Test
    void aDialectWithoutTheFeatureHasNone() {
        assertThat(LockWait.of(Statements.load(DialectFolder.named("h2"), "dibs_")))
                .isNull();
    }
}
