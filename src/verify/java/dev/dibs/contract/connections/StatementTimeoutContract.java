package dev.dibs.contract.connections;

import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Capability;
import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.claims.Claim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.database.OnEachDatabase;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.AbstractDataSource;

/**
 * The server cancels a statement that takes longer than the session's statement_timeout: it is undone, and that is known. So nothing is left
 * behind, and nothing is released in the background.
 */
@OnEachDatabase(PostgresDatabase.class)
class StatementTimeoutContract extends ContractFixture {

    private final String prefix = prefix();
    private final Timed timed = new Timed();
    private HikariDataSource sessions;
    private Dibs dibs;
    private Dibs there;

    @BeforeEach
    void connect() {
        sessions = closing(database().pool(config -> {}));
        there = dibs(pool(), prefix);
        there.admin().createSchema(Capability.LOCKS);
        dibs = closing(oftenRenewed(timed).tablePrefix(prefix).build());
        // Each table is looked at once.
        dibs.lock("first").acquire(LONG).close();
    }

    /** Its sessions have a statement_timeout only while a table is locked: elsewhere, a slow machine needs its time. */
    private final class Timed extends AbstractDataSource {

        private final AtomicInteger asked = new AtomicInteger();
        private volatile boolean isOn;

        /** From now on, until renewals have it, too: one that began before would wait for the table without a limit. */
        void switchOnForRenewals() {
            isOn = true;
            int before = asked.get();
            await().until(() -> asked.get() > before);
        }

        @Override
        public Connection getConnection() throws SQLException {
            asked.incrementAndGet();
            Connection connection = sessions.getConnection();
            run(connection, "SET statement_timeout = " + (isOn ? 300 : 0));
            return connection;
        }

        @Override
        public Connection getConnection(String user, String password) throws SQLException {
            return getConnection();
        }
    }

    /** Statements about a table wait meanwhile, until their time is over. */
    private final class Blocked implements AutoCloseable {
        private final Connection connection = pool().getConnection();
        private final String table;

        Blocked(String table) throws SQLException {
            this.table = table;
            timed.isOn = true;
            connection.setAutoCommit(false);
            run(connection, "LOCK TABLE " + table + " IN ACCESS EXCLUSIVE MODE");
        }

        /** Until a statement has waited in vain. */
        void awaitTimeout() {
            await().until(this::isAwaited);
            await().until(() -> !isAwaited());
        }

        private boolean isAwaited() throws SQLException {
            return Sql.on(connection)
                    .finds("SELECT 1 FROM pg_locks WHERE NOT granted AND relation = '" + table + "'::regclass");
        }

        @Override
        public void close() throws SQLException {
            connection.rollback();
            connection.setAutoCommit(true);
            connection.close();
            timed.isOn = false;
        }
    }

    private void timesOut(String table, ThrowingCallable call) throws SQLException {
        try (Blocked blocked = new Blocked(table)) {
            assertThat(blocked.table).isEqualTo(table);
            assertThatThrownBy(call)
                    .isInstanceOf(DatabaseFailureException.class)
                    .hasMessageContaining("57014")
                    .hasMessageNotContaining("unknown");
        }
    }

    @Test
    void anAcquireIsRefusedAndLeavesNothing() throws Exception {
        String name = fresh("acquire");
        timesOut(prefix + "lock", () -> dibs.lock(name).acquire(Duration.ZERO));
        assertThat(there.admin().locks()).extracting("name").doesNotContain(name);
        there.lock(name).tryAcquire().orElseThrow().close();
    }

    @Test
    void aRenewalIsSentAgain() throws Exception {
        String name = fresh("renew");
        Lease lease = dibs.lock(name).acquire(LONG);
        timed.switchOnForRenewals();
        try (Blocked blocked = new Blocked(prefix + "lock")) {
            blocked.awaitTimeout();
        }
        awaitRenewal(there, name);
        lease.check();
    }

    @Test
    void aReleaseIsSentAgain() throws Exception {
        String name = fresh("release");
        Dibs holder = dibs(timed, prefix);
        Lease lease = holder.lock(name).acquire(LONG);
        try (Blocked blocked = new Blocked(prefix + "lock")) {
            assertThat(blocked.table).isNotEmpty();
            lease.close();
        }
        there.lock(name).acquire(LONG.dividedBy(2)).close();
    }

    @Test
    void aClaimIsRefusedAndHoldsNothing() throws Exception {
        Jobs jobs = jobs(5);
        RowClaims<RowKey> claims = jobs.claims(dibs).build();
        timesOut(jobs.table(), () -> claims.claim(5));
        Claim<RowKey> claim = claims.claim(5);
        assertThat(claim.rows()).hasSize(5);
        timesOut(jobs.table(), () -> claim.complete(claim.keys()));
        assertThat(claim.complete(claim.keys()).lost()).isEmpty();
        assertThat(jobs.done()).hasSize(5);
    }
}
