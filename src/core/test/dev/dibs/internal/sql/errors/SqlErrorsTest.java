package dev.dibs.internal.sql.errors;

import static dev.dibs.internal.sql.errors.SqlFailure.Outcome.DUPLICATE;
import static dev.dibs.internal.sql.errors.SqlFailure.Outcome.NOT_SENT;
import static dev.dibs.internal.sql.errors.SqlFailure.Outcome.REFUSED;
import static dev.dibs.internal.sql.errors.SqlFailure.Outcome.ROLLED_BACK;
import static dev.dibs.internal.sql.errors.SqlFailure.Outcome.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.dibs.internal.sql.errors.SqlErrors.Asked;
import dev.dibs.internal.sql.errors.SqlFailure.Outcome;
import dev.dibs.internal.sql.files.DialectFolder;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.SocketTimeoutException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The states and codes are those that the drivers of each database report. */
@Tag("unit")
class SqlErrorsTest {

    private static final SqlErrors STANDARD = SqlErrors.load(DialectFolder.STANDARD);

    @ParameterizedTest
    @CsvSource(nullValues = "-", textBlock = """
            # PostgreSQL
            postgresql, 40001,   0, ROLLED_BACK, serialization failure
            postgresql, 40P01,   0, ROLLED_BACK, deadlock
            postgresql, 55P03,   0, ROLLED_BACK, lock not available
            postgresql, 40002,   0, ROLLED_BACK, constraint at the commit
            postgresql, 23505,   0, DUPLICATE,   unique violation
            postgresql, 42P01,   0, REFUSED,     no such table
            postgresql, 42703,   0, REFUSED,     no such column
            postgresql, 42501,   0, REFUSED,     no right
            postgresql, 22001,   0, REFUSED,     value too long
            postgresql, 25006,   0, REFUSED,     read-only transaction: a standby
            postgresql, 0A000,   0, REFUSED,     feature not supported
            postgresql, 53100,   0, REFUSED,     disk full
            postgresql, 3D000,   0, REFUSED,     no such database
            postgresql, 3F000,   0, REFUSED,     no such schema
            postgresql, 40003,   0, UNKNOWN,     statement completion unknown
            postgresql, 57P01,   0, UNKNOWN,     admin shutdown: perhaps in the middle of a commit
            postgresql, 57P02,   0, UNKNOWN,     crash shutdown
            postgresql, 57P03,   0, UNKNOWN,     cannot connect now
            postgresql, 57014,   0, REFUSED,     canceled: undone
            postgresql, 23514,   0, REFUSED,     CHECK
            postgresql, 23503,   0, REFUSED,     foreign key
            postgresql, 44000,   0, REFUSED,     CHECK OPTION
            postgresql, P0001,   0, UNKNOWN,     raised by a trigger
            postgresql, 25P03,   0, REFUSED,     idle in a transaction for too long: undone
            postgresql, 08003,   0, UNKNOWN,     connection does not exist
            postgresql, 08006,   0, UNKNOWN,     connection failure
            postgresql, 08007,   0, UNKNOWN,     transaction resolution unknown
            postgresql, 58030,   0, UNKNOWN,     i/o error
            postgresql, XX000,   0, UNKNOWN,     internal error
            # H2
            h2,         40001, 40001, ROLLED_BACK, deadlock
            h2,         HYT00, 50200, ROLLED_BACK, lock timeout
            h2,         90131, 90131, ROLLED_BACK, concurrent update
            h2,         23505, 23505, DUPLICATE,   unique violation
            h2,         42S02, 42102, REFUSED,     no such table
            h2,         42S04, 42104, REFUSED,     no such table in an empty database
            h2,         42S22, 42122, REFUSED,     no such column
            h2,         90096, 90096, REFUSED,     no right
            h2,         90097, 90097, REFUSED,     read-only
            h2,         22001, 22001, REFUSED,     value too long
            h2,         90067, 90067, UNKNOWN,     connection broken
            h2,         90098, 90098, UNKNOWN,     database closed
            h2,         90121, 90121, UNKNOWN,     called at shutdown
            h2,         90028, 90028, UNKNOWN,     i/o error
            h2,         90031, 90031, UNKNOWN,     i/o error of a file
            h2,         90030, 90030, UNKNOWN,     file corrupted
            h2,         90108, 90108, UNKNOWN,     out of memory
            h2,         90007, 90007, UNKNOWN,     closed object
            h2,         57014, 57014, REFUSED,     canceled: undone
            h2,         90044, 90044, UNKNOWN,     a trigger of the user's
            h2,         HY000, 50000, UNKNOWN,     general error
            # MariaDB and MySQL
            mariadb,    40001, 1213, ROLLED_BACK, deadlock; Galera's certification too
            mariadb,    HY000, 1205, ROLLED_BACK, lock wait timeout
            mariadb,    HY000, 1020, ROLLED_BACK, changed since last read
            mysql,      HY000, 3572, ROLLED_BACK, NOWAIT
            mysql,      40000, 3101, ROLLED_BACK, group replication
            mysql,      HY000, 3024, REFUSED,     max_execution_time
            mysql,      HY000, 3819, REFUSED,     CHECK
            mariadb,    HY000, 1369, REFUSED,     CHECK OPTION
            mariadb,    23000, 4025, REFUSED,     CHECK
            mariadb,    23000, 1586, DUPLICATE,   duplicate key
            mariadb,    HY000, 1021, REFUSED,     disk full
            mariadb,    HY000, 1114, REFUSED,     table full
            mariadb,    HY000, 1175, UNKNOWN,     safe updates
            mariadb,    23000, 1062, DUPLICATE,   duplicate key
            mariadb,    42S02, 1146, REFUSED,     no such table
            mariadb,    42S22, 1054, REFUSED,     no such column
            mariadb,    42000, 1142, REFUSED,     no right to the table
            mariadb,    42000, 1064, REFUSED,     syntax
            mariadb,    22001, 1406, REFUSED,     value too long
            mariadb,    25006, 1792, REFUSED,     read-only transaction
            mariadb,    25S03,    0, UNKNOWN,     the driver has connected again by itself
            mariadb,    HY000, 1290, REFUSED,     server runs with --read-only
            mariadb,    HY000, 1836, REFUSED,     server is read-only
            mariadb,    HY000, 1180, UNKNOWN,     error during commit
            mariadb,    08S01, 1047, UNKNOWN,     Galera: not ready
            mariadb,    45000, 1644, UNKNOWN,     raised by a trigger
            mariadb,    70100, 1317, REFUSED,     interrupted
            mariadb,    70100, 1927, UNKNOWN,     connection killed
            mariadb,    70100, 1969, REFUSED,     max_statement_time
            mariadb,    08S01, 1053, UNKNOWN,     shutdown in progress
            mariadb,    08S01,    0, UNKNOWN,     communications link failure
            mariadb,    08000, 1159, UNKNOWN,     no answer in time
            # SQL Server: S and the error's own state, but for a few
            sqlserver,  40001, 1205, ROLLED_BACK, deadlock victim
            sqlserver,  S0045, 1222, ROLLED_BACK, lock request timeout
            sqlserver,  S0002, 3960, ROLLED_BACK, snapshot conflict
            sqlserver,  S0001, 1204, ROLLED_BACK, no more locks
            sqlserver,  S0001, 3930, ROLLED_BACK, doomed transaction
            sqlserver,  S0001, 3998, ROLLED_BACK, doomed transaction at the end of the batch
            sqlserver,  23000,  547, REFUSED,     CHECK or foreign key
            sqlserver,  23000,  515, REFUSED,     NULL
            sqlserver,  23000, 2627, DUPLICATE,   primary key
            sqlserver,  23000, 2601, DUPLICATE,   unique index
            sqlserver,  S0002,  208, UNKNOWN,     no such table
            sqlserver,  S0005,  229, REFUSED,     no right
            sqlserver,  S0001,  230, REFUSED,     no right to a column
            sqlserver,  S0006,  262, REFUSED,     no right to create a table
            sqlserver,  S0001, 3906, REFUSED,     read-only database
            sqlserver,  S0003,  601, REFUSED,     data moved under NOLOCK
            sqlserver,  S0004, 9002, REFUSED,     log full
            sqlserver,  S0001,  701, REFUSED,     no memory
            sqlserver,  S0002, 1105, REFUSED,     no room
            sqlserver,  S0001, 50000, UNKNOWN,    THROW
            sqlserver,  S0001,  596, UNKNOWN,     session killed
            sqlserver,  HY008,    0, UNKNOWN,     canceled
            sqlserver,  HYT00,    0, UNKNOWN,     query timeout
            sqlserver,  08S01,    0, UNKNOWN,     connection lost
            # SQL Server with xopenStates=true
            sqlserver,  42000, 2627, DUPLICATE,   primary key
            sqlserver,  42000, 1205, ROLLED_BACK, deadlock victim
            # Nothing said
            h2,         -,        0, UNKNOWN,     neither state nor code
            h2,         '',       0, UNKNOWN,     an empty state
            h2,         4,        0, UNKNOWN,     half a state
            """)
    void filesTellTheOutcomeOfAStatement(String dialect, String state, int code, Outcome outcome, String meaning) {
        for (String relative : withRelatives(dialect)) {
            assertThat(errors(relative).known(new SQLException(meaning, state, code)))
                    .as(relative)
                    .isEqualTo(outcome);
        }
    }

