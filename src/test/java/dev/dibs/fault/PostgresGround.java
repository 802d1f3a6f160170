package dev.dibs.fault;

import dev.dibs.database.PostgresDatabase;
import java.sql.Connection;
import java.sql.SQLException;

/** One PostgreSQL server. */
final class PostgresGround extends Ground {
    PostgresGround() {
        super("postgresql", PostgresDatabase.another());
    }

    @Override
    String url(int proxyPort) {
        return database().urlAt(proxyPort) + "?connectTimeout=2&socketTimeout=3&cancelSignalTimeout=2";
    }

    @Override
    String sessions() {
        return "SELECT pid, state, wait_event, xact_start, pg_blocking_pids(pid) AS blocked_by, query"
                + " FROM pg_stat_activity WHERE datname IS NOT NULL";
    }

    @Override
    void readOnly(Connection admin, boolean on) throws SQLException {
        run(
                admin,
                "SET default_transaction_read_only = off",
                "ALTER SYSTEM SET default_transaction_read_only = " + (on ? "on" : "off"),
                "SELECT pg_reload_conf()");
    }
}
