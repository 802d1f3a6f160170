package dev.dibs.contract.support;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.DibsBuilder;
import dev.dibs.LeaseInfo;
import dev.dibs.OftenRenewed;
import dev.dibs.claims.RowKey;
import dev.dibs.database.CountingDataSource;
import dev.dibs.database.DatabaseUser;
import dev.dibs.database.ErrorLog;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullRunCondition;
import dev.dibs.database.OnEachDatabase;
import dev.dibs.database.Sql;
import dev.dibs.database.TestDatabase;
import dev.dibs.database.Trait;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.connect.Connections;
import dev.dibs.internal.sql.files.Products;
import dev.dibs.internal.sql.files.Statements;
import dev.dibs.internal.sql.files.TableSql;
import dev.dibs.junit.Threads;
import dev.dibs.runs.Run;
import dev.dibs.runs.RunBuilder;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;

/** A contract, which runs once for each database. It has the database with its tables, and a pool. */
@OnEachDatabase
public abstract class Fixture extends Expectations implements DatabaseUser {

    public static final AtomicInteger COUNT = new AtomicInteger();

    private static final StackWalker CALLERS = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

    /** Longer than any test, even on a machine that stands still for seconds: such a lease is neither renewed nor over. */
    public static final Duration LONG = Duration.ofMinutes(1);

    /** The patience for what should happen soon. A slow machine has the time, and a lease of {@link #LONG} does not end meanwhile. */
    public static final Duration SOON = Duration.ofSeconds(30);

    /** For a test that waits for the end of a lease. It names it, as the default is {@link #LONG}. */
    public static final Duration LEASE = Duration.ofSeconds(2);

    /** Without the purge, which may come in between; MySQL's has a step before its DELETE. SQL Server has lists of keys in temporary tables. */
    public static final Predicate<String> ANY =
            Pattern.compile("DELETE(?! FROM #)|@dibs_expired").asPredicate().negate();

    private TestDatabase database;
    private HikariDataSource pool;
    private Dibs here;
    private Dibs there;
    private FaultyDataSource faulty;
    private CountingDataSource counting;
    private Dibs overFaulty;

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

    /** A table that no other test uses. It is dropped after the test. */
    public final String table(String columns) throws SQLException {
        String table = prefix() + "own";
        sql().run("CREATE TABLE " + table + " (" + columns + ")");
        closing(() -> sql().run("DROP TABLE " + table));
        return table;
    }

    /** Of the shared pool. The test closes it. */
    public final Connection connection() throws SQLException {
        return closing(pool.getConnection());
    }

    /** The same, in a transaction. What it has not committed by then is rolled back. */
    public final Connection transaction() throws SQLException {
        Connection connection = connection();
        connection.setAutoCommit(false);
        return connection;
    }

    /** The class of the driver's own connections. */
    public final Class<? extends Connection> driver() throws SQLException {
        try (Connection own = database.dataSource().getConnection()) {
            return own.getClass();
        }
    }

    /** A pool with fewer connections than there are threads, so that many wait while others run. The test closes it. */
    public final HikariDataSource few() {
        return closing(database.pool(config -> config.setMaximumPoolSize(10)));
    }

    /** A pool whose sessions do not wait for a lock: that is an error there. The test closes it. */
    public final HikariDataSource impatient() {
        return closing(database.pool(config -> config.setConnectionInitSql(database.endsWaits())));
    }

    /**
     * Asserts that a caller does not acquire what an open transaction has locked: it is busy. Where that transaction keeps all others from
     * writing, it may also be told so by an error.
     */
    public final void assertNotAcquired(Supplier<? extends Optional<?>> caller) {
        try {
            assertThat(caller.get()).isEmpty();
        } catch (DatabaseFailureException e) {
            assertThat(database.has(Trait.LOCKS_ROWS)).as(e.getMessage()).isFalse();
            assertThat(e).hasMessageContaining("The file is busy");
        }
    }

