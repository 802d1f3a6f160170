package dev.dibs.contract.locks.lease;

import static dev.dibs.contract.support.LeaseStatements.FAR;
import static dev.dibs.contract.support.LeaseStatements.OWNER;
import static dev.dibs.contract.support.LeaseStatements.STRANGER;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.LeaseTable;
import dev.dibs.database.Trait;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Each statement about leases, sent alone by a caller that is not the owner, or too late: the calls around it could hide an error. A row
 * with an uncommitted change, which locks more than a guard does, is skipped; other rows are not.
 */
class StrangerContract extends ContractFixture {
    /** Less than the leases of {@link dev.dibs.contract.support.LeaseStatements#params}, in milliseconds: a renewal shows. */
    private static final long BELOW_THE_LEASE = 50_000;

    static final List<String> MIXED = List.of("a-held", "b-expired", "c-locked", "d-new");

    @Test
    void noStatementOfAStrangerChangesALease() throws Exception {
        eachKind(table -> {
            table.insert("held", OWNER, true);
            for (String statement : table.of(
                    "release_x",
                    "release_unguarded_x",
                    "release_xs",
                    "leave_x",
                    "renew_xs",
                    "renew_all_xs",
                    "complete_x",
                    "fail_x")) {
                assertThat(table.hit(statement, "held", STRANGER)).as(statement).isFalse();
                assertThat(table.rows()).as(statement).containsExactly("held " + OWNER + " held");
            }
            for (String statement : table.of("guard_x", "find_xs", "enter_x")) {
                assertThat(table.hit(statement, "held", STRANGER)).as(statement).isFalse();
            }
        });
    }

    @Test
    void noLeaseThatHasExpiredIsRenewedOrGuarded() throws Exception {
        eachKind(table -> {
            table.insert("expired", OWNER, false);
            for (String statement : table.of("renew_xs", "renew_all_xs", "guard_x", "find_xs")) {
                assertThat(table.hit(statement, "expired", OWNER)).as(statement).isFalse();
                assertThat(table.rows()).as(statement).containsExactly("expired " + OWNER + " expired");
            }
        });
    }

    /** Else a statement that never finds a row would pass for one that refuses strangers. */
    @Test
    void theOwnersStatementsTakeEffect() throws Exception {
        eachKind(table -> {
            for (String statement :
                    table.of("find_xs", "guard_x", "renew_xs", "renew_all_xs", "release_x", "release_xs")) {
                table.insert("mine", OWNER, table.now + BELOW_THE_LEASE);
                assertThat(table.hit(statement, "other", OWNER))
                        .as(statement + " of another name")
                        .isFalse();
                assertThat(table.hit(statement, "mine", OWNER)).as(statement).isTrue();
                if (statement.startsWith("renew_")) {
                    assertThat(ends(table).get(0)).as(statement).isGreaterThan(table.now + BELOW_THE_LEASE);
                } else if (statement.startsWith("release_")) {
                    for (String late : table.of("find_xs", "guard_x", "renew_xs", "renew_all_xs")) {
                        assertThat(table.hit(late, "mine", OWNER))
                                .as(late + " after " + statement)
                                .isFalse();
                    }
                }
                table.clear();
            }
        });
    }

    @Test
    void ofAListOnlyLeasesOfTheirOwnersThatHaveNotExpiredAreRenewed() throws Exception {
        eachKind(table -> {
            long until = table.now + BELOW_THE_LEASE;
            for (String statement : table.of("renew_xs", "renew_all_xs")) {
                table.insert("a-mine", OWNER, until);
                table.insert("b-theirs", STRANGER, until);
                table.insert("c-expired", OWNER, false);
                assertThat(table.ask(statement, List.of("a-mine", "b-theirs", "c-expired"), OWNER))
                        .as(statement)
                        .isTrue();
                List<Long> ends = ends(table);
                assertThat(ends.get(0)).as(statement).isGreaterThan(until);
                assertThat(ends.subList(1, 3)).as(statement).containsExactly(until, 1L);
                table.clear();
            }
        });
    }

