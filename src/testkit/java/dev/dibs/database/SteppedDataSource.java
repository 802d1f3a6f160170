package dev.dibs.database;

import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/**
 * Lets another action run between two steps of a thread's statements: before each execution and each commit, and between the statements of
 * a block of MariaDB, which is a single execution. A block is stopped from within, by a named lock for which it waits.
 */
public final class SteppedDataSource extends WatchedDataSource {

    private static final AtomicInteger STOPS = new AtomicInteger();

    /**
     * The beginning of a statement in a block: after another one, or a word that opens a branch, but not after a setting for the next
     * statement.
     */
    private static final Pattern WITHIN = Pattern.compile("(?<=(?:;|THEN|ELSE|DO)\\n)(?=\\s*"
            + "(?:SELECT|INSERT|UPDATE|DELETE|COMMIT|FOR|SET STATEMENT|IF (?!(?i:ROW_COUNT)|dibs_own))\\b)");

    private final DataSource target;
    private Thread stepping;
    private int left;
    private Meanwhile meanwhile;
    private boolean happened;
    private Throwable failure;
    private String stop;

    public SteppedDataSource(DataSource target) {
        super(target);
        this.target = target;
    }

    /** The action in between. */
    public interface Meanwhile {
        void happens() throws Exception;
    }

    /** From now on this thread makes this many steps, then the action runs, and then the thread goes on. */
    public void after(int steps, Meanwhile something) {
        stepping = Thread.currentThread();
        left = steps;
        meanwhile = something;
        happened = false;
        failure = null;
        stop = null;
    }

    /** Call it when the thread has finished: whether it had no more steps. An action that has not run yet runs now. */
    public boolean isThrough() throws Exception {
        stepping = null;
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure != null) {
            throw (Exception) failure;
        }
        if (!happened) {
            meanwhile.happens();
        }
        return left >= 0;
    }

    private boolean isStepping() {
        return Thread.currentThread() == stepping && left >= 0;
    }

    /** As an error of the thread itself, it might be mistaken for one of the database. */
    private void happen() {
        happened = true;
        try {
            meanwhile.happens();
        } catch (Throwable e) {
            failure = e;
        }
    }

    private void step() {
        if (left-- == 0) {
            happen();
        }
    }

    @Override
    Object onConnection(Connection connection, Method method, Object[] arguments, Call call) throws Throwable {
        if (isStepping() && method.getName().equals("commit")) {
            step();
        } else if (isStepping() && method.getName().equals("prepareStatement")) {
            arguments[0] = stopped((String) arguments[0]);
        }
        return call.proceed();
    }

    /** The same text, if the block does not get that far; or one that waits at that point. */
    private String stopped(String sql) {
        List<String> parts = parts(sql);
        stop = null;
        if (left < 1 || left >= parts.size()) {
            return sql;
        }
        stop = "dibs-step-" + ProcessHandle.current().pid() + "-" + STOPS.incrementAndGet();
        String waits = String.format(
                Locale.ROOT,
                "DO get_lock('%1$s-here', 0); DO get_lock('%1$s-on', 60);"
                        + " DO release_lock('%1$s-on'); DO release_lock('%1$s-here');%n",
                stop);
        return String.join("", parts.subList(0, left)) + waits + String.join("", parts.subList(left, parts.size()));
    }

    private static List<String> parts(String sql) {
        return sql.startsWith("BEGIN NOT ATOMIC") ? List.of(WITHIN.split(sql)) : List.of(sql);
    }

    @Override
    Object onExecution(Connection connection, String sql, Call call) throws Throwable {
        if (!isStepping()) {
            return call.proceed();
        }
        step();
        if (stop != null) {
            left = -1;
            return stopping(stop, call);
        }
        if (left >= 0) {
            left -= parts(sql).size() - 1;
        }
        return call.proceed();
    }

    private Object stopping(String name, Call call) throws Throwable {
        AtomicBoolean over = new AtomicBoolean();
        try (Connection other = target.getConnection();
                Statement statement = other.createStatement()) {
            statement.execute("DO get_lock('" + name + "-on', 0)");
            Thread helper = new Thread(() -> meet(statement, name, over), name);
            helper.start();
            try {
                return call.proceed();
            } finally {
                over.set(true);
                helper.join();
            }
        }
    }

    private void meet(Statement statement, String name, AtomicBoolean over) {
        try {
            while (!over.get() && !isHere(statement, name)) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            }
            if (isHere(statement, name)) {
                happen();
            }
            statement.execute("DO release_lock('" + name + "-on')");
        } catch (SQLException e) {
            failure = e;
        }
    }

    private static boolean isHere(Statement statement, String name) throws SQLException {
        try (ResultSet row = statement.executeQuery("SELECT is_used_lock('" + name + "-here') IS NOT NULL")) {
            row.next();
            return row.getBoolean(1);
        }
    }
}