    /** Skips the running test where a transaction locks more than the rows that it writes: there is nothing to skip. */
    public final void assumeRowLocks() {
        Assumptions.assumeTrue(database.has(Trait.LOCKS_ROWS), "one transaction at a time writes here");
    }

    /** Skips the running test where a statement that returns rows is not committed before they have been read. */
    public final void assumeCommitsBeforeRead() {
        Assumptions.assumeFalse(
                database.has(Trait.COMMITS_ONCE_READ),
                "a statement that returns rows is committed once they have been read");
    }

    /** Skips the running test where CREATE SCHEMA does not exist. */
    public final void assumeSchemas() {
        Assumptions.assumeTrue(database.has(Trait.HAS_SCHEMAS), "a schema is a file that a connection attaches");
    }

    /** Skips the running test where a column keeps values of any type. */
    public final void assumeTypes() {
        Assumptions.assumeTrue(database.has(Trait.KEEPS_TYPES), "a column keeps values of any type");
    }

    /** Asserts at the end of the test that the database's own log, if it can be read, has at most so many entries with this text since now. */
    public final void limitLogged(String text, int most) {
        if (database.canReadErrorLog()) {
            ErrorLog log = database.errorLog();
            closing(() -> assertThat(log.entries())
                    .filteredOn(entry -> entry.contains(text))
                    .hasSizeLessThanOrEqualTo(most));
        }
    }

    /** A size: large enough for certainty with {@code -Pall}, else small. */
    public static int inFullRun(int many, int otherwise) {
        return FullRunCondition.isFullFor(CALLERS.getCallerClass()) ? many : otherwise;
    }

    /** A lock's name that no other test uses. */
    public final String fresh(String name) {
        return name + "-" + COUNT.incrementAndGet() + "-"
                + ProcessHandle.current().pid();
    }

    /** The same for several locks. */
    public final List<String> fresh(String name, int count) {
        return Stream.generate(() -> fresh(name)).limit(count).toList();
    }

    /** Another instance uses the name first: the purge that a new name requests would meet the fault of the test. */
    public final void used(String name) {
        try (Dibs other = dibs()) {
            other.lock(name).tryAcquire().orElseThrow().close();
        }
    }

    /** Lets a lease of the table expire an hour ago, without its holder's knowledge. */
    public final void letItPass(String table, String name) throws SQLException {
        assertThat(sql().change(
                                "UPDATE " + table
                                        + " SET acquired_at = acquired_at - 3600000, held_until = held_until - 3600000"
                                        + " WHERE name = ?",
                                name))
                .isEqualTo(1);
    }

    /** A prefix of tables that no other test uses. */
    public static String prefix() {
        return "t" + COUNT.incrementAndGet() + "x" + ProcessHandle.current().pid() + "_";
    }

    /** The same. The test drops the tables of Dibs that have it. */
    public final String ownPrefix() {
        String prefix = prefix();
        closing(() -> dropTables(prefix));
        return prefix;
    }

    /** A user, who has no right yet. The test drops it, after the tables with the prefix. */
    public final String newUser(String prefix) throws SQLException {
        String user = prefix + "user";
        Assumptions.assumeFalse(database.isGiven(), "it may want a password");
        Assumptions.assumeTrue(database.newUser(user) != null, "no users");
        sql().run(database.newUser(user));
        closing(() -> {
            dropTables(prefix);
            sql().run("DROP USER " + user);
        });
        return user;
    }

    /** The tables of Dibs with this prefix. */
    public final List<String> tables(String prefix) throws SQLException {
        return asked(pool, prefix).statements().schema().all().stream()
                .map(TableSql::name)
                .toList();
    }

    /** Drops those of them that exist. */
    public final void dropTables(String prefix) throws SQLException {
        for (String table : tables(prefix)) {
            sql().run("DROP TABLE IF EXISTS " + table);
        }
    }

