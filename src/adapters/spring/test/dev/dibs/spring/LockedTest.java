package dev.dibs.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.LeaseLostException;
import dev.dibs.NotAcquiredException;
import dev.dibs.database.FullRun;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Scope;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What {@link Locked} does when the method is called. */
@Tag("flow")
@FullRun
class LockedTest {

    @EnableAutoConfiguration
    @Import(BetweenLockAndTransaction.class)
    static class Application {

        @Bean
        @Scope("prototype")
        Accounts accounts(JdbcTemplate jdbc, Accounts.Watch watch) {
            return new Accounts(jdbc, watch);
        }
    }

    private static ConfigurableApplicationContext application;

    private final JdbcTemplate jdbc = application.getBean(JdbcTemplate.class);
    private final Dibs dibs = application.getBean(Dibs.class);
    private final Accounts.Watch watch = new Accounts.Watch(dibs);
    private final Accounts accounts =
            application.getBeanProvider(Accounts.class).getObject(jdbc, watch);
    private final PlatformTransactionManager manager = application.getBean(PlatformTransactionManager.class);
    private final TransactionTemplate transactions = new TransactionTemplate(manager);

    @BeforeAll
    static void start() {
        application = Applications.start(
                Application.class, Applications.freshH2(), "--dibs.tables=create", "--spring.application.name=bank");
        application.getBean(JdbcTemplate.class).execute("CREATE TABLE account (id int, amount int)");
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @BeforeEach
    void insert() {
        jdbc.update("INSERT INTO account VALUES (1, 0)");
    }

    @AfterEach
    void nothingIsLeft() {
        BetweenLockAndTransaction.run(() -> {});
        assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
        assertThat(TransactionSynchronizationManager.isSynchronizationActive()).isFalse();
        assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                .isFalse();
        assertThat(dibs.admin().locks()).isEmpty();
        HikariDataSource pool = application.getBean(HikariDataSource.class);
        await().atMost(Duration.ofMinutes(1))
                .until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
        jdbc.update("DELETE FROM account");
    }

    private int amount() {
        return jdbc.queryForObject("SELECT amount FROM account", Integer.class);
    }

    private void breakLock() {
        dibs.admin().breakLock("account:1");
    }

    @Test
    void theLockIsHeldUntilTheTransactionHasEnded() {
        accounts.add(1, 5);
        assertThat(watch.seen)
                .as("in the method, before the commit, after the commit, after the completion")
                .hasSize(4)
                .allSatisfy(locks -> assertThat(locks).containsExactly("account:1"));
        assertThat(amount()).isEqualTo(5);
    }

    @Test
    void theTransactionAloneMayHaveTheLock() throws Exception {
        watch.inTheMethod =
                () -> assertThat(dibs.lock("account", 1).tryAcquire()).isEmpty();
        accounts.addWithoutALease(1, 5);
        assertThat(watch.seen)
                .as("there is no lease")
                .hasSize(4)
                .allSatisfy(locks -> assertThat(locks).isEmpty());
        assertThat(amount()).isEqualTo(5);
        watch.inTheMethod = () -> {
            throw new Accounts.Failed();
        };
        assertThatThrownBy(() -> accounts.addWithoutALease(1, 5)).isInstanceOf(Accounts.Failed.class);
        watch.inTheMethod = () -> {};
        try (Lease lease = dibs.lock("account", 1).tryAcquire().orElseThrow()) {
            assertThatThrownBy(() -> accounts.addWithoutALease(1, 5)).isInstanceOf(NotAcquiredException.class);
            Thread waiter = new Thread(() -> accounts.addLater(1, 5));
            waiter.start();
            waiter.join(200);
            assertThat(amount()).isEqualTo(5);
            lease.close();
            waiter.join(30_000);
        }
        assertThat(amount()).isEqualTo(10);
    }

    @Test
    void anExceptionRollsBackAndReleasesTheLock() {
        watch.inTheMethod = () -> {
            throw new Accounts.Failed();
        };
        assertThatThrownBy(() -> accounts.add(1, 5)).isInstanceOf(Accounts.Failed.class);
        assertThat(watch.seen)
                .as("in the method, after the rollback")
                .hasSize(2)
                .allSatisfy(locks -> assertThat(locks).containsExactly("account:1"));
        assertThat(amount()).isZero();
    }

    @Test
    void aCheckedExceptionPassesUnchangedAndCommits() {
        assertThatThrownBy(() -> accounts.addAndThrow(1, 5))
                .isInstanceOf(Exception.class)
                .hasMessage("checked");
        assertThat(amount()).as("as Spring does without a lock").isEqualTo(5);
    }

    @Test
    void theMethodDoesNotRunIfTheLeaseWasLostBeforeItsTransaction() {
        BetweenLockAndTransaction.run(this::breakLock);
        for (int i = 0; i < 20; i++) {
            assertThatThrownBy(() -> accounts.add(1, 5)).isInstanceOf(LeaseLostException.class);
        }
        assertThat(watch.seen).isEmpty();
        assertThat(amount()).isZero();
        BetweenLockAndTransaction.run(() -> {});
        accounts.add(1, 5);
        assertThat(amount()).isEqualTo(5);
    }

    /** Spring resumes the outer scope twice. */
    @Test
    void aGuardThatFailsInAScopeWithoutATransactionIsReportedAsSuch() {
        BetweenLockAndTransaction.run(this::breakLock);
        TransactionTemplate scope = new TransactionTemplate(manager);
        scope.setPropagationBehavior(TransactionDefinition.PROPAGATION_SUPPORTS);
        scope.executeWithoutResult(
                status -> assertThatThrownBy(() -> accounts.add(1, 5)).isInstanceOf(LeaseLostException.class));
        BetweenLockAndTransaction.run(() -> {});
        scope.executeWithoutResult(status -> accounts.add(1, 5));
        assertThat(amount()).isEqualTo(5);
    }

    @Test
    void theTransactionIsGuardedUpToItsCommit() {
        watch.inTheMethod = () -> assertThatThrownBy(this::breakLock).isInstanceOf(DatabaseFailureException.class);
        accounts.add(1, 5);
        assertThat(amount()).isEqualTo(5);
    }

    @Test
    void aCallInsideOfATransactionIsRefused() {
        transactions.executeWithoutResult(status -> {
            assertThatThrownBy(() -> accounts.add(1, 5))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("@Locked at dev.dibs.spring.Accounts.add()")
                    .hasMessageContaining("inside of a transaction");
            assertThatThrownBy(() -> accounts.addInANewTransaction(1, 5)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> accounts.lockAlone(1)).isInstanceOf(IllegalStateException.class);
            TransactionTemplate suspended = new TransactionTemplate(manager);
            suspended.setPropagationBehavior(TransactionDefinition.PROPAGATION_NOT_SUPPORTED);
            suspended.executeWithoutResult(none -> accounts.addInANewTransaction(1, 5));
        });
        assertThat(amount()).as("the last one").isEqualTo(5);
    }

    @Test
    void aSecondLockedMethodWithinTheFirstIsRefused() {
        TransactionTemplate suspended = new TransactionTemplate(manager);
        suspended.setPropagationBehavior(TransactionDefinition.PROPAGATION_NOT_SUPPORTED);
        watch.inTheMethod = () ->
                suspended.executeWithoutResult(none -> assertThatThrownBy(() -> accounts.addInANewTransaction(1, 7))
                        .isInstanceOf(IllegalStateException.class));
        accounts.add(1, 5);
        assertThat(amount()).isEqualTo(5);
    }

    @Test
    void aNewTransactionWithinTheGuardedOneIsNotGuardedAgain() {
        TransactionTemplate another = new TransactionTemplate(manager);
        another.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        watch.inTheMethod =
                () -> another.executeWithoutResult(status -> jdbc.update("INSERT INTO account VALUES (2, 0)"));
        accounts.add(1, 5);
        assertThat(jdbc.queryForObject("SELECT count(*) FROM account", Integer.class))
                .isEqualTo(2);
        jdbc.update("DELETE FROM account WHERE id = 2");
    }

    @Test
    void aBusyLockIsNotAcquired() {
        try (Lease lease = dibs.lock("account", 1).acquire(Duration.ZERO)) {
            assertThatThrownBy(() -> accounts.add(1, 5)).isInstanceOf(NotAcquiredException.class);
            accounts.add(3, 5);
            assertThat(lease.isValid()).isTrue();
        }
        assertThat(amount()).isZero();
    }

    @Test
    void withoutATransactionItIsTheLockAlone() {
        assertThat(accounts.lockAlone(1)).containsExactly(List.of("account:1"));
        watch.inTheMethod = this::breakLock;
        assertThatThrownBy(() -> accounts.lockAlone(1)).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void theAnnotationOfAnInterfaceCounts() {
        assertThat(accounts.inherited()).containsExactly(List.of("inherited"));
    }

    @Test
    void aKeyThatIsNoneIsRefused() {
        assertThatThrownBy(() -> accounts.ofAnObject(null)).hasMessageContaining("is null");
        assertThatThrownBy(() -> accounts.ofAnObject(new Object()))
                .hasMessageContaining("@Locked at dev.dibs.spring.Accounts.ofAnObject()")
                .hasMessageContaining("no toString() of its own")
                .hasMessageContaining("Use a field of it");
        assertThatThrownBy(() -> accounts.ofAnObject(List.of(new Object())))
                .hasMessageContaining("no toString() of its own");
        assertThatThrownBy(() -> accounts.ofAField(null)).hasMessageContaining("#account.id()' cannot be computed");
        accounts.ofAField(new Accounts.Account(7));
    }

    @Test
    void placeholdersAreResolved() {
        assertThat(accounts.withPlaceholders()).containsExactly(List.of("bank"));
    }

    @Test
    void otherTransactionsAreNotGuarded() {
        transactions.executeWithoutResult(status -> jdbc.update("UPDATE account SET amount = 3"));
        assertThat(amount()).isEqualTo(3);
    }
}
