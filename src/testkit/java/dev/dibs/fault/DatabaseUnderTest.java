package dev.dibs.fault;

import dev.dibs.database.Sql;
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

/** The database of the workers, and the faults of it as a whole. */
abstract class DatabaseUnderTest {
    private final String name;
    private final TestDatabase database;

    DatabaseUnderTest(String name, TestDatabase database) {
        this.name = name;
        this.database = database;
    }

    final String name() {
        return name;
    }

    final TestDatabase database() {
        return database;
    }

    /** Around all proxies, as an administrator. */
    final Connection admin() throws SQLException {
        return database.dataSource().getConnection();
    }

    /** The ports of its servers, always in the same order. */
    List<Integer> ports() {
        database.url();
        return List.of(database.port());
    }

    /**
     * For workers, with timeouts as in an application: none may be longer than a few seconds.
     *
     * @param worker its number
     * @param ports by which it reaches those of the servers, in their order
     */
    abstract String url(int worker, List<Integer> ports);

    /** All possible faults here. */
    List<Fault> faults() {
        return Stream.of(ServerFaults.all(), ownFaults(), NetworkFaults.all(), WorkerFaults.all(), ManualChanges.all())
                .flatMap(List::stream)
                .toList();
    }

    /** How long after a fault everything must work again. */
    Duration recovery() {
        return Workload.LEASE.plusSeconds(5);
    }

    /** Whether a worker that dies may end the database with it. */
    boolean isHostedByWorkers() {
        return false;
    }

    /** The preparation is done. */
    void workersCome() throws SQLException {}

    /** The workers have ended; their results are to be checked. */
    void workersHaveGone() throws Exception {}

    /** Faults that are possible here, but not with every database. */
    List<Fault> ownFaults() {
        return List.of();
    }

    String user() {
        return database.user();
    }

    String password() {
        return database.password();
    }

    /** The greatest age of a commit that it may forget when it is killed, after it was acknowledged. */
    Duration forgets() {
        return Duration.ZERO;
    }

    /** The options of a worker's JVM. */
    List<String> options() {
        return List.of();
    }

    /** The statement that creates a schema; empty where both tenants have the tables of one. */
    String schema() {
        return "CREATE SCHEMA ";
    }

    /** The type of a time with microseconds. */
    String timeType() {
        return "timestamp(6)";
    }

    /** What makes partitions in a CREATE TABLE by the time of a row's key; nothing, where there are none. */
    String partitions() {
        return "";
    }

    /** Once, before there are workers. */
    void prepare(Connection admin) throws SQLException {}

    /** Makes every write of a worker an error, or ends that. */
    abstract void readOnly(Connection admin, boolean on) throws SQLException;

    /** A query for the sessions, and for what each waits. */
    abstract String sessions();

    /** The sessions, to find out why nothing goes on. */
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
        Sql.on(connection).run(statements);
    }

    @Override
    public final String toString() {
        return name;
    }
}
