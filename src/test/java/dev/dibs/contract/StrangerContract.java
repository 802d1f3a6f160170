package dev.dibs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Dibs;
import dev.dibs.sql.Connections;
import dev.dibs.sql.Database;
import dev.dibs.sql.Params;
import dev.dibs.sql.Products;
import dev.dibs.sql.Statements;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each statement about leases, sent by one who is not the owner, or too late, by itself: what the calls around it would notice does not count. */
public interface StrangerContract extends Fixture {

    Duration TIMEOUT = Duration.ofSeconds(20);
    String OWNER = "0".repeat(31) + "1";
    String STRANGER = "0".repeat(31) + "2";
    List<String> MIXED = List.of("a-held", "b-passed", "c-locked", "d-new");
    long FAR = (1L << 53) - 1000;

    @Test
    default void noStatementOfAStrangerChangesALease() throws Exception {
        eachKind(table -> {
            table.insert("held", OWNER, true);
            for (String statement :
                    table.of("release_x", "release_xs", "leave_x", "renew_xs", "complete_x", "fail_x")) {
                assertThat(table.hit(statement, "held", STRANGER)).as(statement).isFalse();
                assertThat(table.rows()).as(statement).containsExactly("held " + OWNER + " held");
            }
            for (String statement : table.of("guard_x", "find_xs", "enter_x")) {
                assertThat(table.hit(statement, "held", STRANGER)).as(statement).isFalse();
            }
        });
    }

    @Test
    default void noLeaseThatHasPassedIsRenewedOrGuarded() throws Exception {
        eachKind(table -> {
            table.insert("passed", OWNER, false);
            for (String statement : table.of("renew_xs", "guard_x", "find_xs")) {
                assertThat(table.hit(statement, "passed", OWNER)).as(statement).isFalse();
                assertThat(table.rows()).as(statement).containsExactly("passed " + OWNER + " passed");
            }
        });
    }

    @Test
    default void onlyWhatSomebodyHasIsBrokenAndOnlyWhatIsHeldIsListed() throws Exception {
        eachKind(table -> {
            table.insert("held", OWNER, true);
            for (String statement : table.of("list_xs")) {
                assertThat(table.names(statement)).as(statement).contains("held");
            }
            table.clear();
            table.insert("passed", OWNER, false);
            assertListed(table);
            if (!table.hasManyOfAName()) {
                table.clear();
                table.insert("held-back", null, true);
                assertListed(table);
                for (String statement : table.of("break_x")) {
                    assertThat(table.hit(statement, "held-back", STRANGER))
                            .as(statement)
                            .isFalse();
                    assertThat(table.rows()).as(statement).containsExactly("held-back null held");
                }
            }
        });
    }

    private static void assertListed(LeaseTable table) throws Exception {
        // Of runs of once, all are listed: what has happened, not who is at it.
        for (String statement : table.kind.equals("once") ? List.<String>of() : table.of("list_xs")) {
            assertThat(table.names(statement)).as(statement).isEmpty();
        }
    }

    @Test
    default void onlyWhatIsLongFreeIsPurged() throws Exception {
        eachKind(table -> {
            table.insert("held", OWNER, true);
            for (String statement : table.of("purge_xs")) {
                table.hit(statement, "held", OWNER);
                assertThat(table.rows()).as(statement).containsExactly("held " + OWNER + " held");
                table.clear();
                table.insert("passed", OWNER, false);
                assertThat(table.hit(statement, "passed", OWNER)).as(statement).isTrue();
                assertThat(table.rows()).as(statement).isEmpty();
                // A batch is one of rows that may go, however many others come first.
                for (int i = 0; i < 20; i++) {
                    table.insert("a-held-" + i, "owner-" + i, true);
                }
                table.insert("b-passed", OWNER, false);
                assertThat(table.hit(statement, "b-passed", OWNER))
                        .as(statement)
                        .isTrue();
                assertThat(table.rows()).as(statement).hasSize(20).noneMatch(row -> row.startsWith("b"));
            }
        });
    }

    /** Where one purge may be delayed by a row that somebody has locked. */
    default boolean purgeWaits() {
        return false;
    }

