package dev.dibs.contract.support;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.DibsBuilder;
import dev.dibs.database.DatabaseUser;
import dev.dibs.database.FullRunCondition;
import dev.dibs.database.OnEachDatabase;
import dev.dibs.database.Sql;
import dev.dibs.database.TestDatabase;
import dev.dibs.internal.sql.files.Products;
import dev.dibs.internal.sql.files.Statements;
import dev.dibs.internal.sql.run.Connections;
import dev.dibs.internal.sql.run.Database;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;

/** A contract, which runs once for each database. It has the database with its tables, and a pool. */
@OnEachDatabase
public abstract class Fixture implements DatabaseUser {

    public static final AtomicInteger COUNT = new AtomicInteger();

    /** Longer than any test, even on a machine that stands still for seconds: such a lease is neither renewed nor over. */
    public static final Duration LONG = Duration.ofMinutes(1);

    /** For a test that waits for the end of a lease. It names it, as the default is {@link #LONG}. */
    public static final Duration LEASE = Duration.ofSeconds(2);

    /** For a test that waits for a renewal, which comes after two seconds. It may come nearly four seconds late. */
    public static final Duration RENEWED = Duration.ofSeconds(6);

    /** Without the purge, which may come in between; MySQL's has a step before its DELETE. */
    public static final Predicate<String> ANY = sql -> !sql.contains("DELETE") && !sql.contains("@dibs_passed");

    private TestDatabase database;
    private HikariDataSource pool;

    @Override
    public final void use(TestDatabase given) {
        database = given;
        pool = given.shared();
    }

    public final TestDatabase database() {
        return database;
    }

    /** Shared by all tests; autocommit on. */
    public final HikariDataSource pool() {
        return pool;
    }

    /** A pool with fewer connections than there are threads, so that many wait while others run. The caller closes it. */
    public final HikariDataSource few() {
        return database.pool(config -> config.setMaximumPoolSize(10));
    }

    /** A pool whose sessions do not wait for a lock: that is an error there. The caller closes it. */
    public final HikariDataSource impatient() {
        return database.pool(config -> config.setConnectionInitSql(database.endsWaits()));
    }

    /**
     * Asserts that a caller does not acquire what an open transaction has locked: it is busy. Where that transaction keeps all others from
     * writing, it may also be told so by an error.
     */
    public final void assertNotAcquired(Supplier<? extends Optional<?>> caller) {
        try {
            assertThat(caller.get()).isEmpty();
        } catch (DatabaseFailureException e) {
            assertThat(database.locksRows()).as(e.getMessage()).isFalse();
            assertThat(e).hasMessageContaining("The file is busy");
        }
    }

    /** Skips the running test where a transaction locks more than the rows that it writes: there is nothing to skip. */
    public final void assumeRowLocks() {
        Assumptions.assumeTrue(database.locksRows(), "one transaction at a time writes here");
    }

    /** Skips the running test where a statement that returns rows is not committed before they have been read. */
    public final void assumeCommitsBeforeRead() {
        Assumptions.assumeFalse(
                database.commitsOnceRead(), "a statement that returns rows is committed once they have been read");
    }

    /** Skips the running test where CREATE SCHEMA does not exist. */
    public final void assumeSchemas() {
        Assumptions.assumeTrue(database.hasSchemas(), "a schema is a file that a connection attaches");
    }

    /** Skips the running test where a column keeps values of any type. */
    public final void assumeTypes() {
        Assumptions.assumeTrue(database.keepsTypes(), "a column keeps values of any type");
    }

    /** A size: large enough for certainty with {@code -Pall}, else small. */
    public static int inFullRun(int many, int otherwise) {
        return FullRunCondition.FULL ? many : otherwise;
    }

    /** A lock's name that no other test uses. */
    public final String fresh(String name) {
        return name + "-" + COUNT.incrementAndGet() + "-"
                + ProcessHandle.current().pid();
    }

    /** A prefix of tables that no other test uses. */
    public static String prefix() {
        return "t" + COUNT.incrementAndGet() + "x" + ProcessHandle.current().pid() + "_";
    }

    /** Statements on connections of the shared pool. */
    public final Sql sql() {
        return Sql.on(pool);
    }

    public static void run(Connection connection, String sql) throws SQLException {
        Sql.on(connection).run(sql);
    }

    public final Dibs dibs() {
        return dibs(pool());
    }

    public final Dibs dibs(DataSource dataSource) {
        return builder(dataSource).build();
    }

    public final DibsBuilder builder(DataSource dataSource) {
        return Dibs.builder(dataSource).leaseLength(LONG);
    }

    /** When a lease that is held ends in the database unless it is renewed. */
    public static Instant heldUntil(Dibs dibs, String name) {
        return dibs.admin().locks().stream()
                .filter(lock -> lock.name().equals(name))
                .findAny()
                .orElseThrow()
                .until();
    }

    /** Until a renewal is seen in the database. */
    public static void awaitRenewal(Dibs dibs, String name) {
        Instant before = heldUntil(dibs, name);
        Awaitility.await().until(() -> heldUntil(dibs, name).isAfter(before));
    }

    /** Sends single statements, without the calls around them. */
    public final Database asked(DataSource pool, String prefix) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            return asked(pool, Statements.load(Products.detect(connection.getMetaData()), prefix));
        }
    }

    /** The same for other statements, such as those about a user's table. */
    public final Database asked(DataSource pool, Statements statements) {
        return new Database(Connections.forCallers(pool, Runnable::run, statements), statements);
    }
}
