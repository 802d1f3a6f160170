package dev.dibs.cli;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.conformance.EngineCheck;
import dev.dibs.database.Sql;
import dev.dibs.junit.Closing;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The engine's check of {@code dibs conformance} on H2, as it is and with one false answer. A false answer is found. */
@Tag("race")
class EngineCheckTest extends Closing {

    private static final String URL = "jdbc:h2:mem:engine";
    private static final String CHANGE = "n = 1 WHERE id = ? AND n = 0";

    private final HikariDataSource pool = closing(pool("sa", ""));

    private static HikariDataSource pool(String user, String password) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(URL);
        config.setUsername(user);
        config.setPassword(password);
        config.setMaximumPoolSize(EngineCheck.CONNECTIONS);
        return new HikariDataSource(config);
    }

    @Test
    void commandChecksTheEngineWithoutClientAndAddress() throws Exception {
        assertThat(Cli.on(URL, "sa", "").run("conformance", "--only", "engine"))
                .satisfies(outcome -> assertThat(outcome.out()).doesNotContain("FAILED"))
                .satisfies(outcome -> assertThat(outcome.exitCode()).isZero());
        assertNoTableIsLeft();
    }

    @Test
    void engineThatLetsSeveralChangeOneRowIsRefused() throws Exception {
        assertFails(
                lying(sql -> sql.replace(CHANGE, "n = 1 WHERE id = ?"), false),
                "FAILED   engine: change one row on a condition: 8 connections, 100 rounds, 100 with a winner, ",
                "Do not use H2 2.");
    }

    @Test
    void engineWhoseKeysAreNotUniqueIsRefused() throws Exception {
        assertFails(
                lying(
                        sql -> sql.replace(
                                "VALUES (?, 0)",
                                "SELECT 1000 + id + rand() * 1000000000, 0 FROM (SELECT cast(? AS bigint) AS id)"),
                        false),
                "FAILED   engine: insert one key: 8 connections, 100 rounds, 100 with a winner, 100 with more than one");
    }

    @Test
    void engineThatIgnoresARollbackIsRefused() throws Exception {
        assertFails(lying(UnaryOperator.identity(), true), "FAILED   engine: roll back: the change was not undone");
    }

    @Test
    void engineThatLetsNobodyWinIsRefused() throws Exception {
        assertFails(
                lying(sql -> sql.replace(CHANGE, "n = 1 WHERE id = ? AND n = 2"), false),
                "FAILED   engine: change one row on a condition: 8 connections, 100 rounds, 0 with a winner");
    }

    @Test
    void missingRightToCreateTablesIsReported() throws Exception {
        Sql.on(pool).run("CREATE USER reader PASSWORD 'reader'");
        try (HikariDataSource readers = pool("reader", "reader")) {
            assertFails(readers, "FAILED   engine: create dibs_engine_");
        }
    }

    private void assertFails(DataSource dataSource, String... texts) throws Exception {
        StringWriter said = new StringWriter();
        assertThat(EngineCheck.passes(dataSource, "dibs_", new PrintWriter(said)))
                .isFalse();
        assertThat(said.toString()).contains(texts);
        assertNoTableIsLeft();
    }

    private void assertNoTableIsLeft() throws SQLException {
        try (Connection connection = pool.getConnection();
                ResultSet tables = connection.getMetaData().getTables(null, null, "DIBS_ENGINE_%", null)) {
            assertThat(tables.next()).isFalse();
        }
    }

    /** H2 that gets other statements than the check sends, and may commit instead of a rollback. */
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
                EngineCheckTest.class.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    try {
                        return call.answer(method, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}
