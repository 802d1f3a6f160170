package dev.dibs.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.claims.Claim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.database.DatabaseUser;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.H2Database;
import dev.dibs.database.OnEachDatabase;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.Sql;
import dev.dibs.database.TestDatabase;
import dev.dibs.tokens.OneTimeTokens;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The number of Dibs' calls between an application and its driver: each must be read, or skipped in a stack trace. The way goes in one
 * direction: no class is entered more than twice.
 */
@OnEachDatabase({H2Database.class, PostgresDatabase.class})
@Tag("unit")
class FramesTest implements DatabaseUser {

    private HikariDataSource pool;

    @Override
    public void use(TestDatabase database) {
        pool = database.shared();
    }

    @Test
    void aStatementIsFewCallsAway() throws Exception {
        FaultyDataSource watched = new FaultyDataSource(pool);
        Sql.on(pool).run("CREATE TABLE frames (id bigint NOT NULL PRIMARY KEY, token varchar(32), until_ms bigint)");
        try (Dibs dibs = Dibs.on(watched)) {
            Sql.on(pool).run("INSERT INTO frames (id) VALUES (1), (2)");
            OneTimeTokens tokens = dibs.tokens("frames");
            String token = tokens.issue("ann", Duration.ofMinutes(1));
            Lease lease = dibs.lock("frames-warm").acquire(Duration.ZERO);
            RowClaims<RowKey> claims = dibs.claims("frames")
                    .key("id")
                    .token("token")
                    .until("until_ms")
                    .completeDelete()
                    .build();
            Claim<RowKey> claim = claims.claim(1);

            Lease other = few(watched, "acquire", 12, () -> dibs.lock("frames").acquire(Duration.ZERO));
            few(watched, "release", 13, () -> {
                lease.close();
                return lease;
            });
            few(watched, "claim", 10, () -> claims.claim(1)).close();
            few(watched, "complete", 12, claim::complete);
            few(watched, "consume", 13, () -> tokens.consume(token));
            other.close();
        } finally {
            Sql.on(pool).run("DROP TABLE frames");
        }
    }

    private static <T> T few(FaultyDataSource watched, String operation, int most, Callable<T> action)
            throws Exception {
        Thread caller = Thread.currentThread();
        List<List<StackTraceElement>> seen = new CopyOnWriteArrayList<>();
        watched.on(sql -> Thread.currentThread().equals(caller)).actBefore(() -> seen.add(ours(new Throwable())));
        T result = action.call();
        assertThat(seen).isNotEmpty();
        List<StackTraceElement> frames = seen.get(0);
        assertThat(frames).as(operation).hasSizeLessThanOrEqualTo(most);
        assertThat(entered(frames))
                .as("how often each class is entered by " + operation + " in " + frames)
                .allSatisfy((type, times) -> assertThat(times).isLessThanOrEqualTo(2));
        return result;
    }

    /** Dibs' calls on the way to the first statement of an action. */
    private static List<StackTraceElement> ours(Throwable here) {
        return Stream.of(here.getStackTrace())
                .filter(frame -> frame.getClassName().startsWith("dev.dibs."))
                .filter(frame -> !frame.getClassName().startsWith(FramesTest.class.getName())
                        && !frame.getClassName().startsWith("dev.dibs.database."))
                .toList();
    }

    /** How often the way comes to a class from another one. */
    private static Map<String, Long> entered(List<StackTraceElement> frames) {
        List<String> entries = new ArrayList<>();
        for (StackTraceElement frame : frames) {
            if (entries.isEmpty() || !entries.get(entries.size() - 1).equals(frame.getClassName())) {
                entries.add(frame.getClassName());
            }
        }
        return entries.stream().collect(Collectors.groupingBy(type -> type, Collectors.counting()));
    }
}
