package dev.dibs.fault;

import dev.dibs.database.TestDatabase;
import dev.dibs.fault.worker.Workload;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A database that the workers share, and what can be done to it as a whole. */
abstract class Ground {
    private final String name;
    private final TestDatabase database;

    Ground(String name, TestDatabase database) {
        this.name = name;
        this.database = database;
    }

    final String name() {
        return name;
    }

    final TestDatabase database() {
        return database;
    }

    /** Past all proxies, as somebody who may do everything. */
    final Connection admin() throws SQLException {
        return database.dataSource().getConnection();
    }

    /** Where its servers listen, in an order that stays. */
    List<Integer> ports() {
        database.url();
        return List.of(database.port());
    }

    /**
     * For workers, with timeouts as an application has them: none may be longer than a few seconds.
     *
     * @param worker its number
     * @param ports by which it reaches those of the servers, in their order
     */
    abstract String url(int worker, List<Integer> ports);

    /** All that can go wrong here. */
    List<Fault> faults() {
        return Stream.of(ServerFaults.all(), ownFaults(), NetworkFaults.all(), WorkerFaults.all(), Tampering.all())
                .flatMap(List::stream)
                .toList();
    }

    /** How long after a fault has passed everything must work again. */
    Duration recovery() {
        return Workload.LEASE.plusSeconds(5);
    }

    /** Whether a worker that dies may take the database with it. */
    boolean isHostedByWorkers() {
        return false;
    }

    /** All is prepared. */
    void workersCome() throws SQLException {}

    /** It is to be looked at what they have left. */
    void workersHaveGone() throws Exception {}

    /** What can go wrong here, but not with every database. */
    List<Fault> ownFaults() {
        return List.of();
    }

    String user() {
        return database.user();
    }

    String password() {
        return database.password();
    }

    /** How old a commit is at most that it may forget when it is killed, after it was acknowledged. */
    Duration forgets() {
        return Duration.ZERO;
    }

    /** What a worker's JVM must be told. */
    List<String> options() {
        return List.of();
    }

    /** Once, before there are workers. */
    void prepare(Connection admin) throws SQLException {}

    /** Every write of a worker is an error, or no longer. */
    abstract void readOnly(Connection admin, boolean on) throws SQLException;

    /** A query for who is connected, and waits for whom. */
    abstract String sessions();

    /** Who is connected, for the one who has to find out why nothing goes on. */
    final List<String> listSessions() throws SQLException {
        List<String> lines = new ArrayList<>();
        try (Connection admin = admin();
                Statement statement = admin.createStatement();
                ResultSet row = statement.executeQuery(sessions())) {
            while (row.next()) {
                StringBuilder line = new StringBuilder();
                for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
                    line.append(row.getMetaData().getColumnLabel(i))
                            .append('=')
                            .append(row.getString(i))
                            .append(' ');
                }
                lines.add(line.toString());
            }
        }
        return lines;
    }

    static void run(Connection connection, String... statements) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    @Override
    public final String toString() {
        return name;
    }
}
