package dev.dibs.sql;

import static dev.dibs.sql.SqlFailure.Outcome.DUPLICATE;
import static dev.dibs.sql.SqlFailure.Outcome.NOT_SENT;
import static dev.dibs.sql.SqlFailure.Outcome.REFUSED;
import static dev.dibs.sql.SqlFailure.Outcome.ROLLED_BACK;
import static dev.dibs.sql.SqlFailure.Outcome.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.sql.SqlFailure.Outcome;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The states and codes are those that the drivers of each database report. */
@Tag("unit")
class SqlErrorsTest {

    @ParameterizedTest
    @CsvSource(nullValues = "-", textBlock = """
            # PostgreSQL
            40001,   0, ROLLED_BACK, serialization failure
            40P01,   0, ROLLED_BACK, deadlock
            55P03,   0, ROLLED_BACK, lock not available
            40002,   0, ROLLED_BACK, constraint at the commit
            23505,   0, DUPLICATE,   unique violation
            42P01,   0, REFUSED,     no such table
            42703,   0, REFUSED,     no such column
            42501,   0, REFUSED,     no right
            22001,   0, REFUSED,     value too long
            25006,   0, REFUSED,     read-only transaction: a standby
            0A000,   0, REFUSED,     feature not supported
            53100,   0, REFUSED,     disk full
            3D000,   0, REFUSED,     no such database
            3F000,   0, REFUSED,     no such schema
            40003,   0, UNKNOWN,     statement completion unknown
            57P01,   0, UNKNOWN,     admin shutdown: perhaps in the middle of a commit
            57P02,   0, UNKNOWN,     crash shutdown
            57P03,   0, UNKNOWN,     cannot connect now
            57014,   0, UNKNOWN,     canceled
            08003,   0, UNKNOWN,     connection does not exist
            08006,   0, UNKNOWN,     connection failure
            08007,   0, UNKNOWN,     transaction resolution unknown
            58030,   0, UNKNOWN,     i/o error
            XX000,   0, UNKNOWN,     internal error
            # H2
            40001, 40001, ROLLED_BACK, deadlock
            HYT00, 50200, ROLLED_BACK, lock timeout
            90131, 90131, ROLLED_BACK, concurrent update
            23505, 23505, DUPLICATE,   unique violation
            42S02, 42102, REFUSED,     no such table
            42S04, 42104, REFUSED,     no such table in an empty database
            42S22, 42122, REFUSED,     no such column
            90096, 90096, REFUSED,     no right
            90097, 90097, REFUSED,     read-only
            22001, 22001, REFUSED,     value too long
            90067, 90067, UNKNOWN,     connection broken
            90098, 90098, UNKNOWN,     database closed
            90121, 90121, UNKNOWN,     called at shutdown
            90028, 90028, UNKNOWN,     i/o error
            90031, 90031, UNKNOWN,     i/o error of a file
            90030, 90030, UNKNOWN,     file corrupted
            90108, 90108, UNKNOWN,     out of memory
            90007, 90007, UNKNOWN,     closed object
            57014, 57014, UNKNOWN,     canceled
            HY000, 50000, UNKNOWN,     general error
            # MariaDB and MySQL
            40001, 1213, ROLLED_BACK, deadlock; Galera's certification too
            HY000, 1205, ROLLED_BACK, lock wait timeout
            HY000, 1020, ROLLED_BACK, changed since last read
            HY000, 3572, ROLLED_BACK, NOWAIT
            23000, 1062, DUPLICATE,   duplicate key
            42S02, 1146, REFUSED,     no such table
            42S22, 1054, REFUSED,     no such column
            42000, 1142, REFUSED,     no right to the table
            42000, 1064, REFUSED,     syntax
            22001, 1406, REFUSED,     value too long
            25006, 1792, REFUSED,     read-only transaction
            25S03,    0, UNKNOWN,     the driver has connected again by itself
            HY000, 1290, REFUSED,     server runs with --read-only
            HY000, 1836, REFUSED,     server is read-only
            HY000, 1180, UNKNOWN,     error during commit
            08S01, 1047, UNKNOWN,     Galera: not ready
            70100, 1317, UNKNOWN,     interrupted
            70100, 1927, UNKNOWN,     connection killed
            70100, 1969, UNKNOWN,     max_statement_time
            08S01, 1053, UNKNOWN,     shutdown in progress
            08S01,    0, UNKNOWN,     communications link failure
            08000, 1159, UNKNOWN,     no answer in time
            # SQL Server: S and the error's own state, but for a few
            40001, 1205, ROLLED_BACK, deadlock victim
            S0045, 1222, ROLLED_BACK, lock request timeout
            S0002, 3960, ROLLED_BACK, snapshot conflict
            23000, 2627, DUPLICATE,   primary key
            23000, 2601, DUPLICATE,   unique index
            S0002,  208, REFUSED,     no such table
            S0001,  207, REFUSED,     no such column
            S0005,  229, REFUSED,     no right
            S0006,  262, REFUSED,     no right to create a table
            S0001, 3906, REFUSED,     read-only database
            S0001,  650, REFUSED,     READPAST under another isolation
            S0009,  468, REFUSED,     collation conflict
            S0001, 8622, REFUSED,     no plan by these hints
            S0003,  601, UNKNOWN,     data moved under NOLOCK
            S0004, 9002, UNKNOWN,     log full
            S0001,  596, UNKNOWN,     session killed
            HY008,    0, UNKNOWN,     canceled
            HYT00,    0, UNKNOWN,     query timeout
            08S01,    0, UNKNOWN,     connection lost
            # SQL Server with xopenStates=true
            42000, 2627, DUPLICATE,   primary key
            42000, 1205, ROLLED_BACK, deadlock victim
            # Nothing said
            -,        0, UNKNOWN,     neither state nor code
            '',       0, UNKNOWN,     an empty state
            4,        0, UNKNOWN,     half a state
            """)
    void saysWhatAStatementHasDone(String state, int code, Outcome outcome, String meaning) {
        assertThat(SqlErrors.outcome(new SQLException(meaning, state, code))).isEqualTo(outcome);
    }

