package dev.dibs.fault;

import dev.dibs.database.MariaDbDatabase;
import dev.dibs.database.MySqlDatabase;
import dev.dibs.database.TestDatabase;
import dev.dibs.fault.worker.Tables;
import dev.dibs.fault.worker.Tenants;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** One server of MariaDB or MySQL. Workers are no administrators, whom a read-only server does not bind. */
final class MysqldGround extends Ground {
    static final String PARTITIONS =
            " PARTITION BY RANGE COLUMNS (" + Tables.TIME + ") (PARTITION early VALUES LESS THAN ('" + Tables.BORDER
                    + "'), PARTITION late VALUES LESS THAN (MAXVALUE))";

    private MysqldGround(String name, TestDatabase database) {
        super(name, database);
    }

    static MysqldGround mariadb() {
        return new MysqldGround("mariadb", MariaDbDatabase.another());
    }

    static MysqldGround mysql() {
        return new MysqldGround("mysql", MySqlDatabase.another());
    }

    @Override
    String url(int worker, List<Integer> ports) {
        return database().urlAt(ports.get(0)) + "&connectTimeout=2000&socketTimeout=3000";
    }

    @Override
    String user() {
        return "worker";
    }

    @Override
    String timeType() {
        return "datetime(6)";
    }

    @Override
    String partitions() {
        return PARTITIONS;
    }

    @Override
    void prepare(Connection admin) throws SQLException {
        run(
                admin,
                "CREATE USER worker@'%'",
                "GRANT ALL ON dibs.* TO worker@'%'",
                "GRANT ALL ON " + Tenants.SCHEMA + ".* TO worker@'%'");
    }

    @Override
    String sessions() {
        return "SELECT p.id, p.time, p.state, t.trx_state, t.trx_started, t.trx_rows_locked, t.trx_query, p.info"
                + " FROM information_schema.processlist p"
                + " LEFT JOIN information_schema.innodb_trx t ON t.trx_mysql_thread_id = p.id";
    }

    @Override
    void readOnly(Connection admin, boolean on) throws SQLException {
        run(admin, "SET GLOBAL read_only = " + (on ? "ON" : "OFF"));
    }
}
