package dev.dibs.internal.sql.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.dibs.internal.sql.errors.SqlErrors;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.errors.SqlFailure.Outcome;
import dev.dibs.internal.sql.files.DialectFolder;
import dev.dibs.internal.sql.files.Features.LocksMoreFrom;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** On stub connections: no real database fails on request in each of these places. */
@Tag("unit")
class SettingsTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(1);

    private static final SqlErrors ERRORS = SqlErrors.load(DialectFolder.named("h2"));

    private final Settings readCommitted = new Settings(true, null, "", LocksMoreFrom.NEVER);
    private final Settings any = new Settings(false, null, "", LocksMoreFrom.NEVER);
    private final Stub stub = new Stub();

    @Test
    void aConnectionThatIsAsItShouldBeIsNotTouched() throws SqlFailure {
        stub.network = 500;
        run(readCommitted);
        assertThat(stub.changes).containsExactly("work");
    }

    @Test
    void theIsolationIsNotAskedForWhereNobodyNeedsIt() throws SqlFailure {
        stub.isolation = Connection.TRANSACTION_SERIALIZABLE;
        stub.failures.put("getTransactionIsolation", new SQLException("a round trip"));
        run(any);
        assertThat(stub.isolation).isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
    }

    @Test
    void theNetworkTimeoutIsBounded() throws SqlFailure {
        stub.network = 0;
        run(any);
        assertThat(stub.changes).containsExactly("setNetworkTimeout 1000", "work", "setNetworkTimeout 0");
        stub.changes.clear();
        stub.network = 30_000;
        run(any);
        assertThat(stub.changes).containsExactly("setNetworkTimeout 1000", "work", "setNetworkTimeout 30000");
    }

    @Test
    void theNetworkTimeoutIsNeverNone() throws SqlFailure {
        with(any, stub, "s", Duration.ZERO, connection -> {});
        assertThat(stub.changes).containsExactly("setNetworkTimeout 1", "setNetworkTimeout 0");
        stub.changes.clear();
        with(any, stub, "s", Duration.ofDays(100), connection -> {});
        assertThat(stub.changes).containsExactly("setNetworkTimeout " + Integer.MAX_VALUE, "setNetworkTimeout 0");
    }

    @Test
    void aDriverWithoutNetworkTimeoutsIsAskedOnce() throws SqlFailure {
        stub.failures.put("getNetworkTimeout", new SQLFeatureNotSupportedException());
        run(any);
        stub.failures.put("getNetworkTimeout", new SQLException("asked again"));
        run(any);
    }

    @Test
    void aDriverThatIgnoresNetworkTimeoutsMayHangOverANetworkOnly() throws SqlFailure {
        run(any);
        assertThat(any.mayHang()).isFalse();
        stub.ignoresNetworkTimeouts = true;
        Settings embedded = new Settings(false, null, "", LocksMoreFrom.NEVER);
        run(embedded);
        assertThat(embedded.mayHang()).isFalse();
        stub.url = "jdbc:stub:tcp://somewhere/db";
        Settings remote = new Settings(false, null, "", LocksMoreFrom.NEVER);
        run(remote);
        assertThat(remote.mayHang()).isTrue();
    }

    /** The process that hosts it waits for no network; another one may become the host. */
    @Test
    void aFileOfH2MayHangWhileAnotherProcessHostsIt() throws SqlFailure {
        stub.ignoresNetworkTimeouts = true;
        stub.url = "jdbc:h2:async:/data/app";
        for (int servers : new int[] {0, 1, 0}) {
            stub.servers = servers;
            run(any);
            assertThat(any.mayHang()).isEqualTo(servers == 1);
        }
    }

    @Test
    void aDriverOlderThanNetworkTimeoutsIsAskedOnce() throws SqlFailure {
        stub.failures.put("setNetworkTimeout", new AbstractMethodError());
        run(any);
        stub.failures.put("setNetworkTimeout", new SQLException("asked again"));
        run(any);
    }

    @Test
    void allGoesBackInAnOrderThatNeedsNoTransaction() throws SqlFailure {
        stub.autoCommit = false;
        stub.isolation = Connection.TRANSACTION_REPEATABLE_READ;
        run(readCommitted);
        assertThat(stub.changes)
                .containsExactly(
                        "setAutoCommit true",
                        "setTransactionIsolation 2",
                        "setNetworkTimeout 1000",
                        "work",
                        "setNetworkTimeout 0",
                        "setTransactionIsolation 4",
                        "setAutoCommit false");
    }

    @Test
    void aFailureBeforeTheStatementIsNotSent() {
        for (String step : List.of(
                "getAutoCommit",
                "setAutoCommit",
                "getTransactionIsolation",
                "setTransactionIsolation",
                "getNetworkTimeout",
                "setNetworkTimeout")) {
            Stub broken = new Stub();
            broken.autoCommit = false;
            broken.isolation = Connection.TRANSACTION_SERIALIZABLE;
            broken.failures.put(step, new SQLException("broken", "08006"));
            SqlFailure failure = catchThrowableOfType(
                    SqlFailure.class, () -> with(readCommitted, broken, "acquire_lock", TIMEOUT, broken::work));
            assertThat(failure).as(step).isNotNull();
            assertThat(failure.outcome()).as(step).isEqualTo(Outcome.NOT_SENT);
            assertThat(broken.changes).as(step).doesNotContain("work");
        }
    }

    /** A pooled connection that has died is noticed there, with several drivers. */
    @Test
    void aTransactionThatCannotBeginIsNotSent() {
        stub.failures.put("setAutoCommit", new SQLException("broken", "08006"));
        SqlFailure failure = catchThrowableOfType(SqlFailure.class, () -> inTransaction(any, stub));
        assertThat(failure.outcome()).isEqualTo(Outcome.NOT_SENT);
        assertThat(stub.changes).doesNotContain("work");
    }

    @Test
    void aTransactionIsReadCommittedWhereItWouldLockMore() throws SqlFailure {
        stub.isolation = Connection.TRANSACTION_REPEATABLE_READ;
        inTransaction(new Settings(false, null, "next", LocksMoreFrom.REPEATABLE_READ), stub);
        inTransaction(new Settings(false, null, "next", LocksMoreFrom.SERIALIZABLE), stub);
        inTransaction(any, stub);
        assertThat(stub.sent).containsExactly("next");
        assertThat(stub.isolation).isEqualTo(Connection.TRANSACTION_REPEATABLE_READ);
    }

    @Test
    void changedSettingsGoBackWhenALaterChangeFails() {
        stub.autoCommit = false;
        stub.isolation = Connection.TRANSACTION_SERIALIZABLE;
        stub.failures.put("setNetworkTimeout", new SQLException("broken"));
        assertThatThrownBy(() -> run(readCommitted)).isInstanceOf(SqlFailure.class);
        assertThat(stub.autoCommit).isFalse();
        assertThat(stub.isolation).isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
    }

    @Test
    void allGoesBackWhenTheStatementFails() {
        stub.autoCommit = false;
        SqlFailure failure = catchThrowableOfType(
                SqlFailure.class,
                () -> with(any, stub, "acquire_lock", TIMEOUT, connection -> {
                    throw new SQLException("deadlock", "40001");
                }));
        assertThat(failure.outcome()).isEqualTo(Outcome.ROLLED_BACK);
        assertThat(failure.statement()).isEqualTo("acquire_lock");
        assertThat(stub.autoCommit).isFalse();
        assertThat(stub.network).isZero();
    }

    @Test
    void otherExceptionsOfADriverAreUnknown() {
        SqlFailure failure = catchThrowableOfType(
                SqlFailure.class,
                () -> with(any, stub, "acquire_lock", TIMEOUT, connection -> {
                    throw new IllegalStateException("a driver's bug");
                }));
        assertThat(failure.outcome()).isEqualTo(Outcome.UNKNOWN);
    }

    @Test
    void aStatementThatSucceededStaysSoWhenNothingCanBeRestored() throws SqlFailure {
        stub.autoCommit = false;
        with(
                any,
                stub,
                "acquire_lock",
                TIMEOUT,
                connection -> stub.failures.put("setNetworkTimeout", new SQLException("lost", "08006")));
        assertThat(stub.network).isEqualTo(1000);
    }

    @Test
    void aConnectionThatAFailureHasClosedIsLeftAlone() {
        stub.autoCommit = false;
        assertThatThrownBy(() -> with(any, stub, "acquire_lock", TIMEOUT, connection -> {
                    stub.closed = true;
                    stub.changes.clear();
                    throw new SQLException("lost", "08006");
                }))
                .isInstanceOf(SqlFailure.class);
        assertThat(stub.changes).isEmpty();
    }

    /** On a thread of Dibs, which has no transaction of a caller. */
    private static void with(Settings settings, Stub on, String statement, Duration timeout, Connections.Work work)
            throws SqlFailure {
        new Connections(on::connection, Runnable::run, true, ERRORS, settings).run(statement, timeout, false, work);
    }

    private static void inTransaction(Settings settings, Stub on) throws SqlFailure {
        new Connections(on::connection, Runnable::run, true, ERRORS, settings)
                .run("claim_rows", TIMEOUT, true, on::work);
    }

    private void run(Settings settings) throws SqlFailure {
        with(settings, stub, "acquire_lock", TIMEOUT, stub::work);
    }

    /** A connection that has only its settings; every change is recorded, and any method fails on request. */
    private static final class Stub {
        private final List<String> changes = new ArrayList<>();
        private final List<String> sent = new ArrayList<>();
        private final Map<String, Throwable> failures = new HashMap<>();
        private boolean autoCommit = true;
        private boolean closed;
        private int isolation = Connection.TRANSACTION_READ_COMMITTED;
        private int network;
        private boolean ignoresNetworkTimeouts;
        private String url = "jdbc:stub:";
        private int servers;

        void work(Connection connection) {
            changes.add("work");
        }

        Connection connection() {
            return (Connection) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, args) -> {
                        Throwable failure = failures.get(method.getName());
                        if (failure != null) {
                            throw failure;
                        }
                        return answer(method.getName(), args);
                    });
        }

        private Object answer(String method, Object[] args) {
            return switch (method) {
                case "getAutoCommit" -> autoCommit;
                case "getTransactionIsolation" -> isolation;
                case "getNetworkTimeout" -> network;
                case "isClosed" -> closed;
                case "close" -> {
                    closed = true;
                    yield null;
                }
                case "commit", "rollback", "abort" -> null;
                case "createStatement" ->
                    Proxy.newProxyInstance(
                            getClass().getClassLoader(),
                            new Class<?>[] {Statement.class},
                            (proxy, called, text) -> called.getName().equals("execute") && sent.add((String) text[0]));
                case "getClientInfo" -> String.valueOf(servers);
                case "getMetaData" ->
                    Proxy.newProxyInstance(
                            getClass().getClassLoader(),
                            new Class<?>[] {DatabaseMetaData.class},
                            (proxy, asked, none) -> url);
                default -> change(method, args[args.length - 1]);
            };
        }

        private Object change(String method, Object value) {
            switch (method) {
                case "setAutoCommit" -> autoCommit = (boolean) value;
                case "setTransactionIsolation" -> isolation = (int) value;
                case "setNetworkTimeout" -> network = ignoresNetworkTimeouts ? 0 : (int) value;
                default -> throw new UnsupportedOperationException(method);
            }
            changes.add(method + " " + value);
            return null;
        }
    }
}