    /** The dialect, and those that inherit its codes. */
    private static List<String> withRelatives(String dialect) {
        return dialect.equals("mariadb") ? List.of("mariadb", "mysql", "galera") : List.of(dialect);
    }

    private static SqlErrors errors(String dialect) {
        return SqlErrors.load(DialectFolder.named(dialect));
    }

    @Test
    void aWrapperThatSaysNothingIsLookedInto() {
        SQLException inner = new SQLException("deadlock", "40001");
        assertThat(STANDARD.known(new SQLException(inner))).isEqualTo(ROLLED_BACK);
        assertThat(STANDARD.known(new SQLException("in a pool", new RuntimeException(inner))))
                .isEqualTo(ROLLED_BACK);
    }

    @Test
    void causesOfALostConnectionAreNoAnswer() {
        SQLException older = new SQLException("no such table", "42P01");
        assertThat(STANDARD.known(new SQLRecoverableException("lost", "08006", older)))
                .isEqualTo(UNKNOWN);
        assertThat(STANDARD.known(new SQLException("i/o", "90028", 90028, new SQLException("x", "40001"))))
                .isEqualTo(UNKNOWN);
    }

    @Test
    void aLostConnectionIsAnUnknownOutcome() {
        assertThat(errors("mariadb").known(new SQLException("lost", "08S01", 1205)))
                .isEqualTo(UNKNOWN);
        assertThat(STANDARD.known(new SQLException("timeout", "08006", new SocketTimeoutException())))
                .isEqualTo(UNKNOWN);
    }

