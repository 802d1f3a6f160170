package dev.dibs.database;

import java.io.PrintWriter;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** Passes all calls on, and lets a subclass intercept each call of a connection and each execution of a statement. */
abstract class WatchedDataSource implements DataSource {
    /** A setting of the connection, where each statement of Dibs has one around it. It is no statement of an operation. */
    private static final String WAIT = "busy_timeout";

    private final DataSource target;

    WatchedDataSource(DataSource target) {
        this.target = target;
    }

    /** The original call. */
    interface Call {
        Object proceed() throws Throwable;
    }

    Connection connect(Call call) throws Throwable {
        return (Connection) call.proceed();
    }

    /** Around any method of a connection. */
    Object onConnection(Connection connection, Method method, Object[] arguments, Call call) throws Throwable {
        return call.proceed();
    }

    /** Around {@code execute..}; the texts of a batch are joined by a semicolon. */
    Object onExecution(Connection connection, String sql, Call call) throws Throwable {
        return call.proceed();
    }

    /** Around the checks of a table, once for each instance and table, which does not count as a cost of an operation. */
    Object onLook(Connection connection, String sql, Call call) throws Throwable {
        return call.proceed();
    }

    /** All other statements that want no row say 1 = 0. */
    private static boolean isLook(String sql) {
        return sql.endsWith(" WHERE 0 = 1")
                || sql.startsWith("SELECT 'table' AS fact")
                || sql.startsWith("SELECT 1 AS alike");
    }

    @Override
    public final Connection getConnection() throws SQLException {
        return watched(target::getConnection);
    }

    @Override
    public final Connection getConnection(String user, String password) throws SQLException {
        return watched(() -> target.getConnection(user, password));
    }

    private Connection watched(Call call) throws SQLException {
        try {
            Connection connection = connect(call);
            return proxy(Connection.class, new WatchedConnection(connection));
        } catch (SQLException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new SQLException(e);
        }
    }

    private final class WatchedConnection implements InvocationHandler {
        private final Connection connection;

        WatchedConnection(Connection connection) {
            this.connection = connection;
        }

        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
            if (method.getDeclaringClass() == Object.class) {
                return identity(connection, proxy, method, arguments);
            }
            Object result = onConnection(connection, method, arguments, () -> pass(connection, method, arguments));
            if (result instanceof Statement statement) {
                String sql = arguments != null && arguments[0] instanceof String text ? text : null;
                return proxy(method.getReturnType(), new WatchedStatement((Connection) proxy, statement, sql));
            }
            return result;
        }

        private final class WatchedStatement implements InvocationHandler {
            private final Connection owner;
            private final Statement statement;
            /** The text of a prepared statement, else null. */
            private final String prepared;

            private final List<String> batch = new ArrayList<>();

            WatchedStatement(Connection owner, Statement statement, String prepared) {
                this.owner = owner;
                this.statement = statement;
                this.prepared = prepared;
            }

            @Override
            public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
                if (method.getDeclaringClass() == Object.class) {
                    return identity(statement, proxy, method, arguments);
                }
                String name = method.getName();
                if (name.equals("getConnection")) {
                    return owner;
                }
                if (name.equals("addBatch")) {
                    batch.add(textOf(arguments));
                } else if (name.equals("clearBatch")) {
                    batch.clear();
                }
                if (!name.startsWith("execute")) {
                    return pass(statement, method, arguments);
                }
                String sql = name.endsWith("Batch") ? takeBatch() : textOf(arguments);
                Call call = () -> pass(statement, method, arguments);
                if (sql.contains(WAIT)) {
                    return call.proceed();
                }
                return isLook(sql) ? onLook(connection, sql, call) : onExecution(connection, sql, call);
            }

            private String textOf(Object[] arguments) {
                return arguments == null ? prepared : (String) arguments[0];
            }

            private String takeBatch() {
                String sql = prepared != null ? prepared : String.join(";\n", batch);
                batch.clear();
                return sql;
            }
        }
    }

    static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(
                Proxy.newProxyInstance(WatchedDataSource.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    /** Calls the original; an exception comes out unchanged. */
    static Object pass(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static Object identity(Object target, Object proxy, Method method, Object[] arguments) {
        return switch (method.getName()) {
            case "equals" -> proxy == arguments[0];
            case "hashCode" -> System.identityHashCode(proxy);
            default -> "watched " + target;
        };
    }

    @Override
    public final PrintWriter getLogWriter() throws SQLException {
        return target.getLogWriter();
    }

    @Override
    public final void setLogWriter(PrintWriter out) throws SQLException {
        target.setLogWriter(out);
    }

    @Override
    public final int getLoginTimeout() throws SQLException {
        return target.getLoginTimeout();
    }

    @Override
    public final void setLoginTimeout(int seconds) throws SQLException {
        target.setLoginTimeout(seconds);
    }

    @Override
    public final Logger getParentLogger() {
        return Logger.getLogger(getClass().getPackageName());
    }

    @Override
    public final <T> T unwrap(Class<T> type) throws SQLException {
        return type.isInstance(target) ? type.cast(target) : target.unwrap(type);
    }

    @Override
    public final boolean isWrapperFor(Class<?> type) throws SQLException {
        return type.isInstance(target) || target.isWrapperFor(type);
    }
}
