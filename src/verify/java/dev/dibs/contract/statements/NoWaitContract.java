package dev.dibs.contract.statements;

import static dev.dibs.contract.support.LeaseStatements.OWNER;
import static dev.dibs.contract.support.LeaseStatements.STRANGER;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.claims.Claim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.BetweenSteps;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.contract.support.KeptClaims;
import dev.dibs.contract.support.KeptClaims.Way;
import dev.dibs.contract.support.LeaseStatements;
import dev.dibs.contract.support.LeaseTable;
import dev.dibs.contract.support.SideJobs;
import dev.dibs.database.FullTest;
import dev.dibs.database.Sql;
import dev.dibs.internal.sql.call.Call;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.call.Params;
import dev.dibs.internal.sql.errors.SqlFailure;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * No statement about leases waits for a locked row: each answers beside an open guarded transaction. The tables are nearly empty, so an
 * optimizer may prefer a scan.
 */
class NoWaitContract extends ContractFixture {
    /** A lease that is over soon, in milliseconds. */
    private static final long BRIEF = 700;

    @FullTest(except = "postgresql")
    void noStatementWaitsForAGuardedRow() throws Exception {
        besideAGuard(LONG.toMillis());
    }

    @FullTest
    void noStatementWaitsForAGuardedRowThatHasExpired() throws Exception {
        besideAGuard(BRIEF);
    }

    @Test
    void noClaimWaitsForALockedRow() throws Exception {
        assumeRowLocks();
        Duration lease = Duration.ofMinutes(10);
        Jobs jobs = jobs(5);
        SideJobs besides = closing(new SideJobs(pool(), 4));
        Dibs dibs = dibs(impatient());
        Connection other = transaction();
        RowClaims<RowKey> ranges = jobs.ranges(dibs).leaseLength(lease).build();
        Claim<RowKey> range = ranges.claim(4);
        touch(other, "dibs_range", jobs.table(), "id <> 'dibs-cursor'");
        assertThat(range.renew().lost()).isEmpty();
        other.rollback();
        range.postpone(keys(1), lease);
        touch(other, "dibs_claim", jobs.table(), "row_key = '2'");
        assertThat(ranges.release(range.token())).extracting(RowKey::asLong).containsExactlyInAnyOrder(3L, 4L);
        other.rollback();
        RowClaims<RowKey> claims = besides.claims(dibs).leaseLength(lease).build();
        Claim<RowKey> claim = claims.claim(4);
        touch(other, "dibs_claim", besides.table(), "row_key = '2'");
        assertThat(claim.renew().lost()).isEmpty();
        assertThat(claims.release(claim.token())).extracting(RowKey::asLong).containsExactlyInAnyOrder(1L, 3L, 4L);
        other.rollback();
    }

    @Test
    void noStatementWaitsForALockedRange() throws Exception {
        assumeRowLocks();
        Duration lease = Duration.ofMinutes(10);
        Jobs jobs = jobs(6);
        Dibs dibs = dibs(impatient());
        Connection other = transaction();
        RowClaims<RowKey> ranges = jobs.ranges(dibs).leaseLength(lease).build();
        String first = ranges.claim(2).token();
        jobs.run("UPDATE dibs_range SET held_until = 1 WHERE id = '" + first + "'");
        touch(other, "dibs_range", jobs.table(), "id = '" + first + "'");
        Claim<RowKey> next = ranges.claim(4);
        assertThat(next.keys()).isEqualTo(keys(3, 4, 5, 6));
        assertThat(ranges.release(first)).isEmpty();
        other.rollback();
        assertThat(ranges.release(first)).hasSize(2);
        ranges.claim(2).complete();
        assertThat(next.postpone(next.keys(), lease).done()).hasSize(4);
        jobs.run("UPDATE dibs_claim SET held_until = 2 WHERE scope = '" + jobs.table() + "'");
        touch(other, "dibs_claim", jobs.table(), "row_key = '4'");
        // Other instances look now and then for rows that have left their range; a new one does so at once.
        RowClaims<RowKey> others = jobs.ranges(dibs).leaseLength(lease).build();
        assertThat(others.claim(8).keys()).extracting(RowKey::asLong).containsExactlyInAnyOrder(3L, 5L, 6L);
        other.rollback();
    }