    @Test
    void otherExceptionsAreUnknownOnceSent() {
        assertOutcome(UNKNOWN, "h2", new IllegalStateException(), Asked.STATEMENT);
        assertOutcome(DUPLICATE, "h2", new SQLException("x", "23505"), Asked.STATEMENT);
    }

    private static void assertOutcome(Outcome expected, String dialect, Throwable error, Asked asked) {
        assertThat(sent(dialect, error, asked, true).outcome()).isEqualTo(expected);
    }

    private static SqlFailure sent(String dialect, Throwable error, Asked asked, boolean isAlive) {
        return errors(dialect).sent("s", error, asked, () -> isAlive);
    }

    /** A SIGNAL, a RAISE or a THROW of the user's, and any other code that nobody has listed. */
    @ParameterizedTest
    @CsvSource(textBlock = """
            postgresql, P0001,     0
            postgresql, 45000,     0
            postgresql, XX000,     0
            h2,         90044, 90044
            h2,         HY000, 50000
            mariadb,    45000,  1644
            mysql,      45000,  1644
            mysql,      HY000,  1665
            sqlite,         ,     11
            sqlserver,  S0001, 50000
            """)
    void anAnswerThatNobodyHasListedIsARefusal(String dialect, String state, int code) {
        SQLException error = new SQLException("refused", state, code);
        SqlFailure failure = sent(dialect, error, Asked.STATEMENT, true);
        assertThat(failure.outcome()).isEqualTo(REFUSED);
        assertThat(failure.isMistake()).isTrue();
        assertThat(failure.isKnownRefusal())
                .as("of the transaction it says nothing")
                .isFalse();
        assertThat(errors(dialect).saysNothing(error)).isTrue();
        assertThat(sent(dialect, error, Asked.IN_TRANSACTION, true).outcome()).isEqualTo(REFUSED);
        assertThat(sent(dialect, error, Asked.STATEMENT, false).outcome())
                .as("the connection is gone")
                .isEqualTo(UNKNOWN);
        for (Asked asked : List.of(Asked.SEVERAL, Asked.BLOCK, Asked.COMMIT)) {
            SqlFailure partly = sent(dialect, error, asked, true);
            assertThat(partly.outcome()).as(asked.name()).isEqualTo(UNKNOWN);
            assertThat(partly.isPartly()).isTrue();
            assertThat(partly.toRetry()).isEqualTo(REFUSED);
            assertThat(partly.undone().outcome()).isEqualTo(REFUSED);
        }
    }

