package dev.dibs.fault;

import dev.dibs.database.MariaDbDatabase;
import dev.dibs.database.MySqlDatabase;
import dev.dibs.database.TestDatabase;
import dev.dibs.fault.worker.Tables;
import dev.dibs.fault.worker.Tenants;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** MariaDB or MySQL, one server unless a subclass has more. Workers are no administrators, whom a read-only server does not bind. */
class MysqldUnderTest extends DatabaseUnderTest {
    private static final String PARTITIONS =
            " PARTITION BY RANGE COLUMNS (" + Tables.TIME + ") (PARTITION early VALUES LESS THAN ('" + Tables.BORDER
                    + "'), PARTITION late VALUES LESS THAN (MAXVALUE))";

    MysqldUnderTest(String name, TestDatabase database) {
        super(name, database);
    }

    static MysqldUnderTest mariadb() {
        return new MysqldUnderTest("mariadb", MariaDbDatabase.another());
    }

    static MysqldUnderTest mysql() {
        return new MysqldUnderTest("mysql", MySqlDatabase.another());
    }

    @Override
    String url(int worker, List<Integer> ports) {
        return database().urlAt(ports.get(0)) + "&connectTimeout=2000&socketTimeout=3000";
    }

    @Override
    final String user() {
        return "worker";
    }

    @Override
    final String timeType() {
        return "datetime(6)";
    }

    @Override
    final String partitions() {
        return PARTITIONS;
    }

    @Override
    final void prepare(Connection admin) throws SQLException {
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
    final void readOnly(Connection admin, boolean on) throws SQLException {
        run(admin, "SET GLOBAL read_only = " + (on ? "ON" : "OFF"));
    }
}
