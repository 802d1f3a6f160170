package dev.dibs.internal.transaction;

import dev.dibs.DatabaseFailureException;
import dev.dibs.internal.sql.run.Database;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The connection that the user's work gets inside a transaction of Dibs. It refuses calls that would end the transaction, at the line where that is
 * called, and passes everything else on. Savepoints work. It sees the errors that the work gets: if one of them has ended the transaction, it
 * refuses what would begin another one.
 *
 * <p>It is a proxy, so that it has the methods of every later JDBC, too. The driver's own connection can be had by {@code unwrap}.
 */
public final class LentConnection {

    /** SQLSTATE: invalid transaction termination. */
    private static final String STATE = "2D000";

    private static final Set<String> SENT =
            Set.of("setSavepoint", "rollback", "insertRow", "updateRow", "deleteRow", "refreshRow");

    private final Connection connection;
    private final String ends;
    private final PassedErrors errors;
    private final boolean sessionStatementsCommit;
    private final Connection proxy;
    private volatile boolean used;

    /**
     * Lends a connection.
     *
     * @param ends who ends the transaction, and when, as in "inTransaction commits when the work returns"
     */
    public LentConnection(Connection connection, String ends, Database database) {
        this.connection = connection;
        this.ends = ends;
        this.errors = new PassedErrors(connection, database);
        this.sessionStatementsCommit = database.statements().features().sessionStatementsCommit();
        this.proxy = proxy(Connection.class, this::onConnection);
    }

    public Connection get() {
        return proxy;
    }

    /** Whether the work has made a statement. */
    public boolean isUsed() {
        return used;
    }

    /**
     * Requires that the transaction is still open, as far as the driver knows without a round trip. The work may have reached the driver's
     * own connection.
     *
     * @throws IllegalStateException if the connection was closed, or autocommit switched on
     */
    public void requireOpen() throws SQLException {
        if (connection.isClosed() || connection.getAutoCommit()) {
            throw new IllegalStateException("the work has closed its connection, or has switched autocommit on: what it"
                    + " did since was no part of the transaction, and may be committed. " + ends);
        }
    }

    /**
     * Requires that a commit would commit. That is a round trip, but only after an error that the work has caught.
     *
     * @param what the transaction, as the beginning of a message
     * @throws DatabaseFailureException if the database has rolled the transaction back, or would
     */
    public void requireCommittable(String what) {
        errors.requireCommittable(what);
    }

    private @Nullable Object onConnection(Object self, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        switch (method.getName()) {
            case "commit", "close", "abort" -> throw refused(method.getName() + "()");
            case "rollback" -> {
                if (method.getParameterCount() == 0) {
                    throw refused("rollback()");
                }
            }
            case "setAutoCommit" -> {
                if (Boolean.TRUE.equals(argument(arguments))) {
                    throw refused("setAutoCommit(true)");
                }
                return null;
            }
            case "setTransactionIsolation" -> {
                // Some drivers commit, whatever the level.
                if (!Integer.valueOf(connection.getTransactionIsolation()).equals(argument(arguments))) {
                    throw refused("setTransactionIsolation(..)");
                }
                return null;
            }
            default -> {
                // Passed on below.
            }
        }
        return pass(connection, self, method, arguments);
    }

    private @Nullable Object onOther(Object target, Object self, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        return method.getName().equals("getConnection") ? proxy : pass(target, self, method, arguments);
    }

    /** Passes a call on, and wraps results that lead back to the connection. */
    private @Nullable Object pass(Object target, Object self, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        Object first = argument(arguments);
        switch (method.getName()) {
            case "equals" -> {
                return self == first;
            }
            case "hashCode" -> {
                return System.identityHashCode(self);
            }
            case "unwrap" -> {
                if (first instanceof Class<?> type && type.isInstance(self)) {
                    return self;
                }
                errors.mayPassUnseen();
                return invoke(target, method, arguments);
            }
            case "isWrapperFor" -> {
                if (first instanceof Class<?> type && type.isInstance(self)) {
                    return true;
                }
            }
            default -> {
                if (first instanceof String sql && takesSql(method.getName())) {
                    requireHarmless(sql);
                }
            }
        }
        if (isSent(method.getName())) {
            errors.requireTransaction();
        }
        Object result = invoke(target, method, arguments);
        if (method.getName().equals("rollback")) {
            errors.undone();
        }
        if (result instanceof Statement || result instanceof DatabaseMetaData) {
            if (result instanceof Statement) {
                used = true;
            }
            return proxy(method.getReturnType(), (wrapper, called, values) -> onOther(result, wrapper, called, values));
        }
        if (result instanceof ResultSet rows) {
            return proxy(ResultSet.class, (wrapper, called, values) -> onRows(rows, self, wrapper, called, values));
        }
        return result;
    }

    /** Rows lead back to the statement that has returned them. */
    private @Nullable Object onRows(
            ResultSet rows, Object source, Object self, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        return method.getName().equals("getStatement") && source instanceof Statement
                ? source
                : pass(rows, self, method, arguments);
    }

    /** Whether a call of that name is, or prepares, a statement in the transaction. */
    private static boolean isSent(String method) {
        return takesSql(method) || SENT.contains(method);
    }

    private static boolean takesSql(String method) {
        return method.startsWith("prepare") || method.startsWith("execute") || method.equals("addBatch");
    }

    private void requireHarmless(String sql) throws SQLException {
        String end = TransactionEnds.endIn(sql);
        if (end != null) {
            throw refused("the statement " + end);
        }
        String doubt = TransactionEnds.doubtIn(sql, sessionStatementsCommit);
        if (doubt != null && connection.getMetaData().dataDefinitionCausesTransactionCommit()) {
            throw new SQLException(
                    "on this database, the statement " + doubt
                            + " may end this transaction, and is refused (use another connection for it): " + ends,
                    STATE);
        }
    }

    private SQLException refused(String what) {
        return new SQLException(what + " would end this transaction, and is refused: " + ends, STATE);
    }

    private static @Nullable Object argument(@Nullable Object @Nullable [] arguments) {
        return arguments == null || arguments.length == 0 ? null : arguments[0];
    }

    private @Nullable Object invoke(Object target, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof SQLException error) {
                errors.passed(error);
            }
            throw e.getCause();
        }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(LentConnection.class.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