    private List<Long> ends(LeaseTable table) throws SQLException {
        return sql().numbers("SELECT held_until FROM " + table.table() + " ORDER BY name");
    }

    @Test
    void heldRowsAreListedAndBrokenAndHeldBackRowsAreFreed() throws Exception {
        eachKind(table -> {
            table.insert("held", OWNER, true);
            for (String statement : table.of("list_xs")) {
                assertThat(table.names(statement)).as(statement).contains("held");
            }
            table.clear();
            table.insert("expired", OWNER, false);
            assertListed(table);
            if (!table.hasManyOfAName()) {
                table.clear();
                table.insert("held-back", null, true);
                assertListed(table);
                for (String statement : table.of("break_x")) {
                    assertThat(table.hit(statement, "held-back", STRANGER))
                            .as(statement)
                            .isFalse();
                    assertThat(table.rows()).as(statement).containsExactly("held-back null changed");
                    assertListed(table);
                }
            }
        });
    }

    private static void assertListed(LeaseTable table) throws Exception {
        // For work that is done once a period, all rows are listed: its history, not its holders.
        for (String statement : table.kind.equals("once") ? List.<String>of() : table.of("list_xs")) {
            assertThat(table.names(statement)).as(statement).isEmpty();
        }
    }

    @Test
    void onlyLongFreeRowsArePurged() throws Exception {
        eachKind(table -> {
            table.insert("held", OWNER, true);
            for (String statement : table.of("purge_xs")) {
                table.hit(statement, "held", OWNER);
                assertThat(table.rows()).as(statement).containsExactly("held " + OWNER + " held");
                table.clear();
                table.insert("expired", OWNER, false);
                assertThat(table.hit(statement, "expired", OWNER)).as(statement).isTrue();
                assertThat(table.rows()).as(statement).isEmpty();
                // A batch has rows that may be deleted, however many others come first.
                for (int i = 0; i < 20; i++) {
                    table.insert("a-held-" + i, "owner-" + i, true);
                }
                table.insert("b-expired", OWNER, false);
                assertThat(table.hit(statement, "b-expired", OWNER))
                        .as(statement)
                        .isTrue();
                assertThat(table.rows()).as(statement).hasSize(20).noneMatch(row -> row.startsWith("b"));
            }
        });
    }

    @Test
    void noPurgeWaitsForALockedRow() throws Exception {
        if (database().has(Trait.PURGE_WAITS)) {
            return;
        }
        eachKind(table -> {
            table.insert("a-locked", OWNER, false);
            table.insert("b-expired", STRANGER, false);
            for (String statement : table.of("purge_xs")) {
                try (Connection other = pool().getConnection()) {
                    other.setAutoCommit(false);
                    table.lock(other, "a-locked");
                    assertThat(table.hit(statement, "b-expired", OWNER))
                            .as(statement)
                            .isTrue();
                    other.rollback();
                }
                assertThat(table.rows()).as(statement).containsExactly("a-locked " + OWNER + " expired");
            }
        });
    }

    /** Those that change a row by its name alone, for any caller. */
    private static boolean isTakenByName(LeaseTable table) {
        return List.of("lock", "permit", "gate").contains(table.kind);
    }

    @Test
    void heldRowsAreNotTakenAndAFenceBeyondTheClockGrows() throws Exception {
        eachKind(table -> {
            for (String statement :
                    isTakenByName(table) ? table.of("acquire_x", "acquire_each_x", "acquire_xs") : List.<String>of()) {
                table.insert("held", OWNER, true);
                table.ask(statement, List.of("held"), STRANGER);
                assertThat(table.rows()).as(statement).containsExactly("held " + OWNER + " held");
                table.clear();
                table.insert("expired", OWNER, false);
                table.fence(FAR);
                table.ask(statement, List.of("expired"), STRANGER);
                assertThat(table.rows()).as(statement).containsExactly("expired " + STRANGER + " changed");
                assertThat(table.fences()).as(statement).containsExactly(FAR + 1);
                table.clear();
            }
        });
    }

