package dev.dibs.cdi.quarkus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.LeaseLostException;
import dev.dibs.NotAcquiredException;
import dev.dibs.junit.Threads;
import io.agroal.api.AgroalDataSource;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import jakarta.transaction.Status;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An application on Quarkus and H2. */
@Tag("flow")
@QuarkusTest
class LedgerTest {

    private static final AtomicInteger ACCOUNTS = new AtomicInteger();
    private static final int CALLS = 200;
    private static final int THREADS = 16;

    private final int account = ACCOUNTS.incrementAndGet();

    @Inject
    Ledger ledger;

    @Inject
    Dibs dibs;

    @Inject
    AgroalDataSource dataSource;

    @BeforeEach
    void create() throws SQLException {
        ledger.create(account);
    }

    @AfterEach
    void nothingIsLeft() {
        BeforeGuard.run(() -> {});
        assertThat(QuarkusTransaction.getStatus()).isEqualTo(Status.STATUS_NO_TRANSACTION);
        assertThat(dibs.admin().locks()).isEmpty();
        await().atMost(Duration.ofMinutes(1))
                .until(() -> dataSource.getMetrics().activeCount() == 0);
    }

    /** By a thread without a transaction. */
    private void breakLock() {
        CompletableFuture.runAsync(() -> dibs.admin().breakLock("balance:" + account))
                .join();
    }

    @Test
    void noChangeIsLost() throws Exception {
        Threads.run(THREADS, thread -> {
            for (int i = thread; i < CALLS; i += THREADS) {
                call(i % 20);
            }
        });
        assertThat(ledger.state(account)).isEqualTo("180 of 180");
    }

    /** One of twenty throws, and one rolls back. */
    private void call(int number) throws SQLException {
        if (number == 7) {
            ledger.addAndRollBack(account);
        } else if (number == 4) {
            assertThatThrownBy(() -> ledger.addAndThrow(account)).hasMessage("no more");
        } else {
            ledger.add(account);
        }
    }

    @Test
    void theMethodDoesNotRunIfTheLeaseWasLostBeforeTheGuard() throws SQLException {
        BeforeGuard.run(this::breakLock);
        for (int i = 0; i < 20; i++) {
            assertThatThrownBy(() -> ledger.add(account)).isInstanceOf(LeaseLostException.class);
        }
        assertThat(ledger.state(account)).isEqualTo("0 of 0");
        BeforeGuard.run(() -> {});
        ledger.add(account);
        assertThat(ledger.state(account)).isEqualTo("1 of 1");
    }

    @Test
    void aCallInsideOfATransactionIsRefused() {
        QuarkusTransaction.requiringNew().run(() -> {
            assertThatThrownBy(() -> ledger.add(account))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("@Locked at dev.dibs.cdi.quarkus.Ledger.add()")
                    .hasMessageContaining("inside of a transaction");
        });
    }

    @Test
    void aCallOfDibsInsideOfATransactionHasItsOwnConnection() {
        QuarkusTransaction.begin();
        Lease kept = dibs.lock("door").acquire(Duration.ZERO);
        QuarkusTransaction.rollback();
        assertThat(dibs.lock("door").tryAcquire()).isEmpty();
        kept.close();
    }

    @Test
    void aBusyLockIsNotAcquired() {
        try (Lease lease = dibs.lock("balance", account).acquire(Duration.ZERO)) {
            assertThatThrownBy(() -> ledger.locks(new Ledger.Account(account)))
                    .isInstanceOf(NotAcquiredException.class);
            assertThat(lease.isValid()).isTrue();
        }
    }

    @Test
    void aPropertyOfAParameterIsTheKey() throws SQLException {
        assertThat(ledger.locks(new Ledger.Account(account))).isEqualTo("balance:" + account);
    }

    /** On Weld it passes by. */
    @Test
    void aCallWithinTheSameObjectIsIntercepted() throws SQLException {
        assertThat(ledger.locksWithinTheObject(account)).isEqualTo("balance:" + account);
    }

    @Test
    void workIsDoneOnceAPeriod() throws SQLException {
        ledger.addMonthly(account);
        ledger.addMonthly(account);
        assertThat(ledger.state(account)).isEqualTo("1 of 1");
        assertThat(dibs.admin().onces())
                .extracting(once -> once.name())
                .containsExactly("dev.dibs.cdi.quarkus.Ledger.addMonthly");
    }
}
