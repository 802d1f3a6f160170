package dev.dibs.database;

import java.lang.reflect.Method;
import java.sql.Connection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/**
 * Counts the statements that are sent to the database. Around a pool it sees the caller's statements; below a pool, also those of the pool.
 */
public final class CountingDataSource extends WatchedDataSource {
    private final AtomicInteger connections = new AtomicInteger();
    /** Those that are open, with the thread that requested each. */
    private final Map<Connection, Thread> open = new ConcurrentHashMap<>();

    private final AtomicInteger mostOpen = new AtomicInteger();
    private final AtomicInteger mostOfOneThread = new AtomicInteger();
    private final AtomicInteger commits = new AtomicInteger();
    private final AtomicInteger rollbacks = new AtomicInteger();
    private final AtomicInteger autoCommitChanges = new AtomicInteger();
    private final AtomicInteger isolationSettings = new AtomicInteger();
    private final List<String> statements = new CopyOnWriteArrayList<>();
    private final List<String> looks = new CopyOnWriteArrayList<>();

    public CountingDataSource(DataSource target) {
        super(target);
    }

    /** Executions, a batch is one: their texts in the order in which they began. */
    public List<String> statements() {
        return List.copyOf(statements);
    }

    /** The checks of a table's protocol, which are not among the statements. */
    public List<String> looks() {
        return List.copyOf(looks);
    }

    /** How often a connection was requested and returned. */
    public int connections() {
        return connections.get();
    }

    /** Connections that are open at this moment. */
    public int openConnections() {
        return open.size();
    }

    /** The greatest number of connections that were open at one moment. */
    public int mostOpen() {
        return mostOpen.get();
    }

    /** The same for those that one thread had requested. Others may have had some at the same time. */
    public int mostOfOneThread() {
        return mostOfOneThread.get();
    }

    public int commits() {
        return commits.get();
    }

    public int rollbacks() {
        return rollbacks.get();
    }

    /** Only calls with an effect: setting the current value costs nothing. */
    public int autoCommitChanges() {
        return autoCommitChanges.get();
    }

    public int isolationSettings() {
        return isolationSettings.get();
    }

    /** Forgets everything except the open connections. */
    public void reset() {
        statements.clear();
        mostOpen.set(open.size());
        mostOfOneThread.set(0);
        List.of(connections, commits, rollbacks, autoCommitChanges, isolationSettings)
                .forEach(counter -> counter.set(0));
    }

    @Override
    Connection connect(Call call) throws Throwable {
        Connection connection = super.connect(call);
        connections.incrementAndGet();
        Thread thread = Thread.currentThread();
        open.put(connection, thread);
        mostOpen.accumulateAndGet(open.size(), Math::max);
        mostOfOneThread.accumulateAndGet(Collections.frequency(open.values(), thread), Math::max);
        return connection;
    }

    @Override
    Object onLook(Connection connection, String sql, Call call) throws Throwable {
        looks.add(sql);
        return call.proceed();
    }

    @Override
    Object onExecution(Connection connection, String sql, Call call) throws Throwable {
        statements.add(sql);
        return call.proceed();
    }

    @Override
    Object onConnection(Connection connection, Method method, Object[] arguments, Call call) throws Throwable {
        switch (method.getName()) {
            case "commit" -> commits.incrementAndGet();
            case "rollback" -> rollbacks.incrementAndGet();
            case "setTransactionIsolation" -> isolationSettings.incrementAndGet();
            case "setAutoCommit" -> {
                if (connection.getAutoCommit() != (boolean) arguments[0]) {
                    autoCommitChanges.incrementAndGet();
                }
            }
            case "close", "abort" -> open.remove(connection);
            default -> {}
        }
        return call.proceed();
    }
}
