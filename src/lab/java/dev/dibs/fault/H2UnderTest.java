package dev.dibs.fault;

import dev.dibs.database.H2ServerDatabase;
import dev.dibs.fault.worker.Tenants;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** H2 in a server process. It has no read-only mode to switch on and off, so the right to write is revoked. */
final class H2UnderTest extends DatabaseUnderTest {
    H2UnderTest() {
        super("h2", new H2ServerDatabase());
    }

    @Override
    String url(int worker, List<Integer> ports) {
        return database().urlAt(ports.get(0)) + ";NETWORK_TIMEOUT=3000";
    }

    /** HikariCP does not know H2's errors for a broken connection, and returns it again and again, unless it always checks. */
    @Override
    List<String> options() {
        return List.of("-Dcom.zaxxer.hikari.aliveBypassWindowMs=0");
    }

    /** Even with WRITE_DELAY=0, and rarely; some milliseconds were seen. */
    @Override
    Duration forgets() {
        return Duration.ofMillis(250);
    }

    @Override
    String user() {
        return "worker";
    }

    @Override
    void prepare(Connection admin) throws SQLException {
        run(
                admin,
                "CREATE USER worker PASSWORD ''",
                "GRANT ALL ON SCHEMA PUBLIC TO worker",
                "GRANT ALL ON SCHEMA \"" + Tenants.SCHEMA + "\" TO worker");
    }

    @Override
    String sessions() {
        return "SELECT * FROM information_schema.sessions";
    }

    @Override
    void readOnly(Connection admin, boolean on) throws SQLException {
        run(
                admin,
                on
                        ? "REVOKE INSERT, UPDATE, DELETE ON SCHEMA PUBLIC FROM worker"
                        : "GRANT ALL ON SCHEMA PUBLIC TO worker");
    }
}