    /** The statement of a batch: each caller gets the same as alone. */
    @Test
    void batchesTakeFreeRowsAndReleaseOwnRows() throws Exception {
        eachKind(table -> {
            for (String acquire : table.of("acquire_each_x")) {
                for (String release : table.of("release_each_x", "release_xs")) {
                    List<String> taken = takeSome(table, acquire);
                    table.ask(release, MIXED, "0".repeat(31) + "3");
                    assertThat(table.rows()).as(release).containsExactlyElementsOf(taken);
                    table.ask(release, MIXED.subList(0, 3), STRANGER);
                    assertThat(table.rows())
                            .as(release)
                            .contains(taken.get(0), taken.get(2), taken.get(3))
                            .doesNotContain(taken.get(1));
                    table.clear();
                }
            }
        });
    }

    private List<String> takeSome(LeaseTable table, String acquire) throws Exception {
        table.insert(MIXED.get(0), OWNER, true);
        table.insert(MIXED.get(1), OWNER, false);
        table.insert(MIXED.get(2), OWNER, false);
        try (Connection other = pool().getConnection()) {
            other.setAutoCommit(false);
            table.lock(other, MIXED.get(2));
            table.ask(acquire, MIXED, STRANGER);
            other.rollback();
        }
        List<String> taken = List.of(
                "a-held " + OWNER + " held",
                "b-expired " + STRANGER + " changed",
                "c-locked " + OWNER + " expired",
                "d-new " + STRANGER + " changed");
        assertThat(table.rows()).as(acquire).containsExactlyElementsOf(taken);
        return taken;
    }

    /** Whatever the caller has computed: the database's clock decides. */
    @Test
    void onceIsNotRunBeforeItIsDue() throws Exception {
        eachKind(table -> {
            if (table.kind.equals("once")) {
                table.insert("once", null, false);
                assertThat(table.takes("once", 0, -2, table.now + LeaseTable.SOON))
                        .as("by a calendar")
                        .isFalse();
                assertThat(table.takes("once", 0, 17, 0))
                        .as("another success than was seen")
                        .isFalse();
                table.set("retry_at", table.now + LeaseTable.SOON);
                assertThat(table.takes("once", 0, -2, 0)).as("after a failure").isFalse();
                table.set("retry_at", 0);
                table.set("succeeded_at", table.now);
                assertThat(table.takes("once", LeaseTable.SOON, -2, 0))
                        .as("within its period")
                        .isFalse();
                assertThat(table.rows()).containsExactly("once null expired");
                assertThat(table.takes("once", 0, -2, table.now)).isTrue();
            }
        });
    }

    private void eachKind(LeaseTable.Check check) throws Exception {
        LeaseTable.each(this, List.of("lock", "held_lock", "permit", "gate", "reader", "ticket", "once"), check);
    }

    @Test
    void aLeaseUnderChangeDelaysNobody() throws Exception {
        assumeRowLocks();
        HikariDataSource impatient = impatient();
        Connection other = connection();
        // Only the row, and no gap beside it.
        int usual = other.getTransactionIsolation();
        other.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        other.setAutoCommit(false);
        LeaseTable.each(this, impatient, List.of("lock", "held_lock", "permit", "gate", "reader", "once"), table -> {
            table.insert("a-changed", OWNER, true);
            table.insert("b", OWNER, true);
            table.lock(other, "a-changed");
            for (String statement :
                    table.of("release_x", "release_xs", "release_each_x", "leave_x", "complete_x", "fail_x")) {
                assertThat(table.hit(statement, "a-changed", OWNER))
                        .as(statement)
                        .isFalse();
            }
            for (String statement : table.of("renew_xs", "release_each_x", "release_xs")) {
                assertThat(table.ask(statement, List.of("a-changed", "b"), OWNER))
                        .as(statement)
                        .isTrue();
                assertThat(table.rows()).as(statement).contains("a-changed " + OWNER + " held");
                table.clearBut("a-changed");
                table.insert("b", OWNER, true);
            }
            other.rollback();
        });
        other.setAutoCommit(true);
        other.setTransactionIsolation(usual);
    }
}
