package dev.dibs.contract;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.DibsBuilder;
import dev.dibs.database.TestDatabase;
import dev.dibs.sql.Connections;
import dev.dibs.sql.Database;
import dev.dibs.sql.Products;
import dev.dibs.sql.Statements;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** What every contract has at hand: a database with the tables made, and a pool. */
public interface Fixture {

    AtomicInteger COUNT = new AtomicInteger();

    /** Long enough for a slow machine, short enough to wait for. */
    Duration LEASE = Duration.ofSeconds(2);

    TestDatabase database();

    /** Shared by the tests of a class; autocommit on. */
    HikariDataSource pool();

    /** A lock's name that no other test uses. */
    default String fresh(String name) {
        return name + "-" + COUNT.incrementAndGet() + "-"
                + ProcessHandle.current().pid();
    }

    default Dibs dibs() {
        return dibs(pool());
    }

    default Dibs dibs(DataSource dataSource) {
        return builder(dataSource).build();
    }

    default DibsBuilder builder(DataSource dataSource) {
        return Dibs.builder(dataSource).lease(LEASE);
    }

    /**
     * How many statements of a race the database may roll back, which are then sent again. None where rows are locked in one
     * order whatever the plan; some where an update locks the entries of several indexes one after the other.
     */
    default int rolledBackInARace() {
        return 0;
    }

    /** Sends statements by themselves, with nothing of the calls around them. */
    default Database asked(DataSource pool, String prefix) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            return asked(pool, Statements.load(Products.detect(connection.getMetaData()), prefix));
        }
    }

    /** Some of these, such as those about a table of the user's. */
    default Database asked(DataSource pool, Statements statements) {
        boolean readCommitted = statements.fragment("isolation").equals("read_committed");
        return new Database(Connections.forCallers(pool, Runnable::run, readCommitted), statements);
    }
}
