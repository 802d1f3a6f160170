package dev.dibs.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.dibs.Dibs;
import dev.dibs.NotAcquiredException;
import dev.dibs.database.FullRun;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.UsesDatabase;
import dev.dibs.junit.Closing;
import dev.dibs.junit.Threads;
import dev.dibs.process.ChildJvm;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

/** Many callers, in two applications and in another process that is paused and killed: no change is lost. */
@Tag("race")
@FullRun
@UsesDatabase(PostgresDatabase.class)
class ManyCallsTest extends Closing {

    private static final AtomicInteger ACCOUNTS = new AtomicInteger();
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final int CALLS = 200;
    private static final int THREADS = 16;
    private static final Ledger.Between SHORTLY = () -> LockSupport.parkNanos(1);

    private static final class Failed extends Exception {
        private static final long serialVersionUID = 1;
    }

    private final int account = ACCOUNTS.incrementAndGet();

    @ParameterizedTest
    @CsvSource({"h2, byJdbc", "postgresql, byJpa"})
    void noChangeIsLost(String name, String ledger, PostgresDatabase postgresql) throws Exception {
        String url = name.equals("h2") ? "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1" : postgresql.url();
        String user = name.equals("h2") ? "sa" : postgresql.user();
        try (ConfigurableApplicationContext one = LedgerApplication.start(url, user);
                ConfigurableApplicationContext other = LedgerApplication.start(url, user)) {
            JdbcTemplate jdbc = one.getBean(JdbcTemplate.class);
            Ledger.create(jdbc, account);
            List<Ledger> ledgers = List.of(one.getBean(ledger, Ledger.class), other.getBean(ledger, Ledger.class));
            Threads.run(THREADS, thread -> {
                for (int i = thread; i < CALLS; i += THREADS) {
                    call(ledgers.get(i % 2), i % 10 == 0);
                }
            });
            assertThat(Ledger.entries(jdbc, account)).isEqualTo(CALLS - CALLS / 10);
            assertThat(Ledger.amount(jdbc, account)).isEqualTo(CALLS - CALLS / 10);
            assertThat(one.getBean(Dibs.class).admin().locks()).isEmpty();
        }
    }

    private void call(Ledger ledger, boolean fails) throws Exception {
        try {
            ledger.add(account, () -> {
                if (fails) {
                    throw new Failed();
                }
                SHORTLY.reached();
            });
            assertThat(fails).isFalse();
        } catch (Failed e) {
            assertThat(fails).isTrue();
        }
    }

    /** Its lease ends by time, but its transaction is guarded: nobody gets the lock before that ends. */
    @Test
    void anApplicationThatIsPausedInItsTransactionKeepsTheLock(PostgresDatabase postgresql) throws Exception {
        String ledger = "byJpa";
        ConfigurableApplicationContext application =
                closing(LedgerApplication.start(postgresql.url(), postgresql.user(), "--test.wait=1s"));
        JdbcTemplate jdbc = application.getBean(JdbcTemplate.class);
        Ledger.create(jdbc, account);
        Ledger mine = application.getBean(ledger, Ledger.class);
        try (ChildJvm child = ChildJvm.startAsHere(
                List.of(),
                Map.of(),
                LedgerApplication.class,
                postgresql.url(),
                postgresql.user(),
                ledger,
                String.valueOf(account))) {
            child.awaitLine("INSIDE"::equals, PATIENCE);
            child.pause();
            TimeUnit.SECONDS.sleep(4);
            assertThatThrownBy(() -> mine.add(account, SHORTLY)).isInstanceOf(NotAcquiredException.class);
            child.send("go on");
            child.resume();
            child.awaitLine("DONE"::equals, PATIENCE);
        }
        assertThat(Ledger.amount(jdbc, account)).isEqualTo(Ledger.entries(jdbc, account));
    }
}
