package dev.dibs.database;

import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;

/** As a driver with several hosts: a lost connection goes on with another session, and says so by one error. */
public final class ReconnectingDataSource extends WatchedDataSource {

    private final DataSource sessions;
    private final Map<Connection, Connection> successors = new ConcurrentHashMap<>();
    private final AtomicBoolean losing = new AtomicBoolean();

    public ReconnectingDataSource(DataSource sessions) {
        super(sessions);
        this.sessions = sessions;
    }

    /** The next statement meets the loss. */
    public void loseSession() {
        losing.set(true);
    }

    @Override
    Object onConnection(Connection connection, Method method, Object[] arguments, Call call) throws Throwable {
        String name = method.getName();
        if ((name.equals("createStatement") || name.startsWith("prepare")) && losing.compareAndSet(true, false)) {
            connection.rollback();
            Connection successor = sessions.getConnection();
            successor.setAutoCommit(false);
            successors.put(connection, successor);
            throw new SQLException("Communications link failure", "08S01");
        }
        Connection successor = successors.get(connection);
        if (successor != null && name.equals("close")) {
            successor.close();
        }
        return successor == null || name.equals("close") ? call.proceed() : pass(successor, method, arguments);
    }
}