    @ParameterizedTest
    @CsvSource(nullValues = "-", textBlock = """
            -,     0
            '',    0
            HYT00, 0
            HY008, 0
            S1000, 0
            99999, 0
            08006, 0
            08S01, 1053
            40003, 0
            """)
    void aDriversOwnErrorIsNoAnswer(String state, int code) {
        for (String dialect : List.of("postgresql", "mysql", "sqlserver")) {
            SqlFailure failure = sent(dialect, new SQLException("x", state, code), Asked.STATEMENT, true);
            assertThat(failure.outcome()).isEqualTo(UNKNOWN);
            assertThat(failure.isPartly()).isFalse();
        }
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            postgresql, 23503,    0, true
            postgresql, 23505,    0, true
            postgresql, 40001,    0, true
            mysql,      40000, 3101, true
            mariadb,    40001, 1213, true
            sqlite,          ,   19, true
            sqlite,          ,    5, true
            sqlserver,  23000,  547, true
            postgresql, 40003,    0, false
            postgresql, P0001,    0, false
            postgresql, 22012,    0, false
            postgresql, 53100,    0, false
            postgresql, 25006,    0, false
            mariadb,    HY000, 1180, false
            mariadb,    45000, 1644, false
            sqlite,          ,   10, false
            sqlite,          ,   13, false
            """)
    void aCommitIsUndoneByFewErrors(String dialect, String state, int code, boolean undone) throws Exception {
        SQLException error = new SQLException("x", state, code);
        assertThat(sent(dialect, error, Asked.COMMIT, true).outcome() != UNKNOWN)
                .isEqualTo(undone);
        Connection connection = (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    throw error;
                });
        CommitFailure failure = catchThrowableOfType(CommitFailure.class, () -> CommitFailure.commit(connection));
        assertThat(sent(dialect, failure, Asked.IN_TRANSACTION, true).outcome() != UNKNOWN)
                .isEqualTo(undone);
        assertThat(sent(dialect, failure, Asked.IN_TRANSACTION, true)).hasCause(error);
    }

    /** RAISE(FAIL) and ON CONFLICT FAIL look like any other constraint. */
    @Test
    void aRefusalThatKeepsAPartIsUndoneInATransactionAlone() {
        for (Map.Entry<String, SQLException> error : Map.of(
                        "sqlite", new SQLException("x", null, 19), "mariadb", new SQLException("x", "70100", 1969))
                .entrySet()) {
            assertThat(sent(error.getKey(), error.getValue(), Asked.STATEMENT, true)
                            .isPartly())
                    .isTrue();
            assertOutcome(REFUSED, error.getKey(), error.getValue(), Asked.IN_TRANSACTION);
        }
    }

    @Test
    void aKnownRefusalUndoesItsBlock() {
        assertOutcome(REFUSED, "mariadb", new SQLException("no such text", "22007", 1366), Asked.BLOCK);
        assertOutcome(ROLLED_BACK, "mariadb", new SQLException("deadlock", "40001", 1213), Asked.BLOCK);
        assertThat(sent("mariadb", new SQLException("deadlock", "40001", 1213), Asked.SEVERAL, true)
                        .toRetry())
                .isEqualTo(ROLLED_BACK);
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            postgresql, 28P01,     0, REFUSED,  wrong password
            postgresql, 28000,     0, REFUSED,  no entry in pg_hba.conf
            postgresql, 3D000,     0, REFUSED,  no such database
            postgresql, 53300,     0, NOT_SENT, too many connections
            postgresql, 57P03,     0, NOT_SENT, starting up
            postgresql, 08001,     0, NOT_SENT, nobody listens
            h2,         28000, 28000, REFUSED,  wrong user or password
            h2,         90020, 90020, NOT_SENT, another process has the file open
            mariadb,    28000,  1045, REFUSED,  wrong password
            mariadb,    42000,  1044, REFUSED,  no right to the database
            mysql,      42000,  1049, REFUSED,  no such database
            mysql,      08004,  1040, NOT_SENT, too many connections
            sqlserver,  S0001, 18456, REFUSED,  login failed
            sqlserver,  S0001, 18452, REFUSED,  untrusted domain
            sqlserver,  S0001, 18470, REFUSED,  account disabled
            sqlserver,  S0001, 18486, REFUSED,  account locked
            sqlserver,  S0001, 18488, REFUSED,  password must be changed
            sqlserver,  S0001,  4060, NOT_SENT, database not open (yet)
            sqlserver,  08S01,     0, NOT_SENT, nobody listens
            h2,         HYT00,     0, NOT_SENT, a pool that has none left
            """)
    void saysWhetherToAskForAConnectionAgain(String dialect, String state, int code, Outcome outcome, String meaning) {
        SqlErrors errors = errors(dialect);
        SQLException e = new SQLException(meaning, state, code);
        assertThat(errors.notConnected("s", e).outcome()).isEqualTo(outcome);
        assertThat(errors.notConnected("s", new SQLException("in a pool", e)).outcome())
                .isEqualTo(outcome);
    }

