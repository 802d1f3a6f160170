package dev.dibs.contract.statements;

import static dev.dibs.contract.support.LeaseStatements.OWNER;
import static dev.dibs.contract.support.LeaseStatements.STRANGER;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dialect;
import dev.dibs.Dibs;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ActingClock;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.LeaseStatements;
import dev.dibs.contract.support.LeaseTable;
import dev.dibs.contract.support.OpenTable;
import dev.dibs.contract.support.SideJobs;
import dev.dibs.database.H2Database;
import dev.dibs.database.OnEachDatabase;
import dev.dibs.database.Sql;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.call.Params;
import dev.dibs.internal.sql.files.DialectFolder;
import dev.dibs.internal.sql.files.Statements;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * If an index has all columns that a query needs, H2 reads a row there. It reads the row itself, in its current state, only to lock it, and
 * does not check it again in a change that is the source of a query. So a caller that took the row in between would lose it. Therefore the
 * conditions stand twice.
 */
@OnEachDatabase(H2Database.class)
class IndexedRowContract extends ContractFixture {

    static final String THIRD = "0".repeat(31) + "3";
    static final long LATER = 9_000_000_000_000L;

    @Test
    void aLockTakenDuringALookKeepsItsNewHolder(@TempDir Path folder) throws Exception {
        besideIndexes(folder, (database, sql) -> {
            Params params = LeaseStatements.params("a", STRANGER).withPairs(List.of("a"), List.of(STRANGER));
            for (String acquire : List.of("acquire_lock", "acquire_each_lock", "acquire_locks")) {
                sql.assertActsInTime(
                        sql.lock(OWNER, 1),
                        sql.lock(THIRD, LATER),
                        () -> database.call(acquire, params, LeaseTable.TIMEOUT),
                        "SELECT owner FROM {prefix}lock",
                        THIRD);
            }
        });
    }

    @Test
    void aLockTakenDuringALookIsNotRetaken(@TempDir Path folder) throws Exception {
        besideIndexes(folder, (database, sql) -> {
            Params params = LeaseStatements.params("a", STRANGER).withPairs(List.of("a"), List.of(STRANGER));
            String free = "UPDATE {prefix}lock SET held_until = 1, owner = NULL";
            String heldBack = "UPDATE {prefix}lock SET held_until = " + LATER + ", owner = NULL";
            sql.assertActsInTime(
                    free,
                    sql.lock(THIRD, 1),
                    () -> database.call("retake_lock", params, LeaseTable.TIMEOUT),
                    "SELECT owner FROM {prefix}lock",
                    THIRD);
            sql.assertActsInTime(
                    free,
                    heldBack,
                    () -> database.call("retake_lock", params, LeaseTable.TIMEOUT),
                    "SELECT held_until FROM {prefix}lock",
                    String.valueOf(LATER));
        });
    }

    @Test
    void aLockLostDuringALookIsNotRenewed(@TempDir Path folder) throws Exception {
        besideIndexes(folder, (database, sql) -> {
            Params params = LeaseStatements.params("a", OWNER).withPairs(List.of("a"), List.of(OWNER));
            for (String renew : List.of("renew_locks", "renew_held_locks")) {
                for (String lost : List.of(sql.lock(THIRD, LATER), sql.lock(OWNER, 1))) {
                    String until = lost.contains(THIRD) ? String.valueOf(LATER) : "1";
                    sql.assertActsInTime(
                            sql.lock(OWNER, LATER - 1),
                            lost,
                            () -> database.call(renew, params, LeaseTable.TIMEOUT),
                            "SELECT held_until FROM {prefix}lock",
                            until);
                }
            }
        });
    }

    @Test
    void aRowClaimedDuringALookIsNotRenewed(@TempDir Path folder) throws Exception {
        besideIndexes(folder, (database, sql) -> {
            try (OpenTable table = new OpenTable(pool(), "id varchar(20) PRIMARY KEY");
                    Dibs dibs = builder(pool()).dialect(Dialect.at(folder)).build()) {
                table.run("INSERT INTO " + table.name() + " (id) VALUES ('a')");
                table.run("CREATE INDEX " + table.name() + "_i ON " + table.name()
                        + " (id, request_token, claimed_until)");
                RowClaims<RowKey> claims =
                        table.claims(dibs).leaseLength(Duration.ofMinutes(10)).build();
                String token = claims.claim(1).token();
                String set = "UPDATE " + table.name() + " SET claimed_until = " + LATER + ", request_token = '";
                sql.assertActsInTime(
                        set + token + "'",
                        set + THIRD + "'",
                        () -> claims.find(token).renew(),
                        "SELECT claimed_until FROM " + table.name(),
                        String.valueOf(LATER));
            }
        });
    }

