package dev.dibs.conformance;

import dev.dibs.internal.sql.errors.Secrets;
import dev.dibs.internal.sql.files.SqlName;
import dev.dibs.statements.OwnStatements;
import dev.dibs.text.OneLine;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;

/**
 * Whether a database lets exactly one of many connections change a row. If two can win, no statements keep the promises of Dibs. There are
 * such engines: one of Apache Ignite's two is an example. The check needs no client, no table of Dibs and no statement of a dialect.
 */
public final class EngineCheck {

    /** Its name for {@code --only}. */
    public static final String NAME = "engine";

    /** The connections that it uses at once: the racers, and one that makes and drops the scratch table. */
    public static final int CONNECTIONS = 9;

    private static final int RACERS = CONNECTIONS - 1;
    private static final int ROUNDS = 100;
    private static final int ROLLED_BACK = -1;
    private static final int PATIENCE_SECONDS = 10;

    private final Connection referee;
    private final PrintWriter out;
    private final String product;
    private final String table;
    private final Map<String, String> statements;
    private final List<Connection> racers = new ArrayList<>();

    private EngineCheck(Connection referee, String prefix, PrintWriter out) throws SQLException {
        this.referee = referee;
        this.out = out;
        DatabaseMetaData meta = referee.getMetaData();
        product = meta.getDatabaseProductName() + " " + meta.getDatabaseProductVersion();
        String name = prefix + "engine_" + UUID.randomUUID().toString().substring(0, 8);
        table = SqlName.table(name, meta.getIdentifierQuoteString());
        statements = OwnStatements.read(EngineCheck.class, "conformance.sql", Map.of("table", table));
    }

    /**
     * Makes the check, and writes a line for each part.
     *
     * @param dataSource gives connections with autocommit on, {@link #CONNECTIONS} at once
     * @param prefix the beginning of the scratch table's name
     * @return whether the engine has passed; false, too, if the database refuses the check
     */
    public static boolean passes(DataSource dataSource, String prefix, PrintWriter out) throws InterruptedException {
        try (Connection referee = dataSource.getConnection()) {
            EngineCheck check = new EngineCheck(referee, prefix, out);
            return check.passes("create " + check.table, () -> check.onTable("create_counter"))
                    && check.race(dataSource);
        } catch (SQLException e) {
            out.println("FAILED   engine: " + OneLine.message(Secrets.maskedToTheRoot(e)));
            return false;
        }
    }

    /** A part of the check. Returns its result in words. */
    private interface Part {
        String run() throws CheckFailed, SQLException, InterruptedException;
    }

    private boolean passes(String what, Part part) throws InterruptedException {
        try {
            out.println("ok       engine: " + what + ": " + part.run());
            return true;
        } catch (CheckFailed | SQLException e) {
            out.println("FAILED   engine: " + what + ": " + OneLine.message(Secrets.masked(e)));
            return false;
        } finally {
            out.flush();
        }
    }

    private String onTable(String statement) throws SQLException {
        try (PreparedStatement sent = referee.prepareStatement(statements.get(statement))) {
            sent.execute();
            return "done";
        }
    }

    private boolean race(DataSource dataSource) throws SQLException, InterruptedException {
        ExecutorService threads = Executors.newFixedThreadPool(RACERS);
        try {
            // Opened before the race begins, so that the racers meet in the database and not in the pool.
            while (racers.size() < RACERS) {
                racers.add(dataSource.getConnection());
            }
            boolean passed = passes("insert one key", () -> race(threads, "insert_key"));
            passed &= passes("change one row on a condition", () -> race(threads, "change_row"));
            passed &= passes("roll back", this::rollBack);
            return passed;
        } finally {
            threads.shutdownNow();
            try {
                // Before the drop, which would wait for a transaction that a failure has left open.
                for (Connection racer : racers) {
                    racer.close();
                }
            } finally {
                passes("drop " + table, () -> onTable("drop_counter"));
            }
        }
    }

    /** One row a round. The second race changes the rows that the first one has made. */
    private String race(ExecutorService threads, String statement)
            throws CheckFailed, SQLException, InterruptedException {
        int won = 0;
        int shared = 0;
        for (int row = 0; row < ROUNDS; row++) {
            int winners = winners(threads, statement, row);
            won += winners > 0 ? 1 : 0;
            shared += winners > 1 ? 1 : 0;
        }
        String result = RACERS + " connections, " + ROUNDS + " rounds, " + won + " with a winner, " + shared
                + " with more than one";
        // Some rounds without a winner are fine: an engine may refuse all callers that collide.
        require(won > 0 && shared == 0, result);
        return result;
    }

    private int winners(ExecutorService threads, String statement, int row) throws CheckFailed, InterruptedException {
        CyclicBarrier start = new CyclicBarrier(RACERS);
        List<Callable<Boolean>> attempts = new ArrayList<>();
        for (Connection racer : racers) {
            attempts.add(() -> {
                start.await();
                return wins(racer, statement, row);
            });
        }
        int winners = 0;
        for (Future<Boolean> attempt : threads.invokeAll(attempts)) {
            try {
                winners += attempt.get() ? 1 : 0;
            } catch (ExecutionException e) {
                throw new CheckFailed(String.valueOf(e.getCause()));
            }
        }
        return winners;
    }

    private boolean wins(Connection racer, String statement, int row) throws SQLException {
        try {
            return change(racer, statement, row);
        } catch (SQLException e) {
            if (racer.isValid(PATIENCE_SECONDS)) {
                // A racer that does not win may be refused.
                return false;
            }
            throw e;
        }
    }

    /** By the update count. */
    private boolean change(Connection connection, String statement, int row) throws SQLException {
        try (PreparedStatement sent = connection.prepareStatement(statements.get(statement))) {
            sent.setLong(1, row);
            return sent.executeUpdate() == 1;
        }
    }

    /** An engine without transactions may accept a rollback and do nothing. */
    private String rollBack() throws CheckFailed, SQLException {
        Connection racer = racers.get(0);
        change(racer, "insert_key", ROLLED_BACK);
        racer.setAutoCommit(false);
        change(racer, "change_row", ROLLED_BACK);
        racer.rollback();
        racer.setAutoCommit(true);
        require(change(racers.get(1), "change_row", ROLLED_BACK), "the change was not undone");
        return "the change was undone";
    }

    private void require(boolean holds, String result) throws CheckFailed {
        CheckFailed.unless(
                holds,
                result + ". Do not use " + product
                        + " like this with Dibs: no promise would hold. See whether it has another engine or table type"
                        + " with real transactions");
    }
}
