package dev.dibs.contract.connections;

import static dev.dibs.contract.support.LeaseStatements.OWNER;
import static dev.dibs.contract.support.LeaseStatements.STRANGER;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.claims.Claim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.BetweenSteps;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.KeptClaims;
import dev.dibs.contract.support.KeptClaims.Way;
import dev.dibs.contract.support.LeaseTable;
import dev.dibs.database.FullTest;
import dev.dibs.internal.sql.errors.SqlFailure;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A caller's transaction with an old snapshot: commits of others since then count all the same. An error of the database is right, too. */
@Tag("steps")
class OldSnapshotContract extends Fixture {

    @Test
    void guardRefusesALeaseLostSinceTheTransactionBegan() throws Exception {
        BetweenSteps steps = closing(new BetweenSteps(this));
        Connection business = connection();
        LeaseTable.each(this, List.of("lock", "permit", "gate"), table -> {
            LeaseTable theirs = table.by(this, steps.impatient);
            table.insert("a", OWNER, true);
            look(business, "SELECT count(*) FROM " + table.table());
            assertThat(theirs.hit("break_" + table.kind, "a", STRANGER)).isTrue();
            assertThat(theirs.owners("acquire_" + table.kind, "a", STRANGER)).contains(STRANGER);
            assertThat(guarded(table, business, "a", OWNER)).as(table.kind).isFalse();
            back(business);
        });
    }

    /** Nor does it keep the holder from renewing it. */
    @Test
    void aStrangersGuardLocksNothing() throws Exception {
        assumeRowLocks();
        BetweenSteps steps = closing(new BetweenSteps(this));
        Connection business = connection();
        LeaseTable.each(this, List.of("lock", "permit", "gate", "reader", "ticket", "once"), table -> {
            LeaseTable theirs = table.by(this, steps.impatient);
            table.insert("a", OWNER, true);
            look(business, "SELECT count(*) FROM " + table.table());
            for (String guard : table.of("guard_x")) {
                assertThat(guarded(table, business, "a", STRANGER)).as(guard).isFalse();
                assertThat(theirs.hit("renew_" + table.kind + "s", "a", OWNER))
                        .as(guard)
                        .isTrue();
            }
            back(business);
        });
    }

    @FullTest(except = "postgresql")
    void rowsClaimedSinceTheTransactionBeganAreNotClaimed() throws Exception {
        for (Way way : EnumSet.of(Way.TABLE, Way.MARKER, Way.SIDE)) {
            for (boolean expired : new boolean[] {false, true}) {
                try (Dibs dibs = dibs();
                        KeptClaims rows = new KeptClaims(this, way, 3);
                        Connection business = pool().getConnection()) {
                    RowClaims<RowKey> claims = rows.by(dibs);
                    if (expired && way != Way.MARKER) {
                        rows.pass(claims.claim(3).token());
                    }
                    look(business, rows.looks());
                    Claim<RowKey> now = claims.claim(2);
                    List<RowKey> mine = new ArrayList<>();
                    try {
                        mine.addAll(claims.claim(business, 3).keys());
                        business.commit();
                    } catch (DatabaseFailureException e) {
                        business.rollback();
                    }
                    business.setAutoCommit(true);
                    assertThat(mine).as(way.name()).doesNotContainAnyElementsOf(now.keys());
                    assertThat(now.complete().lost()).as(way.name()).isEmpty();
                }
            }
        }
    }

    @FullTest(except = "postgresql")
    void rowsReleasedSinceTheTransactionBeganAreNotCompleted() throws Exception {
        for (Way way : Way.values()) {
            for (List<RowKey> keys : List.of(List.of(RowKey.of(1)), List.of(RowKey.of(1), RowKey.of(2)))) {
                try (Dibs dibs = dibs();
                        KeptClaims rows = new KeptClaims(this, way, 2);
                        Connection business = pool().getConnection()) {
                    RowClaims<RowKey> claims = rows.by(dibs);
                    Claim<RowKey> old = claims.claim(2);
                    look(business, rows.looks());
                    claims.release(old.token());
                    try {
                        assertThat(old.complete(business, keys).done())
                                .as(way.name())
                                .isEmpty();
                        business.commit();
                    } catch (DatabaseFailureException e) {
                        business.rollback();
                    }
                    business.setAutoCommit(true);
                    assertThat(rows.by(dibs).claim(2).complete().done())
                            .as(way.name())
                            .hasSize(2);
                }
            }
        }
    }

    private static void look(Connection business, String... queries) throws SQLException {
        business.setAutoCommit(false);
        business.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        try (Statement statement = business.createStatement()) {
            for (String query : queries) {
                statement.executeQuery(query).close();
            }
        }
    }

    private static void back(Connection business) throws SQLException {
        business.rollback();
        business.setAutoCommit(true);
    }

    private static boolean guarded(LeaseTable table, Connection business, String lease, String owner) throws Exception {
        try {
            return table.guarded(business, lease, owner);
        } catch (SqlFailure e) {
            assertThat(e.outcome()).isEqualTo(SqlFailure.Outcome.ROLLED_BACK);
            business.rollback();
            return false;
        }
    }
}
