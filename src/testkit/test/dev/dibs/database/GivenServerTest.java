package dev.dibs.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A server that is given by its URL, in place of one that the tests start. Here it is the one of other tests. */
@Tag("unit")
@UsesDatabase(PostgresDatabase.class)
class GivenServerTest {

    private static GivenServer given(TestDatabase running, String settings, String user) {
        return new GivenServer("postgresql", running.url() + settings, user, "");
    }

    @Test
    void takesThePlaceOfOneThatTheTestsStart(PostgresDatabase running) {
        PostgresDatabase database = new PostgresDatabase(given(running, "", running.user()));
        assertThat(database.whyUnavailable()).isEmpty();
        assertThat(database.url()).isEqualTo(running.url());
        assertThat(database.canRestart()).isFalse();
        assertThat(database.canReadErrorLog()).isFalse();
        assertThat(database.port()).as("unknown").isZero();
    }

    @Test
    void aServerThatCannotRunTheContractsIsAnErrorAtOnce(PostgresDatabase running) throws SQLException {
        TestDatabase.execute(running.dataSource(), "CREATE USER few");
        try {
            refused(
                    given(running, "", "few"),
                    "the user must be allowed to create and drop tables",
                    "permission denied");
        } finally {
            TestDatabase.execute(running.dataSource(), "DROP USER few");
        }
        refused(given(running, "", "nobody"), "nobody");
        refused(
                given(running, "?options=-c%20default_transaction_isolation=serializable", running.user()),
                "neither READ COMMITTED nor REPEATABLE READ");
        refused(
                given(running, "?options=-c%20default_transaction_read_only=on", running.user()),
                "default_transaction_read_only");
        refused(
                new GivenServer("mysql", running.url(), running.user(), ""),
                "it is one for the dialect postgresql: give it by -Ddibs.postgresql.url");
    }

    /** On MariaDB and MySQL, tests that run at once need schemas of their own. */
    @FullTest
    void aGivenServerGetsASchemaForEachTest() throws SQLException {
        MariaDbDatabase running = TestDatabases.get(MariaDbDatabase.class);
        running.assumeAvailable();
        MariaDbDatabase database =
                new MariaDbDatabase(new GivenServer("mariadb", running.url(), running.user(), running.password()));
        TestDatabase part = database.lend();
        assertThat(part.url()).isNotEqualTo(database.url()).endsWith(settings(running.url()));
        TestDatabase.execute(part.dataSource(), "CREATE TABLE mine (id int)");
        assertThat(database.lend().url()).isNotEqualTo(part.url());
        assertThat(part.canRestart()).isFalse();
    }

    private static String settings(String url) {
        return url.substring(url.indexOf('?'));
    }

    private static void refused(GivenServer given, String... why) {
        assertThatThrownBy(() -> given.requireFit(true))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("The server of -Ddibs." + given.database() + ".url cannot run the contracts: ")
                .hasMessageContainingAll(why);
    }
}
