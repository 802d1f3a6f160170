package dev.dibs.contract.connections;

import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.database.FullTest;
import dev.dibs.database.OnEachDatabase;
import dev.dibs.database.PgBouncer;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.Sql;
import dev.dibs.once.Once;
import dev.dibs.once.OnceOutcome;
import dev.dibs.runs.RunWorkers;
import dev.dibs.tokens.OneTimeTokens;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What docs/reference/poolers.md says about PgBouncer in transaction mode. */
@OnEachDatabase(PostgresDatabase.class)
class PoolerContract extends ContractFixture {

    private static final int SESSIONS = 4;
    private static final int TRIES = 200;

    @BeforeEach
    void needPgBouncer() {
        PgBouncer.obstacle().ifPresent(why -> Assumptions.abort(why));
    }

    private HikariDataSource through(PgBouncer pooler, String parameters) {
        return database().pool(config -> config.setJdbcUrl(pooler.url(parameters)));
    }

    @FullTest(except = "postgresql")
    void allWorksThroughTransactions() throws Exception {
        String name = fresh("pooled");
        PgBouncer pooler = closing(new PgBouncer(database(), SESSIONS));
        HikariDataSource pooled = closing(through(pooler, "?prepareThreshold=0"));
        Dibs dibs = closing(oftenRenewed(pooled).build());
        Dibs there = dibs();
        Jobs jobs = closing(new Jobs(pooled, 20));
        for (int i = 0; i < TRIES / 4; i++) {
            dibs.lock(name).acquire(LONG).close();
            dibs.semaphore(name, 2).acquire(LONG).close();
            dibs.readWriteLock(name).read().acquire(LONG).close();
            dibs.readWriteLock(name).write().acquire(LONG).close();
        }
        try (Lease lease = dibs.lock(name).fair().acquire(LONG)) {
            lease.inTransaction(pooled, tx -> {
                jobs.effect(tx, 1);
                lease.close();
                assertThat(there.lock(name).tryAcquire()).as("guarded").isEmpty();
            });
        }
        dibs.lock(name).inTransaction(pooled, LONG, tx -> {
            jobs.effect(tx, 2);
            assertThat(there.lock(name).tryAcquire()).as("a transaction's").isEmpty();
            assertThat(there.lock(name).tryInTransaction(pooled, other -> {})).isFalse();
        });
        try (Lease lease = dibs.lock(name).acquire(LONG)) {
            awaitRenewal(there, name);
            lease.check();
        }
        OneTimeTokens tokens = dibs.tokens(fresh("purpose"));
        String token = tokens.issue("somebody", Duration.ofMinutes(1));
        assertThat(tokens.consume(token).isOk()).isTrue();
        assertThat(tokens.consume(token).isOk()).isFalse();
        Once once = dibs.once(fresh("once")).every(Duration.ofHours(1));
        assertThat(once.tryRun(lease -> {})).isEqualTo(OnceOutcome.RAN);
        assertThat(once.tryRun(lease -> {})).isEqualTo(OnceOutcome.NOT_DUE);
        String failing = fresh("failing");
        assertThatThrownBy(() -> dibs.once(failing).every(Duration.ofHours(1)).tryRun(lease -> {
                    throw new IllegalStateException("bad");
                }))
                .hasMessage("bad");
        assertThat(dibs.admin().onces())
                .filteredOn(work -> work.name().equals(failing))
                .extracting("failures")
                .containsExactly(1L);
        RunWorkers<?> workers = dibs.run(fresh("run"))
                .over(jobs.claims(dibs).build())
                .threads(3)
                .workInTransaction((key, connection) -> jobs.effect(connection, key.asLong()));
        assertThat(workers.start().await()).isEqualTo(RunWorkers.End.FINISHED);
        assertThat(dibs.admin().doctor()).isNotEmpty();
    }

    /** Without a pooler, or in session mode, each open connection has a session of its own. */
    @Test
    void twoOpenConnectionsInOneSessionShowTransactionMode() throws Exception {
        PgBouncer pooler = closing(new PgBouncer(database(), 1));
        Connection one = closing(pooler.dataSource("?prepareThreshold=0").getConnection());
        Connection other = closing(pooler.dataSource("?prepareThreshold=0").getConnection());
        Connection direct = connection();
        Connection beside = connection();
        assertThat(session(one)).isEqualTo(session(other));
        assertThat(session(direct)).isNotEqualTo(session(beside));
    }

    private static int session(Connection connection) throws SQLException {
        return (int) Sql.on(connection).number("SELECT pg_backend_pid()");
    }

    /** A release sets synchronous_commit for its own transaction alone. */
    @Test
    void noSettingStaysInASession() throws Exception {
        PgBouncer pooler = closing(new PgBouncer(database(), 1));
        HikariDataSource pooled = closing(through(pooler, "?prepareThreshold=0"));
        Dibs dibs = dibs(pooled);
        dibs.lock(fresh("setting")).acquire(LONG).close();
        assertThat(Sql.on(pooled).text("SHOW synchronous_commit")).isEqualTo("on");
    }

    /** A LISTEN stays in a session that others use: its notifications are lost, and waiters poll. */
    @Test
    void waitersPollWhereNotificationsAreLost() throws Exception {
        String name = fresh("wake");
        PgBouncer pooler = closing(new PgBouncer(database(), SESSIONS));
        HikariDataSource pooled = closing(through(pooler, "?prepareThreshold=0"));
        Dibs waiter = closing(builder(pooled).wakeByNotify().build());
        Dibs holder = closing(builder(pooled).wakeByNotify().build());
        Lease held = holder.lock(name).acquire(LONG);
        AtomicReference<Lease> got = new AtomicReference<>();
        Thread waiting = new Thread(() -> got.set(waiter.lock(name).acquire(LONG)));
        waiting.start();
        await().until(() -> waiting.getState() == Thread.State.TIMED_WAITING);
        held.close();
        waiting.join(LONG.toMillis());
        assertThat(got.get()).isNotNull();
        got.get().close();
    }

    @Test
    void preparedStatementsAreAnErrorThatNamesTheSetting() throws Exception {
        String name = fresh("prepared");
        PgBouncer pooler = closing(new PgBouncer(database(), 1));
        HikariDataSource one = closing(through(pooler, "?prepareThreshold=5"));
        HikariDataSource other = closing(through(pooler, "?prepareThreshold=5"));
        Dibs here = dibs(one);
        Dibs there = dibs(other);
        // Both drivers give their first statement the same name.
        assertThatThrownBy(() -> {
                    for (int i = 0; i < TRIES; i++) {
                        here.lock(name).acquire(LONG).close();
                        there.lock(name).acquire(LONG).close();
                    }
                })
                .isInstanceOf(DatabaseFailureException.class)
                .hasMessageContaining("PgBouncer")
                .hasMessageContaining("prepareThreshold=0");
    }
}
