package dev.dibs.fault;

import dev.dibs.database.SqliteDatabase;
import dev.dibs.database.TestDatabases;
import dev.dibs.fault.worker.Workload;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * SQLite in a file that the workers share. There is no server to kill and no network to cut. No wall clock is shifted: each process reads
 * the clock of the machine for itself.
 */
final class SqliteUnderTest extends DatabaseUnderTest {

    SqliteUnderTest() {
        super("sqlite", TestDatabases.get(SqliteDatabase.class));
    }

    @Override
    List<Integer> ports() {
        return List.of();
    }

    @Override
    String url(int worker, List<Integer> ports) {
        return database().url();
    }

    @Override
    boolean isHostedByWorkers() {
        return true;
    }

    /** A guarded transaction that outlives its lease keeps everybody from writing. */
    @Override
    Duration recovery() {
        return Workload.LEASE.plusSeconds(8);
    }

    @Override
    String schema() {
        return "";
    }

    /** A key is a number or a text. */
    @Override
    String timeType() {
        return "varchar(26)";
    }

    @Override
    List<Fault> faults() {
        return Stream.concat(WorkerFaults.all().stream(), ManualChanges.all().stream())
                .filter(fault -> !fault.name().contains("clock"))
                .toList();
    }

    @Override
    String sessions() {
        return "SELECT * FROM pragma_database_list";
    }

    /** It has no users. */
    @Override
    void readOnly(Connection admin, boolean on) {
        throw new UnsupportedOperationException();
    }
}