    /** Statements on connections of the shared pool. */
    public final Sql sql() {
        return Sql.on(pool);
    }

    public static void run(Connection connection, String sql) throws SQLException {
        Sql.on(connection).run(sql);
    }

    /** The instance of a test that needs one; it is built when it is first asked for. */
    public final Dibs here() {
        if (here == null) {
            here = dibs();
        }
        return here;
    }

    /** Another process, so to say. */
    public final Dibs there() {
        if (there == null) {
            there = dibs();
        }
        return there;
    }

    /** A new instance, which the test closes. */
    public final Dibs dibs() {
        return dibs(pool());
    }

    public final Dibs dibs(DataSource dataSource) {
        return closing(builder(dataSource).build());
    }

    /** The same, over tables with a prefix. */
    public final Dibs dibs(DataSource dataSource, String prefix) {
        return closing(builder(dataSource).tablePrefix(prefix).build());
    }

    /** Connections whose statements a test lets fail. */
    public final FaultyDataSource faulty() {
        if (faulty == null) {
            faulty = new FaultyDataSource(pool);
        }
        return faulty;
    }

    /** The instance over {@link #faulty()}; it is built when it is first asked for. */
    public final Dibs overFaulty() {
        if (overFaulty == null) {
            overFaulty = dibs(faulty());
        }
        return overFaulty;
    }

    /** Connections that count what is sent over them. */
    public final CountingDataSource counting() {
        if (counting == null) {
            counting = new CountingDataSource(pool);
        }
        return counting;
    }

    public final Jobs jobs(int rows) throws SQLException {
        return closing(new Jobs(pool, rows));
    }

    public final SideJobs sideJobs(int rows) throws SQLException {
        return closing(new SideJobs(pool, rows));
    }

    /** The run over the rows of the table. */
    public final RunBuilder<RowKey> over(Run run, JobTable jobs) {
        return run.over(jobs.claims(here()).build());
    }

    /** A new run over them. */
    public final RunBuilder<RowKey> runOver(JobTable jobs) {
        return over(here().run(fresh("run")), jobs);
    }

    public final DibsBuilder builder(DataSource dataSource) {
        return Dibs.builder(dataSource).leaseLength(LONG);
    }

    /** Builds an instance for a test that waits for a renewal: that comes each second, long before the end of the lease. */
    public final DibsBuilder oftenRenewed(DataSource dataSource) {
        return OftenRenewed.by(builder(dataSource));
    }

    /** The current holder of a lock. */
    public static Optional<LeaseInfo> holder(Dibs dibs, String name) {
        return dibs.admin().locks().stream()
                .filter(lock -> lock.name().equals(name))
                .findAny();
    }

    /** When a lease that is held ends in the database unless it is renewed. */
    public static Instant heldUntil(Dibs dibs, String name) {
        return holder(dibs, name).orElseThrow().until();
    }

    /** Until a renewal is seen in the database. */
    public static void awaitRenewal(Dibs dibs, String name) {
        Instant before = heldUntil(dibs, name);
        Awaitility.await().until(() -> heldUntil(dibs, name).isAfter(before));
    }

    /** The work of one of many threads, by its number from 0. */
    public interface ThreadWork extends Threads.Work {}

    /** A virtual thread for each task; the test is skipped where the JDK has none. */
    public final ExecutorService virtualThreads() throws ReflectiveOperationException {
        Assumptions.assumeTrue(Runtime.version().feature() >= 21, "virtual threads need a JDK from 21 on");
        Method factory = Executors.class.getMethod("newVirtualThreadPerTaskExecutor");
        ExecutorService executor = (ExecutorService) factory.invoke(null);
        closing(executor::shutdown);
        return executor;
    }

    /** Runs all at once and waits for them; an exception of one fails the test. */
    public static void inThreads(int count, ThreadWork work) throws InterruptedException {
        Threads.run(count, work);
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
