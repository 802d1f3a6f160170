package dev.dibs.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.NamedLock;
import dev.dibs.NamedLocks;
import dev.dibs.NamedSemaphore;
import dev.dibs.claims.Claim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.database.DatabaseUser;
import dev.dibs.database.H2Database;
import dev.dibs.database.OnEachDatabase;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.Sql;
import dev.dibs.database.TestDatabase;
import dev.dibs.tokens.OneTimeTokens;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
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
        Sql.on(pool).run("CREATE TABLE frames (id bigint NOT NULL PRIMARY KEY, token varchar(32), until_ms bigint)");
        PreparedFrames frames = new PreparedFrames();
        DataSource watched = frames.watched(pool);
        try (Dibs dibs = Dibs.on(watched);
                Dibs other = Dibs.on(pool)) {
            Sql.on(pool).run("INSERT INTO frames (id) VALUES (1), (2), (3)");
            OneTimeTokens tokens = dibs.tokens("frames");
            RowClaims<RowKey> claims = dibs.claims("frames")
                    .key("id")
                    .token("token")
                    .until("until_ms")
                    .completeDelete()
                    .build();
            // The first call of each kind also checks the table.
            dibs.lock("frames-warm").tryAcquire().orElseThrow().close();
            tokens.consume(tokens.issue("ann", Duration.ofMinutes(1)));
            claims.claim(1).complete();

            NamedLock lock = dibs.lock("frames");
            Lease lease = frames.few("acquire", 10, lock::tryAcquire).orElseThrow();
            frames.few("release", 11, () -> {
                lease.close();
                return lease;
            });
            Lease again = frames.few("retake", 10, lock::tryAcquire).orElseThrow();
            frames.few("guarded transaction", 10, () -> again.callInTransaction(watched, tx -> lease));
            again.close();
            lock.tryInTransaction(watched, tx -> {});
            frames.few("locked transaction", 10, () -> lock.tryInTransaction(watched, tx -> {}));
            try (Lease held = other.lock("frames").acquire(Duration.ofSeconds(5))) {
                frames.few("try of a lock that was free", 10, lock::tryAcquire);
                frames.few("try of a held lock", 10, lock::tryAcquire);
                assertThat(held.isValid()).isTrue();
            }
            NamedLocks locks = dibs.lockAll(List.of("frames-1", "frames-2"));
            frames.few("several locks", 12, locks::tryAcquire).orElseThrow().close();
            NamedSemaphore permits = dibs.semaphore("frames", 2);
            frames.few("permit", 16, permits::tryAcquire).orElseThrow().close();
            Claim<RowKey> claim = frames.few("claim", 9, () -> claims.claim(1));
            frames.few("complete", 10, claim::complete);
            String token = frames.few("issue", 13, () -> tokens.issue("ann", Duration.ofMinutes(1)));
            frames.few("consume", 11, () -> tokens.consume(token));
        } finally {
            Sql.on(pool).run("DROP TABLE frames");
        }
    }

    /** The frames of the calling thread when it last prepared a statement for the first time in an action. */
    private static final class PreparedFrames {

        private final Thread caller = Thread.currentThread();
        private List<StackTraceElement> seen = List.of();

        DataSource watched(DataSource target) {
            return passing(DataSource.class, target, result -> {
                if (result instanceof Connection connection) {
                    return passing(Connection.class, connection, statement -> {
                        if (statement instanceof PreparedStatement && seen.isEmpty()) {
                            look();
                        }
                        return statement;
                    });
                }
                return result;
            });
        }

        private void look() {
            if (Thread.currentThread().equals(caller)) {
                seen = ours(new Throwable());
            }
        }

        <T> T few(String operation, int most, Callable<T> action) throws Exception {
            seen = List.of();
            T result = action.call();
            assertThat(seen).as(operation).isNotEmpty().hasSizeLessThanOrEqualTo(most);
            assertThat(entered(seen))
                    .as("how often each class is entered by " + operation + " in " + seen)
                    .allSatisfy((type, times) -> assertThat(times).isLessThanOrEqualTo(2));
            return result;
        }
    }

    private static <T> T passing(Class<T> type, Object target, UnaryOperator<Object> change) {
        return type.cast(Proxy.newProxyInstance(
                FramesTest.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    try {
                        return change.apply(method.invoke(target, arguments));
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    /** Dibs' calls on the way to the first statement of an action. */
    private static List<StackTraceElement> ours(Throwable here) {
        return Stream.of(here.getStackTrace())
                .filter(frame -> frame.getClassName().startsWith("dev.dibs."))
                .filter(frame -> !frame.getClassName().startsWith(FramesTest.class.getName()))
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