    @Test
    void noConnectionIsNotSent() {
        assertThat(STANDARD.notConnected("s", new IllegalStateException("pool closed"))
                        .outcome())
                .isEqualTo(NOT_SENT);
        SQLException lost = new SQLNonTransientConnectionException("lost", new IOException());
        assertThat(STANDARD.notConnected("s", lost).outcome()).isEqualTo(NOT_SENT);
    }

    @Test
    void failuresBeforeTheStatementAreNotSent() {
        assertThat(STANDARD.notSent("s", new SQLException("refused", "28000")).outcome())
                .isEqualTo(NOT_SENT);
    }

    @Test
    void aFailureNamesItsStatementAndKeepsItsCause() {
        SQLException cause = new SQLException("no such table", "42P01");
        SqlFailure failure = STANDARD.sent("acquire_lock", cause, Asked.STATEMENT, () -> true);
        assertThat(failure.statement()).isEqualTo("acquire_lock");
        assertThat(failure.outcome()).isEqualTo(REFUSED);
        assertThat(failure).hasCause(cause).hasMessage("acquire_lock: no such table");
    }

    @Test
    void messageIsOneLineWithoutTheStatement() {
        SQLException ofH2 =
                new SQLException("Value too long: \"a\nWARNING b\"; SQL statement:\nUPDATE x\nSET y = ? [22001-232]");

        assertThat(new SqlFailure("fail_run", REFUSED, ofH2))
                .hasMessage("fail_run: Value too long: \"a WARNING b\" [22001-232]");
    }

    /** Else a worker would send it for ever. */
    @Test
    void aRefusalOfALaterPartIsARefusal() {
        SqlFailure refused = STANDARD.sent("mark", new SQLException("no right", "42501"), Asked.STATEMENT, () -> true);
        assertThat(refused.partlyCommitted().outcome()).isEqualTo(UNKNOWN);
        assertThat(refused.partlyCommitted().isMistake()).isTrue();
        assertThat(refused.partlyCommitted().partlyCommitted().isMistake())
                .as("of a part of a part")
                .isTrue();
        assertThat(new SqlFailure("mark", UNKNOWN, new SQLException()).isMistake())
                .isFalse();
    }
}