    @Test
    void aWrapperThatSaysNothingIsLookedInto() {
        SQLException inner = new SQLException("deadlock", "40P01");
        assertThat(SqlErrors.outcome(new SQLException(inner))).isEqualTo(ROLLED_BACK);
        assertThat(SqlErrors.outcome(new SQLException("in a pool", new RuntimeException(inner))))
                .isEqualTo(ROLLED_BACK);
    }

    @Test
    void whatLiesBelowALostConnectionIsNoAnswer() {
        SQLException older = new SQLException("no such table", "42P01");
        assertThat(SqlErrors.outcome(new SQLRecoverableException("lost", "08006", older)))
                .isEqualTo(UNKNOWN);
        assertThat(SqlErrors.outcome(new SQLException("i/o", "90028", 90028, new SQLException("x", "40001"))))
                .isEqualTo(UNKNOWN);
    }

    @Test
    void aLostConnectionIsUnknownWhateverItsCode() {
        assertThat(SqlErrors.outcome(new SQLException("lost", "08S01", 1205))).isEqualTo(UNKNOWN);
        assertThat(SqlErrors.outcome(new SQLException("timeout", "08006", new SocketTimeoutException())))
                .isEqualTo(UNKNOWN);
    }

    @Test
    void whatIsNoSqlExceptionIsUnknownOnceSent() {
        assertThat(SqlFailure.sent("s", new IllegalStateException()).outcome()).isEqualTo(UNKNOWN);
        assertThat(SqlFailure.sent("s", new SQLException("x", "23505")).outcome())
                .isEqualTo(DUPLICATE);
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            28P01,     0, REFUSED,  PostgreSQL: wrong password
            28000,     0, REFUSED,  PostgreSQL: no entry in pg_hba.conf
            3D000,     0, REFUSED,  PostgreSQL: no such database
            53300,     0, NOT_SENT, PostgreSQL: too many connections
            57P03,     0, NOT_SENT, PostgreSQL: starting up
            08001,     0, NOT_SENT, PostgreSQL: nobody listens
            28000, 28000, REFUSED,  H2: wrong user or password
            90020, 90020, NOT_SENT, H2: another process has the file open
            28000,  1045, REFUSED,  MariaDB: wrong password
            42000,  1044, REFUSED,  MariaDB: no right to the database
            42000,  1049, REFUSED,  MySQL: no such database
            08004,  1040, NOT_SENT, MySQL: too many connections
            S0001, 18456, REFUSED,  SQL Server: login failed
            S0001, 18452, REFUSED,  SQL Server: untrusted domain
            S0001, 18470, REFUSED,  SQL Server: account disabled
            S0001, 18486, REFUSED,  SQL Server: account locked
            S0001, 18488, REFUSED,  SQL Server: password must be changed
            S0001,  4060, NOT_SENT, SQL Server: database not open (yet)
            08S01,     0, NOT_SENT, SQL Server: nobody listens
            HYT00,     0, NOT_SENT, a pool that has none left
            """)
    void saysWhetherToAskForAConnectionAgain(String state, int code, Outcome outcome, String meaning) {
        SQLException e = new SQLException(meaning, state, code);
        assertThat(SqlFailure.notConnected("s", e).outcome()).isEqualTo(outcome);
        assertThat(SqlFailure.notConnected("s", new SQLException("in a pool", e))
                        .outcome())
                .isEqualTo(outcome);
    }

    @Test
    void noConnectionIsNotSent() {
        assertThat(SqlFailure.notConnected("s", new IllegalStateException("pool closed"))
                        .outcome())
                .isEqualTo(NOT_SENT);
        SQLException lost = new SQLNonTransientConnectionException("lost", new IOException());
        assertThat(SqlFailure.notConnected("s", lost).outcome()).isEqualTo(NOT_SENT);
    }

    @Test
    void whatFailsOnAConnectionBeforeTheStatementIsNotSentWhateverItSays() {
        assertThat(SqlFailure.notSent("s", new SQLException("refused", "28000")).outcome())
                .isEqualTo(NOT_SENT);
    }

    @Test
    void aFailureNamesItsStatementAndKeepsItsCause() {
        SQLException cause = new SQLException("no such table", "42P01");
        SqlFailure failure = SqlFailure.sent("acquire_lock", cause);
        assertThat(failure.statement()).isEqualTo("acquire_lock");
        assertThat(failure.outcome()).isEqualTo(REFUSED);
        assertThat(failure).hasCause(cause).hasMessage("acquire_lock: no such table");
    }
}
