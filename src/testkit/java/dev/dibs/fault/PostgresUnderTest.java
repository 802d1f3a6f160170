package dev.dibs.fault;

import dev.dibs.database.PostgresDatabase;
import dev.dibs.fault.worker.Tables;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;

/** One PostgreSQL server. */
final class PostgresUnderTest extends DatabaseUnderTest {
    static final String TIMEOUTS = "connectTimeout=2&socketTimeout=3&cancelSignalTimeout=2";
    static final String SESSIONS =
            "SELECT pid, state, wait_event, xact_start, pg_blocking_pids(pid) AS blocked_by, query"
                    + " FROM pg_stat_activity WHERE datname IS NOT NULL";

    static final String PARTITIONS = " PARTITION BY RANGE (" + Tables.TIME + ")";

    PostgresUnderTest() {
        super("postgresql", PostgresDatabase.another());
    }

    @Override
    String url(int worker, List<Integer> ports) {
        return database().urlAt(ports.get(0)) + "?" + TIMEOUTS;
    }

    @Override
    String partitions() {
        return PARTITIONS;
    }

    @Override
    void prepare(Connection admin) throws SQLException {
        makePartitions(admin);
    }

    @Override
    String sessions() {
        return SESSIONS;
    }

    @Override
    void readOnly(Connection admin, boolean on) throws SQLException {
        setReadOnly(admin, on);
    }

    static void makePartitions(Connection admin) throws SQLException {
        String one = "CREATE TABLE " + Tables.PART_JOB + "_%s PARTITION OF " + Tables.PART_JOB
                + " FOR VALUES FROM (%s) TO (%s)";
        run(
                admin,
                String.format(Locale.ROOT, one, "early", "MINVALUE", "'" + Tables.BORDER + "'"),
                String.format(Locale.ROOT, one, "late", "'" + Tables.BORDER + "'", "MAXVALUE"));
    }

    static void setReadOnly(Connection admin, boolean on) throws SQLException {
        run(
                admin,
                "SET default_transaction_read_only = off",
                "ALTER SYSTEM SET default_transaction_read_only = " + (on ? "on" : "off"),
                "SELECT pg_reload_conf()");
    }
}
