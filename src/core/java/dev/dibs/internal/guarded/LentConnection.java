package dev.dibs.internal.guarded;

import dev.dibs.DatabaseFailureException;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.values.Strings;
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
 * called, and passes everything else on. Savepoints work. A {@link TransactionMark} finds out whether a statement or an error has ended the transaction
 * nevertheless: then it refuses what would begin another one.
 *
 * <p>It is a proxy, so that it has the methods of every later JDBC, too. The driver's own connection can be had by {@code unwrap}.
 */
public final class LentConnection {

    private static final Set<String> OF_SAVEPOINTS = Set.of("setSavepoint", "rollback", "releaseSavepoint");

    private static final Set<String> SENT =
            Set.of("setSavepoint", "rollback", "releaseSavepoint", "insertRow", "updateRow", "deleteRow", "refreshRow");

    /** How much of a text a message shows. */
    private static final int SHOWN = 20;

    private final Connection connection;
    private final Guard guard;
    private final TransactionMark mark;
    private final boolean separated;
    private final Connection proxy;
    private volatile boolean used;

    LentConnection(Connection connection, Guard guard, Database database) {
        this.connection = connection;
        this.guard = guard;
        this.mark = new TransactionMark(connection, guard, database);
        this.separated = !database.statements().features().statementsNeedNoSeparator();
        this.proxy = proxy(Connection.class, this::onConnection);
    }

    public Connection get() {
        return proxy;
    }

    /** From now on it sends nothing, nor does a statement that the work has kept. Returns whether the work has ended the transaction. */
    boolean close() {
        return mark.close();
    }

    /** Whether the work has made a statement. */
    public boolean isUsed() {
        return used;
    }

    /**
     * Requires that a commit would commit the whole transaction. That is a round trip, but only after an error that the work has caught, or
     * where it had the driver's own objects.
     *
     * @throws DatabaseFailureException if the transaction has ended, or the database would roll it back
     * @throws IllegalStateException if the driver's own connection was closed, or autocommit switched on
     */
    public void requireCommittable() throws SQLException {
        mark.requireNoEnd();
        if (connection.isClosed() || connection.getAutoCommit()) {
            throw new IllegalStateException(
                    "the connection was closed, or switched to autocommit: by the work, or by a pool"
                            + " that closes a connection after some errors. What the work did since was no part of the transaction,"
                            + " and may be committed. " + guard.ends());
        }
        mark.requireCommittable();
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
            case "setReadOnly" -> {
                // Some drivers go on with the session of a replica.
                if (!Boolean.valueOf(connection.isReadOnly()).equals(argument(arguments))) {
                    throw refused("setReadOnly(..)");
                }
                return null;
            }
            default -> {
                // Passed on below.
            }
        }
        return pass(connection, StatementKind.PLAIN, self, method, arguments);
    }

    /** A statement, its rows, or what the driver tells of itself. */
    private final class Other implements InvocationHandler {

        private final Object target;
        /** What {@code getStatement} returns, where that is not the target's own. */
        private final @Nullable Object source;
        /** Of the prepared text, or of the batch. */
        private StatementKind kind;

        Other(Object target, @Nullable Object source, StatementKind kind) {
            this.target = target;
            this.source = source;
            this.kind = kind;
        }

        @Override
        public @Nullable Object invoke(Object self, Method method, @Nullable Object @Nullable [] arguments)
                throws Throwable {
            switch (method.getName()) {
                case "getConnection" -> {
                    return proxy;
                }
                case "getStatement" -> {
                    if (source != null) {
                        return source;
                    }
                }
                case "addBatch" -> {
                    if (argument(arguments) instanceof String sql) {
                        StatementKind added = kind(sql);
                        kind = kind.compareTo(added) < 0 ? added : kind;
                    }
                }
                default -> {
                    // Passed on below.
                }
            }
            return pass(target, kind, self, method, arguments);
        }
    }

    /**
     * Passes a call on, and wraps results that lead back to the connection.
     *
     * @param prepared the kind of the text that was prepared
     */
    private @Nullable Object pass(
            Object target, StatementKind prepared, Object self, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        Object first = argument(arguments);
        String name = method.getName();
        StatementKind kind = prepared;
        switch (name) {
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
                mark.mayPassUnseen();
                return invoke(target, method, arguments);
            }
            case "isWrapperFor" -> {
                if (first instanceof Class<?> type && type.isInstance(self)) {
                    return true;
                }
            }
            default -> {
                if (first instanceof String sql && takesSql(name)) {
                    kind = kind(sql);
                }
            }
        }
        if (isSent(name)) {
            mark.requireTransaction();
        }
        Object result = send(target, kind, method, arguments);
        if (result instanceof Statement || result instanceof DatabaseMetaData) {
            if (result instanceof Statement) {
                used = true;
            }
            return proxy(method.getReturnType(), new Other(result, null, kind));
        }
        if (result instanceof ResultSet) {
            return proxy(
                    ResultSet.class, new Other(result, self instanceof Statement ? self : null, StatementKind.PLAIN));
        }
        return result;
    }

    /** Sends what is a statement, with a mark before it if need be. */
    private @Nullable Object send(
            Object target, StatementKind kind, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        String name = method.getName();
        if (kind == StatementKind.UNKNOWN && name.startsWith("execute")) {
            mark.before();
            Object result;
            try {
                result = method.invoke(target, arguments);
            } catch (InvocationTargetException e) {
                mark.afterFailure(e.getCause() instanceof SQLException error ? error : null);
                throw e.getCause();
            }
            mark.after();
            return result;
        }
        if (OF_SAVEPOINTS.contains(name) || (kind == StatementKind.SAVEPOINTS && name.startsWith("execute"))) {
            boolean marked = mark.beforeSavepoint();
            Object result = invoke(target, method, arguments);
            if (name.equals("rollback")) {
                mark.undone();
            }
            mark.afterSavepoint(marked);
            return result;
        }
        return invoke(target, method, arguments);
    }

    /** Whether it may come to the database. */
    private static boolean isSent(String method) {
        return takesSql(method) || SENT.contains(method);
    }

    private static boolean takesSql(String method) {
        return method.startsWith("prepare") || method.startsWith("execute") || method.equals("addBatch");
    }

    /** The kind of a text, which is refused if it says that it ends the transaction. */
    private StatementKind kind(String sql) throws SQLException {
        StatementKind kind = StatementKind.of(sql, separated);
        if (kind == StatementKind.END) {
            throw refused("the statement " + shown(sql));
        }
        return kind;
    }

    private static String shown(String sql) {
        String text = Strings.oneLine(sql.strip());
        return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "..";
    }

    private SQLException refused(String what) {
        return new SQLException(
                what + " would end this transaction, and is refused: " + guard.ends(), TransactionMark.STATE);
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
                mark.passed(error, isSent(method.getName()));
            }
            throw e.getCause();
        }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(LentConnection.class.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
