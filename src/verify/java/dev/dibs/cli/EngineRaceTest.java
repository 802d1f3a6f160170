package dev.dibs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.Finding;
import dev.dibs.Finding.Level;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Engines that let two callers win, or undo nothing: each is H2 with one false answer, and is refused. */
@Tag("race")
class EngineRaceTest {

    private static final String UPDATE = "fence = 1 WHERE id = ? AND fence = 0";

    private HikariDataSource pool;

    @BeforeEach
    void open() {
        pool = pool(30_000);
    }

    private static HikariDataSource pool(long timeout) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:h2:mem:race" + System.nanoTime() + ";DB_CLOSE_DELAY=60");
        config.setMaximumPoolSize(8);
        config.setConnectionTimeout(timeout);
        return new HikariDataSource(config);
    }

    @AfterEach
    void close() {
        pool.close();
    }

    /** It is not asked for a lock any more: it may not even know the statements of a dialect. */
    @Test
    void anEngineThatTellsSeveralThatTheyChangedTheRowIsRefused() {
        Finding found = onlyError(race(lying(sql -> sql.replace(UPDATE, "fence = 1 WHERE id = ?"), false)));
        assertThat(found.message()).contains("on a condition", "more than one");
        assertThat(found.remedy()).contains("Do not use H2 2.");
    }

    @Test
    void anEngineWhoseKeysAreNotUniqueIsRefused() {
        Finding found = onlyError(race(lying(
                sql -> sql.replace(
                        "VALUES (?, 0)",
                        "SELECT CASE WHEN id < 100 THEN 1000 + rand() * 1000000000 ELSE id END, 0"
                                + " FROM (SELECT cast(? AS bigint) AS id)"),
                false)));
        assertThat(found.message()).contains("making one key", "more than one");
    }

    @Test
    void anEngineThatIgnoresARollbackIsRefused() {
        Finding found = onlyError(race(lying(UnaryOperator.identity(), true)));
        assertThat(found.message()).contains("rollback did not undo");
    }

    @Test
    void anEngineThatLetsNobodyWinIsRefused() {
        Finding found =
                onlyError(race(lying(sql -> sql.replace(UPDATE, "fence = 1 WHERE id = ? AND fence = 2"), false)));
        assertThat(found.message()).contains("nobody was ever the first");
    }

    @Test
    void aMissingRightToCreateTablesIsReported() throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE USER reader PASSWORD 'reader'");
        }
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(pool.getJdbcUrl().replace(";DB_CLOSE_DELAY=60", ""));
        config.setUsername("reader");
        config.setPassword("reader");
        try (HikariDataSource readers = new HikariDataSource(config)) {
            Finding found = onlyError(race(readers));
            assertThat(found.message()).contains("the table dibs_race_", " cannot be made");
            assertThat(found.remedy()).contains("may create tables");
        }
    }

    @Test
    void tooFewConnectionsAreSaidToBeTooFew() {
        try (HikariDataSource impatient = pool(250)) {
            Awaitility.await().until(() -> impatient.getHikariPoolMXBean().getTotalConnections() == 8);
            Finding found = onlyError(new EngineRace(impatient, "dibs_", EngineRaceTest::none).run(20));
            assertThat(found.message()).contains("no more than 8 connections");
        }
    }

    @Test
    void withoutTablesOfDibsTheEngineIsTriedNevertheless() {
        List<Finding> findings = new EngineRace(pool, "dibs_", () -> Dibs.on(pool)).run(4);
        assertThat(onlyError(findings).message()).contains("no race for locks: ", "dibs_lock");
        assertThat(findings).filteredOn(finding -> finding.level() == Level.OK).hasSize(3);
    }

    private static List<Finding> race(DataSource dataSource) {
        return new EngineRace(dataSource, "dibs_", EngineRaceTest::none).run(4);
    }

    private static Dibs none() {
        throw new AssertionError("it has not passed");
    }

    private static Finding onlyError(List<Finding> findings) {
        return findings.stream()
                .filter(finding -> finding.level() == Level.ERROR)
                .reduce((a, b) -> {
                    throw new AssertionError(a + " and " + b);
                })
                .orElseThrow();
    }

    /** H2 that gets other statements than the test sends, and may commit instead of a rollback. */
    private DataSource lying(UnaryOperator<String> statements, boolean commits) {
        return proxy(
                DataSource.class,
                (source, arguments) -> source.invoke(pool, arguments) instanceof Connection connection
                        ? proxy(Connection.class, (method, given) -> {
                            boolean rollback = method.getName().equals("rollback");
                            if (commits && rollback) {
                                connection.commit();
                                return null;
                            }
                            if (method.getName().equals("prepareStatement")) {
                                given[0] = statements.apply((String) given[0]);
                            }
                            return method.invoke(connection, given);
                        })
                        : null);
    }

    private interface Call {
        Object answer(Method method, Object[] arguments) throws Exception;
    }

    private static <T> T proxy(Class<T> type, Call call) {
        return type.cast(Proxy.newProxyInstance(
                EngineRaceTest.class.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    try {
                        return call.answer(method, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}
