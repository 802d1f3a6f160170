package dev.dibs;

import dev.dibs.database.Sql;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** PostgreSQL's own data about waiters. */
record WakeServer(DataSource dataSource) {

    /** How many processes have a name marked; other tests have their own names at the same time. */
    int marks(String name) {
        return Integer.parseInt(ask("SELECT count(*)" + marked(name)).get(0));
    }

    /** The sessions that have it marked. */
    List<String> listeners(String name) {
        return ask("SELECT pid" + marked(name));
    }

    /** Ends the connections that have it marked. */
    void terminateListeners(String name) {
        ask("SELECT pg_terminate_backend(pid)" + marked(name));
    }

    private static String marked(String name) {
        return " FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ShareLock'"
                + " AND (classid::bigint << 32 | objid::bigint) IN (" + numbersOf(name) + ")";
    }

    private static String numbersOf(String name) {
        return "SELECT hashtextextended('" + name + "', ('dibs_' || kind)::regclass::oid::bigint)"
                + " FROM unnest('{lock,permit,gate,reader}'::text[]) AS kind";
    }

    void execute(String sql) throws SQLException {
        Sql.on(dataSource).run(sql);
    }

    private List<String> ask(String sql) {
        try (Connection connection = dataSource.getConnection()) {
            return ask(connection, sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<String> ask(Connection connection, String sql) throws SQLException {
        return Sql.on(connection).texts(sql);
    }

    /** The channels to which the pool's connections, all borrowed at once, still listen. */
    static List<String> channels(DataSource pool, int size) throws SQLException {
        List<String> channels = new ArrayList<>();
        List<Connection> all = new ArrayList<>();
        try {
            for (int i = 0; i < size; i++) {
                all.add(pool.getConnection());
                channels.addAll(ask(all.get(i), "SELECT pg_listening_channels()"));
            }
        } finally {
            for (Connection connection : all) {
                connection.close();
            }
        }
        return channels;
    }

    /** The same connections, which get no notification while they are deaf, as behind a pooler that shares their session. */
    static DataSource deaf(DataSource pool, AtomicBoolean deaf) {
        return proxy(DataSource.class, pool, (name, result) -> {
            Connection connection = (Connection) result;
            return proxy(Connection.class, connection, (method, unwrapped) -> {
                if (!(unwrapped instanceof PGConnection) || !method.equals("unwrap")) {
                    return unwrapped;
                }
                return proxy(
                        PGAndConnection.class,
                        unwrapped,
                        (call, heard) ->
                                deaf.get() && heard instanceof PGNotification[] ? new PGNotification[0] : heard);
            });
        });
    }

    /** Like the driver's own. */
    interface PGAndConnection extends PGConnection, Connection {}

    private interface Change {
        Object of(String method, Object result);
    }

    private static <T> T proxy(Class<T> type, Object target, Change change) {
        return type.cast(Proxy.newProxyInstance(
                WakeServer.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    try {
                        Object result = target.getClass()
                                .getMethod(method.getName(), method.getParameterTypes())
                                .invoke(target, arguments);
                        return change.of(method.getName(), result);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    /** Listens for notifications of a name. */
    Ear listen(String name) throws SQLException {
        return new Ear(dataSource.getConnection(), ask(numbersOf(name)));
    }

    /** Collects notifications. */
    static final class Ear implements AutoCloseable {
        private final Connection connection;
        private final List<String> known;

        private Ear(Connection connection, List<String> known) throws SQLException {
            this.connection = connection;
            this.known = known;
            execute("LISTEN dibs");
        }

        private void execute(String sql) throws SQLException {
            Sql.on(connection).run(sql);
        }

        /** The numbers of the name since the last call. */
        List<String> numbers() throws SQLException {
            String end = "all that came before " + System.nanoTime();
            execute("NOTIFY dibs, '" + end + "'");
            List<String> numbers = new ArrayList<>();
            while (true) {
                for (PGNotification heard :
                        connection.unwrap(PGConnection.class).getNotifications(1000)) {
                    if (heard.getParameter().equals(end)) {
                        return numbers;
                    }
                    if (known.contains(heard.getParameter())) {
                        numbers.add(heard.getParameter());
                    }
                }
            }
        }

        @Override
        public void close() throws SQLException {
            execute("UNLISTEN *");
            connection.close();
        }
    }
}