    @Test
    void noStatementWaitsForALockedRow() throws Exception {
        assumeRowLocks();
        Duration lease = Duration.ofMinutes(10);
        Jobs jobs = jobs(4);
        Dibs dibs = dibs(impatient());
        Connection other = transaction();
        RowClaims<RowKey> claims = jobs.claims(dibs).leaseLength(lease).build();
        Claim<RowKey> claim = claims.claim(4);
        run(other, "UPDATE " + jobs.table() + " SET claimed_until = claimed_until + 4 WHERE id = 2");
        assertThat(claim.renew().lost()).isEmpty();
        assertThat(claims.release(claim.token())).extracting(RowKey::asLong).containsExactlyInAnyOrder(1L, 3L, 4L);
        other.rollback();
    }

    private static void touch(Connection connection, String table, String scope, String which) throws SQLException {
        assertThat(Sql.on(connection)
                        .change("UPDATE " + table + " SET held_until = held_until + 4 WHERE scope = '" + scope
                                + "' AND " + which))
                .isEqualTo(1);
    }

    private void besideAGuard(long lease) throws Exception {
        assumeRowLocks();
        String prefix = prefix();
        HikariDataSource impatient = impatient();
        Dibs dibs = closing(builder(impatient).tablePrefix(prefix).build());
        Connection business = closing(impatient.getConnection());
        dibs.admin().createSchema();
        Database asked = asked(impatient, prefix);
        business.setAutoCommit(false);
        for (String kind : LeaseStatements.KINDS) {
            long now = guard(impatient, asked, business, prefix, kind, lease);
            if (lease == BRIEF) {
                Thread.sleep(BRIEF);
            }
            askAll(impatient, asked, prefix + kind, kind, now);
            for (String release :
                    LeaseStatements.hasManyOfAName(kind) ? List.of("release_" + kind) : List.<String>of()) {
                assertThat(ask(asked, null, release, LeaseStatements.params("guarded", OWNER))
                                .hit())
                        .as(release + " of a guarded row")
                        .isFalse();
            }
            business.rollback();
        }
        business.setAutoCommit(true);
        dropTables(prefix);
    }

    /** Guards a lease, and returns when it was acquired. A brief one may be over before the guard: then once more. */
    private static long guard(
            HikariDataSource pool, Database asked, Connection business, String prefix, String kind, long lease)
            throws Exception {
        for (int tries = lease == BRIEF ? 20 : 1; tries > 0; tries--) {
            long now = clock(pool, asked, prefix, "clock-" + kind + tries);
            Sql.on(pool).run("DELETE FROM " + prefix + kind);
            insert(pool, prefix + kind, "guarded", OWNER, now + lease);
            if (ask(asked, business, "guard_" + kind, LeaseStatements.params("guarded", OWNER))
                    .hit()) {
                return now;
            }
            business.rollback();
        }
        throw new AssertionError("no guard of a " + kind);
    }

    private void askAll(HikariDataSource pool, Database asked, String table, String kind, long now) throws Exception {
        List<String> waited = new ArrayList<>();
        for (String statement : LeaseStatements.about(asked.statements(), kind)) {
            if (!database().runs(statement)) {
                continue;
            }
            for (String name : List.of("guarded", "free", "new")) {
                for (long until : new long[] {0, now + 600_000}) {
                    String owner = name.equals("guarded") && !LeaseStatements.hasManyOfAName(kind) ? OWNER : STRANGER;
                    if (!owner.equals(OWNER) && !name.equals("new")) {
                        insert(pool, table, name, owner, until);
                    }
                    String what = statement + " of " + name + (until == 0 ? ", expired" : ", held");
                    boolean asks = statement.matches("(acquire|retake)_.*");
                    try {
                        Params params = LeaseStatements.params(name, owner);
                        ask(asked, null, statement, asks ? params.with("owner", fresh("t")) : params);
                    } catch (SqlFailure e) {
                        if (!LeaseStatements.failsSoon(pool, statement, e)) {
                            waited.add(what + ": " + e.getMessage());
                        }
                    }
                    clear(pool, table);
                }
            }
        }
        assertThat(waited).isEmpty();
        insert(pool, table, "free", STRANGER, now + 600_000);
        assertThat(renewed(asked, kind, "free")).as("a guard locks one row").isTrue();
        if (LeaseStatements.hasManyOfAName(kind)) {
            insert(pool, table, "guarded", STRANGER, now + 600_000);
            assertThat(renewed(asked, kind, "guarded"))
                    .as("and not the others of its name")
                    .isTrue();
        }
    }

