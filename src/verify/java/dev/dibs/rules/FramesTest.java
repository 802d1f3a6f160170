package dev.dibs.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Capability;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.tokens.OneTimeTokens;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The number of Dibs' calls between an application and its driver: each must be read, or skipped in a stack trace. */
@Tag("unit")
class FramesTest {

    @Test
    void aStatementIsFewCallsAway() throws Exception {
        JdbcDataSource h2 = new JdbcDataSource();
        h2.setURL("jdbc:h2:mem:frames;DB_CLOSE_DELAY=-1");
        FaultyDataSource watched = new FaultyDataSource(h2);
        try (Dibs dibs = Dibs.on(watched)) {
            dibs.admin().createSchema(Capability.LOCKS, Capability.TOKENS);
            OneTimeTokens tokens = dibs.tokens("frames");
            String token = tokens.issue("ann", Duration.ofMinutes(1));
            Lease lease = dibs.lock("warm").acquire(Duration.ZERO);

            assertThat(frames(watched, () -> dibs.lock("frames").acquire(Duration.ZERO)))
                    .as("acquire")
                    .hasSizeLessThanOrEqualTo(13);
            assertThat(frames(watched, () -> {
                        lease.close();
                        return lease;
                    }))
                    .as("release")
                    .hasSizeLessThanOrEqualTo(13);
            assertThat(frames(watched, () -> tokens.consume(token)))
                    .as("consume")
                    .hasSizeLessThanOrEqualTo(11);
        }
    }

    /** Dibs' calls on the way to the first statement of an action. */
    private static List<String> frames(FaultyDataSource watched, Callable<?> action) throws Exception {
        Thread caller = Thread.currentThread();
        List<List<String>> seen = new CopyOnWriteArrayList<>();
        watched.on(sql -> Thread.currentThread().equals(caller)).actBefore(() -> seen.add(ours(new Throwable())));
        Object unused = action.call();
        assertThat(seen).isNotEmpty();
        return seen.get(0);
    }

    private static List<String> ours(Throwable here) {
        return Stream.of(here.getStackTrace())
                .filter(frame -> frame.getClassName().startsWith("dev.dibs."))
                .filter(frame -> !frame.getClassName().startsWith(FramesTest.class.getName())
                        && !frame.getClassName().startsWith("dev.dibs.database."))
                .map(StackTraceElement::toString)
                .toList();
    }
}
