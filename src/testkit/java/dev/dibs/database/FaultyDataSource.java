package dev.dibs.database;

import com.zaxxer.hikari.HikariDataSource;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import javax.sql.DataSource;

/**
 * Makes chosen executions fail. {@code faulty.on(sql -> sql.contains("UPDATE")).time(2).fail("40001", 1213)} spoils the second execution
 * from now on whose text matches; commit and rollback count as the texts COMMIT and ROLLBACK.
 */
public final class FaultyDataSource extends WatchedDataSource {
    private final List<Fault> faults = new CopyOnWriteArrayList<>();
    private final List<String> struck = new CopyOnWriteArrayList<>();
    private final List<String> refused = new CopyOnWriteArrayList<>();
    private final AtomicInteger untilBetween = new AtomicInteger();
    private volatile Act between;
    private volatile Pause exhausted;

    public FaultyDataSource(DataSource target) {
        super(target);
    }

    /** The first execution that matches, by default. */
    public Fault on(Predicate<String> sql) {
        return new Fault(sql, false);
    }

    /** The same, for the checks of a table's protocol. */
    public Fault onLook() {
        return new Fault(sql -> true, true);
    }

    /** From now on each request for a connection takes this long and fails, as with an exhausted pool. */
    public void exhaust(Duration wait) {
        exhausted = () -> Thread.sleep(wait.toMillis());
    }

    /** The same, but each request waits until the gate is open. */
    public void exhaustUntil(CountDownLatch gate) {
        exhausted = gate::await;
    }

    /** Another action runs before the second connection from now on is lent, and so between two transactions. */
    public void actBetween(Act action) {
        between = action;
        untilBetween.set(2);
    }

    /** The names of the threads whose requests for a connection have failed. */
    public List<String> refused() {
        return List.copyOf(refused);
    }

    /** The pool has connections again; all other faults stay. */
    public void refill() {
        exhausted = null;
    }

    /** Ends all faults. */
    public void heal() {
        faults.clear();
        exhausted = null;
    }

    /** The texts of the executions with a fault. */
    public List<String> struck() {
        return List.copyOf(struck);
    }

    /** When a fault occurs, and by the last method of the sentence, which one. */
    public final class Fault {
        private final Predicate<String> sql;
        private final boolean ofLooks;
        private final AtomicInteger matches = new AtomicInteger();
        private int first = 1;
        private int last = 1;
        private Thread thread;
        private Effect effect;

        private Fault(Predicate<String> sql, boolean ofLooks) {
            this.sql = sql;
            this.ofLooks = ofLooks;
        }

        public Fault time(int nth) {
            first = nth;
            last = nth;
            return this;
        }

        public Fault always() {
            last = Integer.MAX_VALUE;
            return this;
        }

        /** Only for executions of this thread: a renewal may be running on another one. */
        public Fault here() {
            thread = Thread.currentThread();
            return this;
        }

        /** The statement is not run. */
        public void fail(String sqlState, int vendorCode) {
            plant((connection, call) -> {
                throw new SQLException("planted failure", sqlState, vendorCode);
            });
        }

        /** The database rolls the whole transaction back instead. */
        public void endTransaction(String sqlState, int vendorCode) {
            plant((connection, call) -> {
                Sql.on(connection).run("ROLLBACK");
                throw new SQLException("planted failure", sqlState, vendorCode);
            });
        }

        /** The connection dies before the statement is run. */
        public void loseStatement() {
            plant((connection, call) -> lost(connection));
        }

        /** The statement is run, then the connection dies. */
        public void loseAnswer() {
            plant((connection, call) -> {
                call.proceed();
                return lost(connection);
            });
        }

        public void delayBefore(Duration delay) {
            plant((connection, call) -> {
                sleep(delay);
                return call.proceed();
            });
        }

        public void delayAfter(Duration delay) {
            plant((connection, call) -> {
                Object result = call.proceed();
                sleep(delay);
                return result;
            });
        }

        /** It is not sent before the gate is open. */
        public void holdBefore(CountDownLatch gate) {
            plant((connection, call) -> {
                gate.await();
                return call.proceed();
            });
        }

        /** Another action runs right before it is sent. */
        public void actBefore(Callable<?> action) {
            plant((connection, call) -> {
                action.call();
                return call.proceed();
            });
        }

        public void actBefore(Act action) {
            actBefore(action.call());
        }

        /** Another action runs when the database has answered, before the caller knows. */
        public void actAfter(Callable<?> action) {
            plant((connection, call) -> {
                Object result = call.proceed();
                action.call();
                return result;
            });
        }

        public void actAfter(Act action) {
            actAfter(action.call());
        }

        private void plant(Effect planted) {
            effect = planted;
            faults.add(this);
        }

        private boolean isDue(String text, boolean isLook) {
            boolean elsewhere = thread != null && thread != Thread.currentThread();
            if (elsewhere || isLook != ofLooks || !sql.test(text)) {
                return false;
            }
            int match = matches.incrementAndGet();
            return first <= match && match <= last;
        }
    }

    /** An action without a result. */
    public interface Act {
        void run() throws Exception;

        private Callable<?> call() {
            return () -> {
                run();
                return "done";
            };
        }
    }

    private interface Effect {
        Object on(Connection connection, Call call) throws Throwable;
    }

    private interface Pause {
        void end() throws InterruptedException;
    }

    @Override
    Connection connect(Call call) throws Throwable {
        Pause pause = exhausted;
        if (pause != null) {
            refused.add(Thread.currentThread().getName());
            await(pause);
            throw new SQLTransientConnectionException("Connection is not available, request timed out");
        }
        if (untilBetween.decrementAndGet() == 0) {
            between.run();
        }
        return super.connect(call);
    }

    @Override
    Object onConnection(Connection connection, Method method, Object[] arguments, Call call) throws Throwable {
        return switch (method.getName()) {
            case "commit", "rollback" ->
                onExecution(connection, method.getName().toUpperCase(Locale.ROOT), call);
            default -> call.proceed();
        };
    }

    @Override
    Object onExecution(Connection connection, String sql, Call call) throws Throwable {
        return execute(connection, sql, false, call);
    }

    @Override
    Object onLook(Connection connection, String sql, Call call) throws Throwable {
        return execute(connection, sql, true, call);
    }

    private Object execute(Connection connection, String sql, boolean isLook, Call call) throws Throwable {
        Call spoilt = call;
        for (Fault fault : faults) {
            if (fault.isDue(sql, isLook)) {
                struck.add(sql);
                Call inner = spoilt;
                spoilt = () -> fault.effect.on(connection, inner);
            }
        }
        return spoilt.proceed();
    }

    /** A pool that has not seen the error itself is notified; a driver that cannot abort is closed. */
    private Object lost(Connection connection) throws SQLException {
        SQLException loss = new SQLException("planted loss of the connection", "08006");
        try {
            if (isWrapperFor(HikariDataSource.class)) {
                unwrap(HikariDataSource.class).evictConnection(connection);
            }
            connection.abort(Runnable::run);
            connection.close();
        } catch (SQLException | RuntimeException e) {
            // Some drivers complain that the closed connection was aborted before; HikariCP with a
            // NullPointerException.
            loss.addSuppressed(e);
        }
        throw loss;
    }

    private static void sleep(Duration duration) throws SQLException {
        await(() -> Thread.sleep(duration.toMillis()));
    }

    private static void await(Pause pause) throws SQLException {
        try {
            pause.end();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLException("interrupted", e);
        }
    }
}