    @Test
    default void noPurgeWaitsForARowThatSomebodyHasLocked() throws Exception {
        if (purgeWaits()) {
            return;
        }
        eachKind(table -> {
            table.insert("a-locked", OWNER, false);
            table.insert("b-passed", STRANGER, false);
            for (String statement : table.of("purge_xs")) {
                try (Connection other = pool().getConnection()) {
                    other.setAutoCommit(false);
                    table.lock(other, "a-locked");
                    assertThat(table.hit(statement, "b-passed", OWNER))
                            .as(statement)
                            .isTrue();
                    other.rollback();
                    other.setAutoCommit(true);
                }
                assertThat(table.rows()).as(statement).containsExactly("a-locked " + OWNER + " passed");
            }
        });
    }

    /** Those that take a row by its name alone, whoever asks. */
    private static boolean isTakenByName(LeaseTable table) {
        return List.of("lock", "permit", "gate").contains(table.kind);
    }

    @Test
    default void whatIsHeldIsNobodysToTakeAndAFenceBeyondTheClockGrows() throws Exception {
        eachKind(table -> {
            for (String statement :
                    isTakenByName(table) ? table.of("acquire_x", "acquire_each_x") : List.<String>of()) {
                table.insert("held", OWNER, true);
                table.ask(statement, List.of("held"), STRANGER);
                assertThat(table.rows()).as(statement).containsExactly("held " + OWNER + " held");
                table.clear();
                table.insert("passed", OWNER, false);
                table.fence(FAR);
                table.ask(statement, List.of("passed"), STRANGER);
                assertThat(table.rows()).as(statement).containsExactly("passed " + STRANGER + " changed");
                assertThat(table.fences()).as(statement).containsExactly(FAR + 1);
                table.clear();
            }
        });
    }