    /** Leaves the guarded row alone. Row by row and by the whole key, since a search would wait for it. */
    private static void clear(HikariDataSource pool, String table) throws SQLException {
        String second = LeaseStatements.hasManyOfAName(table) ? "owner" : table.endsWith("permit") ? "slot" : "name";
        try (Connection connection = pool.getConnection();
                Statement select = connection.createStatement();
                ResultSet row = select.executeQuery("SELECT name, owner, " + second + " FROM " + table);
                PreparedStatement delete = connection.prepareStatement(
                        "DELETE FROM " + table + " WHERE name = ? AND " + second + " = ?")) {
            while (row.next()) {
                boolean isGuarded = row.getString(1).equals("guarded")
                        && (!second.equals("owner") || row.getString(2).equals(OWNER));
                if (!isGuarded) {
                    delete.setString(1, row.getString(1));
                    delete.setObject(2, row.getObject(3));
                    delete.executeUpdate();
                }
            }
        }
    }

    private static boolean renewed(Database asked, String kind, String name) throws SqlFailure {
        Params params = LeaseStatements.params(name, STRANGER);
        return !asked.call("renew_" + kind + "s", params, LONG, row -> row.getString("owner"))
                .rows()
                .isEmpty();
    }

    private static Call<Boolean> ask(Database asked, Connection business, String statement, Params params)
            throws SqlFailure {
        return business == null ? asked.call(statement, params, LONG) : asked.callOn(business, statement, params);
    }

    /** The database's clock, as an acquisition records it. */
    private static long clock(HikariDataSource pool, Database asked, String prefix, String name) throws Exception {
        asked.call("acquire_once", LeaseStatements.params(name, STRANGER), LONG);
        return Sql.on(pool).number("SELECT acquired_at FROM " + prefix + "once WHERE name = '" + name + "'");
    }

    private static void insert(HikariDataSource pool, String table, String name, String owner, long until)
            throws SQLException {
        List<String> more = LeaseStatements.columnsBesides(table);
        try (Connection connection = pool.getConnection()) {
            Sql.on(connection)
                    .change(
                            LeaseTable.insertion(
                                    connection,
                                    table,
                                    "owner, holder, fence, acquired_at, held_until" + String.join("", more),
                                    "?, 'somebody', 1, 0, ?" + ", 0".repeat(more.size())),
                            name,
                            owner,
                            until);
        }
    }

    @FullTest(except = "postgresql")
    void releaseDoesNotWaitForALockedRow() throws Exception {
        assumeRowLocks();
        for (Way way : EnumSet.of(Way.TABLE, Way.MARKER, Way.SIDE)) {
            try (BetweenSteps steps = new BetweenSteps(this);
                    Dibs dibs = dibs(steps.impatient);
                    KeptClaims rows = new KeptClaims(this, way, 3);
                    Connection other = pool().getConnection()) {
                Claim<RowKey> claim = rows.by(dibs).claim(3);
                other.setAutoCommit(false);
                rows.lock(other, 2);
                assertThat(claim.release(keys(1, 2, 3)).done()).as(way.name()).contains(RowKey.of(1), RowKey.of(3));
                assertThat(rows.by(dibs).claim(3).keys()).as(way.name()).isEqualTo(keys(1, 3));
                other.rollback();
                other.setAutoCommit(true);
            }
        }
    }
}
