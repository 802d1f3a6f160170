package dev.dibs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.dibs.database.DriverDataSource;
import dev.dibs.database.Sql;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Names and holders may come from anybody: they must not add lines to a log. */
@Tag("unit")
class ForgedLinesTest {

    private static final String HOSTILE = "4711\n2026-11-23 app.Payment\r\nSEVERE: forged \u202e\u2028";

    /** Collects log entries. */
    private static final class Kept extends Handler {
        final List<String> messages = new CopyOnWriteArrayList<>();

        @Override
        public void publish(LogRecord line) {
            messages.add(line.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    @Test
    void messagesOfExceptionsAreOneLine() {
        List<RuntimeException> all = List.of(
                new LeaseLostException(HOSTILE, 1, "it was broken"),
                new NotAcquiredException("x", null, "held by " + HOSTILE),
                new DatabaseFailureException("at '" + HOSTILE + "'", null));
        assertThat(all)
                .allSatisfy(e -> assertThat(e.getMessage())
                        .contains("4711 2026-11-23 app.Payment SEVERE: forged \\u202e")
                        .doesNotContainPattern("\\R"));
    }

    @Test
    void aTakeoverIsOneLine() throws SQLException {
        DriverDataSource database =
                new DriverDataSource("jdbc:h2:mem:forged" + System.nanoTime() + ";DB_CLOSE_DELAY=60", "sa", "");
        Logger logger = Logger.getLogger("dev.dibs");
        Kept kept = new Kept();
        logger.addHandler(kept);
        try (Dibs first = Dibs.builder(database).holder(HOSTILE).build();
                Dibs second = Dibs.on(database)) {
            first.admin().createSchema();
            try (Lease lost = first.lock(HOSTILE).tryAcquire().orElseThrow()) {
                pass(database);
                second.lock(HOSTILE).acquire(Duration.ofSeconds(30)).close();
                assertThat(lost.fencingToken()).isPositive();
                await().until(() -> kept.messages.stream().anyMatch(line -> line.startsWith("Took over '4711")));
            }
        } finally {
            logger.removeHandler(kept);
        }
        assertThat(kept.messages).anyMatch(line -> line.startsWith("Took over '4711 2026-11-23 app.Payment SEVERE"));
        assertThat(kept.messages).filteredOn(line -> line.contains("4711")).noneMatch(line -> line.contains("\n"));
    }

    private static void pass(DriverDataSource database) throws SQLException {
        Sql.on(database).run("UPDATE dibs_lock SET held_until = held_until - 3600000, owner = 'vanished'");
    }
}