    /** No index is needed for this one: the claim stands in another table than the row that is locked. */
    @Test
    void aSideRowClaimedDuringALookKeepsItsNewHolder(@TempDir Path folder) throws Exception {
        besideIndexes(folder, (database, sql) -> {
            try (SideJobs jobs = new SideJobs(pool(), 1);
                    Dibs dibs = builder(pool()).dialect(Dialect.at(folder)).build()) {
                RowClaims<RowKey> claims =
                        jobs.claims(dibs).leaseLength(Duration.ofMinutes(10)).build();
                String ofTable = " WHERE scope = '" + jobs.table() + "'";
                sql.assertActsInTime(
                        "MERGE INTO dibs_claim (scope, row_key, token, held_until) VALUES ('" + jobs.table()
                                + "', '1', '" + OWNER + "', 1)",
                        "UPDATE dibs_claim SET token = '" + THIRD + "', held_until = " + LATER + ofTable,
                        () -> claims.claim(1),
                        "SELECT token FROM dibs_claim" + ofTable,
                        THIRD);
            }
        });
    }

    @Test
    void aRowClaimedDuringALookIsNotCompleted(@TempDir Path folder) throws Exception {
        // Completions read no clock, so the condition on the key reads it here.
        Files.writeString(
                folder.resolve("claims.sql"),
                "-- fragment: key_match\nt.{key} = k.dibs_key# AND dibs_clock() IS NOT NULL\n");
        besideIndexes(folder, (database, sql) -> {
            try (OpenTable table = new OpenTable(pool(), "id bigint PRIMARY KEY")) {
                table.run("CREATE INDEX " + table.name() + "_i ON " + table.name() + " (id, request_token)");
                Database claims = asked(pool(), table.claiming(database.statements()));
                Params params = Params.of("token", OWNER).withKeys(List.of(List.of("1")));
                for (String complete : List.of("complete_rows", "delete_rows")) {
                    sql.assertActsInTime(
                            "MERGE INTO " + table.name() + " (id, request_token) VALUES (1, '" + OWNER + "')",
                            "UPDATE " + table.name() + " SET request_token = '" + THIRD + "'",
                            () -> claims.call(complete, params, LeaseTable.TIMEOUT),
                            "SELECT request_token FROM " + table.name(),
                            THIRD);
                }
            }
        });
    }

    /** Checks the result. */
    interface Check {
        void on(Database database, OtherAction sql) throws Exception;
    }

    private void besideIndexes(Path folder, Check check) throws Exception {
        Files.writeString(
                folder.resolve("dialect.sql"),
                "-- fragment: base\nh2\n\n-- fragment: now\ndibs_clock()\n\n-- fragment: now_once\ndibs_clock()\n");
        String prefix = prefix();
        try (HikariDataSource impatient = impatient();
                Dibs dibs = builder(pool()).tablePrefix(prefix).build();
                Connection connection = impatient.getConnection()) {
            dibs.admin().createSchema();
            OtherAction sql = new OtherAction(connection, prefix);
            sql.run("SET LOCK_TIMEOUT 10");
            sql.run("CREATE ALIAS IF NOT EXISTS dibs_clock FOR \"" + ActingClock.class.getName() + ".read\"");
            sql.run("CREATE INDEX {prefix}i ON {prefix}lock (name, owner, held_until)");
            sql.run(
                    "INSERT INTO {prefix}lock (name, owner, holder, fence, acquired_at, held_until) VALUES ('a', NULL, NULL, 1, 1, 1)");
            check.on(asked(pool(), Statements.load(DialectFolder.at(folder), prefix)), sql);
            dropTables(prefix);
        }
    }

    /** The connection and prefix of the other action. */
    record OtherAction(Connection connection, String prefix) {

        void run(String sql) throws SQLException {
            Sql.on(connection).run(sql.replace("{prefix}", prefix));
        }

        String lock(String owner, long until) {
            return "UPDATE {prefix}lock SET owner = '" + owner + "', held_until = " + until;
        }

        /** At each reading of the clock in turn: if {@code act} comes in time, its effect stays. That it does at least once. */
        void assertActsInTime(String before, String act, ActingClock.Ask ask, String seen, String expected)
                throws Exception {
            int inTime = 0;
            boolean[] done = new boolean[1];
            for (int reading = 1; true; reading++) {
                run(before);
                if (!ActingClock.actAt(reading, () -> done[0] = isDone(act), ask)) {
                    assertThat(inTime).as(act).isPositive();
                    return;
                }
                if (done[0]) {
                    inTime++;
                    assertThat(one(seen)).as("at reading " + reading).isEqualTo(expected);
                }
            }
        }

        /** Unless it is too late: the row is locked. */
        private boolean isDone(String act) {
            try {
                run(act);
                return true;
            } catch (SQLException locked) {
                return false;
            }
        }

        private String one(String query) throws SQLException {
            return Sql.on(connection).text(query.replace("{prefix}", prefix));
        }
    }
}
