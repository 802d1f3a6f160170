package dev.dibs.contract.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.dibs.contract.support.Fixture;
import dev.dibs.database.Sql;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.files.DialectFolder;
import dev.dibs.internal.sql.files.Products;
import dev.dibs.internal.sql.files.Statements;
import dev.dibs.internal.sql.run.Call;
import dev.dibs.internal.sql.run.Connections;
import dev.dibs.internal.sql.run.Database;
import dev.dibs.internal.sql.run.Params;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Promise 3, statement by statement: every change of a row needs the owner token. */
@Tag("contract")
class OwnerContract extends Fixture {

    static final Duration TIMEOUT = Duration.ofSeconds(10);
    static final String MINE = "0123456789abcdef0123456789abcdef";
    static final String THEIRS = "fedcba9876543210fedcba9876543210";

    private Database database(Connection connection) throws SQLException {
        Statements statements = Statements.load(folder(connection), "dibs_");
        return new Database(Connections.forCallers(pool(), Runnable::run, statements), statements);
    }

    private static DialectFolder folder(Connection connection) throws SQLException {
        return Products.detect(connection.getMetaData());
    }

    private static long acquire(Database statements, String name) throws SqlFailure {
        Params params =
                Params.of("name", name).with("owner", MINE).with("holder", "me").with("lease", 60_000);
        Call<String> answer =
                statements.call("acquire_lock", params, TIMEOUT, row -> row.getString("owner"), MINE::equals);
        assertThat(answer.rows()).contains(MINE);
        return until(statements, name);
    }

    /** The end of the lease, or -1 if it is not ours. */
    private static long until(Database statements, String name) throws SqlFailure {
        return statements
                .call("find_locks", pair(name, MINE), TIMEOUT, row -> row.getLong("held_until"))
                .rows()
                .stream()
                .findFirst()
                .orElse(-1L);
    }

    private static Params pair(String name, String owner) {
        return pairs(List.of(name), List.of(owner));
    }

    private static Params pairs(List<String> names, List<String> owners) {
        return Params.none().withPairs(names, owners).with("lease", 120_000);
    }

    private static Params one(String name, String owner) {
        return Params.of("name", name).with("owner", owner);
    }

    @Test
    void nobodyElseRenews() throws Exception {
        String name = fresh("renew");
        try (Connection connection = pool().getConnection()) {
            Database statements = database(connection);
            long until = acquire(statements, name);
            assertThat(renewed(statements, name, THEIRS)).isEmpty();
            assertThat(until(statements, name)).isEqualTo(until);
            assertThat(renewed(statements, name, MINE)).containsExactly(MINE);
            assertThat(until(statements, name)).isGreaterThan(until + 30_000);
        }
    }

    /** The shorter statement, where there is one. */
    @Test
    void nobodyElseRenewsAllOfAList() throws Exception {
        String mine = fresh("renew-all");
        String other = fresh("renew-all-other");
        try (Connection connection = pool().getConnection()) {
            Database statements = database(connection);
            assumeTrue(statements.statements().features().renewsAllAtOnce(), "one statement renews them here");
            long until = acquire(statements, mine);
            acquire(statements, other);
            assertThat(renewedAll(statements, List.of(mine, other), List.of(THEIRS, THEIRS)))
                    .isZero();
            assertThat(until(statements, mine)).isEqualTo(until);
            assertThat(renewedAll(statements, List.of(mine, other), List.of(MINE, THEIRS)))
                    .isEqualTo(1);
            assertThat(until(statements, mine)).isGreaterThan(until + 30_000);
            expire(connection, mine);
            assertThat(renewedAll(statements, List.of(mine, other), List.of(MINE, MINE)))
                    .as("what has passed is not renewed")
                    .isEqualTo(1);
            assertThat(until(statements, mine)).as("still passed").isEqualTo(-1);
        }
    }

    private static long renewedAll(Database statements, List<String> names, List<String> owners) throws SqlFailure {
        return statements.call("renew_all_locks", pairs(names, owners), TIMEOUT).changed();
    }

    private static void expire(Connection connection, String name) throws SQLException {
        assertThat(Sql.on(connection).change("UPDATE dibs_lock SET held_until = 1 WHERE name = ?", name))
                .isEqualTo(1);
    }

    private static List<String> renewed(Database statements, String name, String owner) throws SqlFailure {
        return statements
                .call("renew_locks", pair(name, owner), TIMEOUT, row -> row.getString("owner"))
                .rows();
    }

    @Test
    void nobodyElseFinds() throws Exception {
        String name = fresh("find");
        try (Connection connection = pool().getConnection()) {
            Database statements = database(connection);
            acquire(statements, name);
            assertThat(statements
                            .call("find_locks", pair(name, THEIRS), TIMEOUT)
                            .hit())
                    .isFalse();
            assertThat(statements
                            .call("find_locks", pair(name + "x", MINE), TIMEOUT)
                            .hit())
                    .as("nor the same owner of another name")
                    .isFalse();
            assertThat(statements.call("find_locks", pair(name, MINE), TIMEOUT).hit())
                    .isTrue();
        }
    }

    @Test
    void nobodyElseReleases() throws Exception {
        String name = fresh("release");
        try (Connection connection = pool().getConnection()) {
            Database statements = database(connection);
            long until = acquire(statements, name);
            assertThat(statements
                            .call("release_lock", one(name, THEIRS), TIMEOUT)
                            .hit())
                    .isFalse();
            statements.call("release_locks", pair(name, THEIRS), TIMEOUT);
            assertThat(until(statements, name)).isEqualTo(until);
            assertThat(statements.call("release_lock", one(name, MINE), TIMEOUT).hit())
                    .isTrue();
            assertThat(until(statements, name)).isEqualTo(-1);
            acquire(statements, name);
            statements.call("release_locks", pair(name, MINE), TIMEOUT);
            assertThat(until(statements, name)).isEqualTo(-1);
        }
    }

    @Test
    void nobodyElseGuards() throws Exception {
        String name = fresh("guard");
        try (Connection connection = pool().getConnection();
                Connection transaction = pool().getConnection()) {
            Database statements = database(connection);
            acquire(statements, name);
            transaction.setAutoCommit(false);
            assertThat(statements
                            .callOn(transaction, "guard_lock", one(name, THEIRS))
                            .hit())
                    .isFalse();
            transaction.rollback();
            assertThat(statements
                            .callOn(transaction, "guard_lock", one(name, MINE))
                            .hit())
                    .isTrue();
            transaction.rollback();
            statements.call("release_lock", one(name, MINE), TIMEOUT);
            assertThat(statements
                            .callOn(transaction, "guard_lock", one(name, MINE))
                            .hit())
                    .as("nor the owner that was")
                    .isFalse();
            transaction.rollback();
            transaction.setAutoCommit(true);
        }
    }

    @Test
    void anExpiredLeaseIsNeitherRenewedNorGuarded() throws Exception {
        String name = fresh("passed");
        try (Connection connection = pool().getConnection();
                Connection transaction = pool().getConnection()) {
            Database statements = database(connection);
            acquire(statements, name);
            expire(connection, name);
            assertThat(renewed(statements, name, MINE)).isEmpty();
            transaction.setAutoCommit(false);
            assertThat(statements
                            .callOn(transaction, "guard_lock", one(name, MINE))
                            .hit())
                    .isFalse();
            transaction.rollback();
            transaction.setAutoCommit(true);
        }
    }
}
