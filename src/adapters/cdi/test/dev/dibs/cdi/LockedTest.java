package dev.dibs.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.LeaseInfo;
import dev.dibs.LeaseLostException;
import dev.dibs.NotAcquiredException;
import dev.dibs.database.DriverDataSource;
import dev.dibs.database.FullRun;
import dev.dibs.database.Sql;
import io.agroal.api.AgroalDataSource;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.Transaction;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jboss.weld.environment.se.WeldContainer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What {@link Locked} does when the method is called. */
@Tag("flow")
@FullRun
class LockedTest {

    private static final String URL = Applications.freshH2();

    private static WeldContainer application;

    private final AgroalDataSource pool = Pool.of(application);
    private final Sql sql = Sql.on(pool);
    private final Dibs outside = Dibs.on(new DriverDataSource(URL, "sa", ""));
    private final Accounts accounts = application.select(Accounts.class).get();
    private final Accounts.Watch watch = new Accounts.Watch(new DriverDataSource(URL, "sa", ""));
    private final TransactionManager manager =
            application.select(TransactionManager.class).get();
    private final TransactionSynchronizationRegistry registry =
            application.select(TransactionSynchronizationRegistry.class).get();

    @BeforeAll
    static void start() throws SQLException {
        application = Applications.start(Map.of("db.url", URL), Accounts.class, BeforeGuard.class);
        Sql.on(Pool.of(application)).run("CREATE TABLE account (id int, amount int)");
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @BeforeEach
    void insert() throws SQLException {
        sql.run("INSERT INTO account VALUES (1, 0)");
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        BeforeGuard.runNothing();
        assertThat(manager.getStatus()).isEqualTo(Status.STATUS_NO_TRANSACTION);
        assertThat(outside.admin().locks()).isEmpty();
        await().until(() -> pool.getMetrics().activeCount() == 0);
        sql.run("DELETE FROM account");
        outside.close();
    }

    private long amount() throws SQLException {
        return sql.number("SELECT amount FROM account WHERE id = 1");
    }

    private void breakLock() {
        outside.admin().breakLock("account:1");
    }

    @Test
    void theLockIsHeldUntilTheTransactionHasEnded() throws SQLException {
        accounts.add(1, 5, watch);
        assertThat(watch.seen)
                .as("in the method, before the commit, after the completion")
                .hasSize(3)
                .allSatisfy(locks -> assertThat(locks).containsExactly("account:1"));
        assertThat(amount()).isEqualTo(5);
    }

    @Test
    void theTransactionAloneMayHaveTheLock() throws Exception {
        watch.inTheMethod =
                () -> assertThat(outside.lock("account", 1).tryAcquire()).isEmpty();
        accounts.addWithoutALease(1, 5, watch);
        assertThat(watch.seen)
                .as("there is no lease")
                .hasSize(3)
                .allSatisfy(locks -> assertThat(locks).isEmpty());
        assertThat(amount()).isEqualTo(5);
        try (Lease lease = outside.lock("account", 1).tryAcquire().orElseThrow()) {
            watch.inTheMethod = () -> {};
            Thread waiter = new Thread(() -> {
                try {
                    accounts.addWithoutALease(1, 5, watch);
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            waiter.start();
            waiter.join(300);
            assertThat(amount()).isEqualTo(5);
            lease.close();
            waiter.join(30_000);
        }
        assertThat(amount()).isEqualTo(10);
    }

    @Test
    void anExceptionRollsBackAndReleasesTheLock() throws SQLException {
        watch.inTheMethod = () -> {
            throw new Accounts.Failed();
        };
        assertThatThrownBy(() -> accounts.add(1, 5, watch)).isInstanceOf(Accounts.Failed.class);
        assertThat(watch.seen)
                .as("in the method, after the rollback")
                .hasSize(2)
                .allSatisfy(locks -> assertThat(locks).containsExactly("account:1"));
        assertThat(amount()).isZero();
    }

    @Test
    void aCheckedExceptionPassesUnchangedAndCommits() throws SQLException {
        assertThatThrownBy(() -> accounts.addAndThrow(1, 5, watch))
                .isInstanceOf(Exception.class)
                .hasMessage("checked");
        assertThat(amount()).as("as JTA does without a lock").isEqualTo(5);
    }

    @Test
    void theMethodDoesNotRunIfTheLeaseWasLostBeforeTheGuard() throws SQLException {
        BeforeGuard.run(this::breakLock);
        for (int i = 0; i < 20; i++) {
            assertThatThrownBy(() -> accounts.add(1, 5, watch)).isInstanceOf(LeaseLostException.class);
            assertThatThrownBy(() -> accounts.addAndKeep(1, 5, watch)).isInstanceOf(LeaseLostException.class);
        }
        assertThat(watch.seen).isEmpty();
        assertThat(amount()).isZero();
        BeforeGuard.runNothing();
        accounts.add(1, 5, watch);
        assertThat(amount()).isEqualTo(5);
    }

    @Test
    void aGuardThatFailsRollsBackAlsoIfRuntimeExceptionsCommit() {
        List<Integer> ends = new ArrayList<>();
        BeforeGuard.run(() -> {
            breakLock();
            registry.registerInterposedSynchronization(new Synchronization() {
                @Override
                public void beforeCompletion() {
                    ends.add(Status.STATUS_COMMITTING);
                }

                @Override
                public void afterCompletion(int status) {
                    ends.add(status);
                }
            });
        });
        assertThatThrownBy(() -> accounts.addAndKeep(1, 5, watch)).isInstanceOf(LeaseLostException.class);
        assertThat(ends).containsExactly(Status.STATUS_ROLLEDBACK);
    }

    @Test
    void theTransactionIsGuardedUpToItsCommit() throws SQLException {
        watch.inTheMethod = () -> assertThatThrownBy(this::breakLock).isInstanceOf(DatabaseFailureException.class);
        accounts.add(1, 5, watch);
        assertThat(amount()).isEqualTo(5);
    }

    @Test
    void aCallInsideOfATransactionIsRefused() throws Exception {
        manager.begin();
        assertThatThrownBy(() -> accounts.add(1, 5, watch))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("@Locked at dev.dibs.cdi.Accounts.add()")
                .hasMessageContaining("inside of a transaction");
        assertThatThrownBy(() -> accounts.addInANewTransaction(1, 5, watch)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> accounts.lockAlone(1, watch)).isInstanceOf(IllegalStateException.class);
        manager.setRollbackOnly();
        assertThatThrownBy(() -> accounts.lockAlone(1, watch)).isInstanceOf(IllegalStateException.class);
        Transaction suspended = manager.suspend();
        accounts.addInANewTransaction(1, 5, watch);
        manager.resume(suspended);
        manager.rollback();
        assertThat(amount()).as("the last one").isEqualTo(5);
    }

    @Test
    void aCallOfDibsInsideOfATransactionHasItsOwnConnection() throws Exception {
        Dibs dibs = application.select(Dibs.class).get();
        manager.begin();
        sql.run("UPDATE account SET amount = 3");
        Lease kept = dibs.lock("door").acquire(Duration.ZERO);
        dibs.lock("window").acquire(Duration.ZERO).close();
        manager.rollback();
        assertThat(amount()).isZero();
        assertThat(outside.admin().locks()).extracting(LeaseInfo::name).containsExactly("door");
        manager.begin();
        kept.close();
        manager.rollback();
    }

    @Test
    void aBusyLockIsNotAcquired() throws SQLException {
        try (Lease lease = outside.lock("account", 1).acquire(Duration.ZERO)) {
            assertThatThrownBy(() -> accounts.add(1, 5, watch)).isInstanceOf(NotAcquiredException.class);
            accounts.add(3, 5, watch);
            assertThat(lease.isValid()).isTrue();
        }
        assertThat(amount()).isZero();
    }

    @Test
    void withoutATransactionItIsTheLockAlone() {
        assertThat(accounts.lockAlone(1, watch)).containsExactly(List.of("account:1"));
        watch.inTheMethod = this::breakLock;
        assertThatThrownBy(() -> accounts.lockAlone(1, watch)).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void withoutAKeyThereIsOneLock() {
        assertThat(accounts.withoutAKey(watch)).containsExactly(List.of("everything"));
    }

    /** Quarkus intercepts it. */
    @Test
    void aCallWithinTheSameObjectPassesBy() {
        assertThat(accounts.withinTheObject(watch)).containsExactly(List.of(), List.of());
    }

    @Test
    void aKeyIsAPropertyOfAPropertyAsWell() {
        assertThat(accounts.ofAField(new Accounts.Owner(new Accounts.Account(7)), watch))
                .containsExactly(List.of("account:7"));
    }

    @Test
    void aKeyThatIsNoneIsRefused() {
        assertThatThrownBy(() -> accounts.ofAnObject(null)).hasMessageContaining("the key is null");
        assertThatThrownBy(() -> accounts.ofAnObject(new Object()))
                .hasMessageContaining("@Locked at dev.dibs.cdi.Accounts.ofAnObject()")
                .hasMessageContaining("no toString() of its own")
                .hasMessageContaining("Use a field of it");
        assertThatThrownBy(() -> accounts.ofAnObject(List.of(new Object())))
                .hasMessageContaining("no toString() of its own");
        assertThatThrownBy(() -> accounts.ofAField(null, watch))
                .hasMessageContaining("'account.id' cannot be computed")
                .hasMessageContaining("'account' is read from is null");
        assertThatThrownBy(() -> accounts.ofASecret(new Accounts.Owner(null)))
                .hasMessageContaining("Accounts$Owner has no public method secret() or getSecret()");
    }

    @Test
    void otherTransactionsAreNotGuarded() throws Exception {
        manager.begin();
        sql.run("UPDATE account SET amount = 3");
        manager.commit();
        assertThat(amount()).isEqualTo(3);
    }
}
