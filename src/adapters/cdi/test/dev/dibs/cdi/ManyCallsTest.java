package dev.dibs.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.dibs.Dibs;
import dev.dibs.LeaseInfo;
import dev.dibs.NotAcquiredException;
import dev.dibs.database.FullRun;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.Sql;
import dev.dibs.database.UsesDatabase;
import dev.dibs.junit.Closing;
import dev.dibs.junit.Threads;
import dev.dibs.process.ChildJvm;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jboss.weld.environment.se.WeldContainer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many callers, in two applications and in another process that is paused: no change is lost. */
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
    @ValueSource(strings = {"h2", "postgresql"})
    void noChangeIsLost(String name, PostgresDatabase postgresql) throws Exception {
        String url = name.equals("h2") ? Applications.freshH2() : postgresql.url();
        String user = name.equals("h2") ? "sa" : postgresql.user();
        try (WeldContainer one = LedgerApplication.start(url, user);
                WeldContainer other = LedgerApplication.start(url, user)) {
            Sql sql = newLedger(one);
            List<Ledger> ledgers = List.of(ledger(one), ledger(other));
            Threads.run(THREADS, thread -> {
                for (int i = thread; i < CALLS; i += THREADS) {
                    call(ledgers.get(i % 2), i % 20);
                }
            });
            assertThat(Ledger.entries(sql, account)).isEqualTo(CALLS - CALLS / 10);
            assertThat(Ledger.amount(sql, account)).isEqualTo(CALLS - CALLS / 10);
            // Other tests may hold locks in the same database.
            assertThat(one.select(Dibs.class).get().admin().locks())
                    .extracting(LeaseInfo::name)
                    .doesNotContain("balance:" + account);
        }
    }

    /** One of twenty throws, and one rolls back. */
    private void call(Ledger ledger, int number) throws Exception {
        if (number == 7) {
            ledger.addAndRollBack(account, SHORTLY);
        } else if (number == 4) {
            assertThatThrownBy(() -> ledger.add(account, () -> {
                        throw new Failed();
                    }))
                    .isInstanceOf(Failed.class);
        } else {
            ledger.add(account, SHORTLY);
        }
    }

    /** Its lease ends by time, but its transaction is guarded: nobody gets the lock before that ends. */
    @Test
    void anApplicationThatIsPausedInItsTransactionKeepsTheLock(PostgresDatabase postgresql) throws Exception {
        WeldContainer application = closing(LedgerApplication.start(postgresql.url(), postgresql.user()));
        Sql sql = newLedger(application);
        Ledger mine = ledger(application);
        try (ChildJvm child = ChildJvm.startAsHere(
                List.of(),
                Map.of(),
                LedgerApplication.class,
                postgresql.url(),
                postgresql.user(),
                String.valueOf(account))) {
            child.awaitLine("INSIDE"::equals, PATIENCE);
            child.pause();
            TimeUnit.SECONDS.sleep(4);
            assertThatThrownBy(() -> mine.addSoon(account, SHORTLY)).isInstanceOf(NotAcquiredException.class);
            child.send("go on");
            child.resume();
            child.awaitLine("DONE"::equals, PATIENCE);
        }
        assertThat(Ledger.amount(sql, account)).isEqualTo(Ledger.entries(sql, account));
    }

    private Sql newLedger(WeldContainer application) throws SQLException {
        Sql sql = Sql.on(Pool.of(application));
        Ledger.create(sql, account);
        return sql;
    }

    private static Ledger ledger(WeldContainer application) {
        return application.select(Ledger.class).get();
    }
}