    /** One statement for many: each gets what it would get alone. */
    @Test
    default void ofManyEachTakesWhatIsFreeAndGivesBackWhatIsItsOwn() throws Exception {
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
            other.setAutoCommit(true);
        }
        List<String> taken = List.of(
                "a-held " + OWNER + " held",
                "b-passed " + STRANGER + " changed",
                "c-locked " + OWNER + " passed",
                "d-new " + STRANGER + " changed");
        assertThat(table.rows()).as(acquire).containsExactlyElementsOf(taken);
        return taken;
    }

    /** Whatever the caller has computed: the database's clock decides. */
    @Test
    default void aRunOfOnceIsNobodysBeforeItIsDue() throws Exception {
        eachKind(table -> {
            if (table.kind.equals("once")) {
                table.insert("once", null, false);
                assertThat(table.takes("once", 0, -2, table.now + LeaseTable.SOON))
                        .as("by a calendar")
                        .isFalse();
                assertThat(table.takes("once", 0, 17, 0))
                        .as("another success than was seen")
                        .isFalse();
                assertThat(table.rows()).containsExactly("once null passed");
                assertThat(table.takes("once", 0, -2, table.now)).isTrue();
            }
        });
    }

    private void eachKind(Check check) throws Exception {
        String prefix =
                "s" + COUNT.incrementAndGet() + "x" + ProcessHandle.current().pid() + "_";
        try (Dibs dibs = builder(pool()).tablePrefix(prefix).build();
                Connection connection = pool().getConnection()) {
            dibs.createSchema();
            Statements statements = Statements.load(Products.detect(connection.getMetaData()), prefix);
            boolean readCommitted = statements.fragment("isolation").equals("read_committed");
            Database database = new Database(Connections.forCallers(pool(), Runnable::run, readCommitted), statements);
            for (String kind : List.of("lock", "held_lock", "permit", "gate", "reader", "ticket", "once")) {
                LeaseTable table = new LeaseTable(connection, database, prefix, kind);
                check.on(table);
                table.clear();
            }
            for (var table : statements.tables()) {
                try (Statement drop = connection.createStatement()) {
                    drop.execute("DROP TABLE " + table.name());
                }
            }
        }
    }

    /** What is to be seen of each kind of lease. */
    interface Check {
        void on(LeaseTable table) throws Exception;
    }

    /** The table of one kind of leases. */
    final class LeaseTable {
        private static final long SOON = 600_000;

        private final Connection connection;
        private final Database database;
        private final String name;
        private final String kind;
        private final long now;

        LeaseTable(Connection connection, Database database, String prefix, String kind) throws Exception {
            this.connection = connection;
            this.database = database;
            this.kind = kind;
            name = prefix + kind.replace("held_", "");
            now = database.call("read_clock", Params.none(), TIMEOUT, row -> row.getLong(1))
                    .rows()
                    .get(0);
        }

        boolean hasManyOfAName() {
            return kind.equals("reader") || kind.equals("ticket");
        }

        /** Those of these statements that there are for this kind. */
        List<String> of(String... patterns) {
            return List.of(patterns).stream()
                    .map(pattern -> pattern.replace("_x", "_" + kind))
                    .filter(database.statements().names()::contains)
                    .toList();
        }

        void insert(String lease, String owner, boolean held) throws SQLException {
            List<String> more = NoWaitContract.columnsBesides(name);
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO " + name
                    + " (name, owner, holder, fence, acquired_at, held_until" + String.join("", more)
                    + ") VALUES (?, ?, 'somebody', 1, 1, ?" + ", 0".repeat(more.size()) + ")")) {
                insert.setString(1, lease);
                insert.setString(2, owner);
                insert.setLong(3, held ? now + SOON : 1);
                insert.executeUpdate();
            }
        }

        /** Until its transaction ends. */
        void lock(Connection other, String lease) throws SQLException {
            try (PreparedStatement update =
                    other.prepareStatement("UPDATE " + name + " SET holder = 'other' WHERE name = ?")) {
                update.setString(1, lease);
                assertThat(update.executeUpdate()).isEqualTo(1);
            }
        }

        void clear() throws SQLException {
            try (Statement delete = connection.createStatement()) {
                delete.execute("DELETE FROM " + name);
            }
        }

        /** Each as name, owner, and whether it is held. */
        List<String> rows() throws SQLException {
            List<String> found = new ArrayList<>();
            try (Statement select = connection.createStatement();
                    ResultSet row =
                            select.executeQuery("SELECT name, owner, held_until FROM " + name + " ORDER BY name")) {
                while (row.next()) {
                    found.add(row.getString(1) + " " + row.getString(2) + " "
                            + (row.getLong(3) == now + SOON ? "held" : row.getLong(3) == 1 ? "passed" : "changed"));
                }
            }
            return found;
        }

        boolean hit(String statement, String lease, String owner) throws Exception {
            if (statement.startsWith("guard_")) {
                return guarded(statement, NoWaitContract.params(lease, owner));
            }
            if (statement.startsWith("break_")) {
                return database
                        .call(statement, NoWaitContract.params(lease, owner), TIMEOUT, row -> row.getString("owner"))
                        .rows()
                        .stream()
                        .anyMatch(found -> found != null);
            }
            return database.call(statement, NoWaitContract.params(lease, owner), TIMEOUT)
                    .hit();
        }

        /** The same for all of these; whoever asks for a slot asks for the only one. */
        void ask(String statement, List<String> leases, String owner) throws Exception {
            List<String> owners = leases.stream().map(lease -> owner).toList();
            Params params = NoWaitContract.params(leases.get(0), owner)
                    .with("permits", 1)
                    .withPairs(leases, owners);
            database.call(statement, params, TIMEOUT);
        }

        void fence(long fence) throws SQLException {
            try (Statement update = connection.createStatement()) {
                update.execute("UPDATE " + name + " SET fence = " + fence);
            }
        }

        List<Long> fences() throws SQLException {
            List<Long> found = new ArrayList<>();
            try (Statement select = connection.createStatement();
                    ResultSet row = select.executeQuery("SELECT fence FROM " + name)) {
                while (row.next()) {
                    found.add(row.getLong(1));
                }
            }
            return found;
        }

        /** Whether a run of once is the owner's after it has asked for it. */
        boolean takes(String once, long every, long seen, long due) throws Exception {
            Params params = NoWaitContract.params(once, OWNER)
                    .with("every", every)
                    .with("seen", seen)
                    .with("due", due);
            return database.call("acquire_once", params, TIMEOUT, row -> row.getString("owner"))
                    .rows()
                    .contains(OWNER);
        }

        private boolean guarded(String statement, Params params) throws Exception {
            connection.setAutoCommit(false);
            try {
                return database.callOn(connection, statement, params).hit();
            } finally {
                connection.rollback();
                connection.setAutoCommit(true);
            }
        }

        List<String> names(String statement) throws Exception {
            return database.call(statement, NoWaitContract.params("", STRANGER), TIMEOUT, row -> row.getString("name"))
                    .rows();
        }
    }
}
