package dev.dibs.fault.worker;

import com.zaxxer.hikari.HikariConfig;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.AbstractDataSource;

/** A data source that chooses a schema by the name of the calling thread, as in applications with tenants. */
public final class Tenants extends AbstractDataSource {
    private static final String TWO = "tenant-two";

    /** The names of the tenants, and of their threads. */
    static final List<String> NAMES = List.of("tenant-one", TWO);

    /** The schema of the second tenant. */
    public static final String SCHEMA = "fault_two";

    private final DataSource one;
    private final DataSource two;

    Tenants(DataSource one, DataSource two) {
        this.one = one;
        this.two = two;
    }

    /**
     * Lets a pool's connections use the second tenant's tables. It is set by JDBC, and not by a statement: the driver of MariaDB may connect
     * to another node by itself, and then sets again only what it knows of. A database ignores the name that it does not have.
     */
    public static void enter(HikariConfig config) {
        config.setCatalog(SCHEMA);
        config.setSchema(SCHEMA);
    }

    /** Threads without a tenant, as those of Dibs, get the first one's. */
    @Override
    public Connection getConnection() throws SQLException {
        boolean isSecond = Thread.currentThread().getName().equals(TWO);
        return (isSecond ? two : one).getConnection();
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        return getConnection();
    }
}
