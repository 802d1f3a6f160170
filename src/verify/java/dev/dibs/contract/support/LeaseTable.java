package dev.dibs.contract.support;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Dibs;
import dev.dibs.database.Sql;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.call.NamedStatement;
import dev.dibs.internal.sql.call.Params;
import dev.dibs.internal.sql.call.RowReader;
import dev.dibs.internal.sql.errors.SqlFailure;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/** The table of one kind of leases, and its single statements. */
public final class LeaseTable {

    public static final Duration TIMEOUT = Fixture.LONG;

    public static final long SOON = 600_000;

    /** The fence of each row that is inserted. */
    public static final long FENCE = 1;

    /** The owner of a free row. */
    private static final String FREE = "";

    private final Connection connection;
    private final Database database;
    private final String name;
    public final String kind;
    public final long now;

    public LeaseTable(Connection connection, Database database, String prefix, String kind) throws Exception {
        this.connection = connection;
        this.database = database;
        this.kind = kind;
        name = prefix + kind.replace("held_", "");
        now = database.call("read_clock", Params.none(), TIMEOUT, row -> row.getLong(1))
                .rows()
                .get(0);
    }

    /** A check for a kind of lease. */
    public interface Check {
        void on(LeaseTable table) throws Exception;
    }

    /** Checks each of these kinds, in tables of their own. */
    public static void each(Fixture fixture, List<String> kinds, Check check) throws Exception {
        each(fixture, fixture.pool(), kinds, check);
    }

    /** The same, with the statements over another data source. */
    public static void each(Fixture fixture, DataSource way, List<String> kinds, Check check) throws Exception {
        DataSource pool = fixture.pool();
        String prefix = Fixture.prefix();
        try (Dibs dibs = fixture.builder(pool).tablePrefix(prefix).build();
                Connection connection = pool.getConnection()) {
            dibs.admin().createSchema();
            Database database = fixture.asked(way, prefix);
            for (String kind : kinds) {
                LeaseTable table = new LeaseTable(connection, database, prefix, kind);
                check.on(table);
                table.clear();
            }
        }
        fixture.dropTables(prefix);
    }

    /** The same table over another data source. */
    public LeaseTable by(Fixture fixture, DataSource other) throws Exception {
        String prefix = prefix();
        return new LeaseTable(connection, fixture.asked(other, prefix), prefix, kind);
    }

    private String prefix() {
        return name.substring(0, name.lastIndexOf('_') + 1);
    }

    /** The table of another kind, beside this one. */
    public LeaseTable beside(String other) throws Exception {
        return new LeaseTable(connection, database, prefix(), other);
    }

    public boolean hasManyOfAName() {
        return kind.equals("reader") || kind.equals("ticket");
    }

    /** The statements of these names that exist for this kind. */
    public List<String> of(String... patterns) {
        return List.of(patterns).stream()
                .map(pattern -> pattern.replace("_x", "_" + kind))
                .filter(database.statements().names()::contains)
                .toList();
    }

    /** Adds a row of a name, which is the first parameter. In SQL Server's tables the key is made of the name. */
    public static String insertion(Connection connection, String table, String columns, String values)
            throws SQLException {
        boolean keyed = connection.getMetaData().getDatabaseProductName().contains("SQL Server");
        return keyed
                ? "DECLARE @name nvarchar(200) = ?; INSERT INTO " + table + " (name_key, name, " + columns
                        + ") VALUES (@name + N'.', @name, " + values + ")"
                : "INSERT INTO " + table + " (name, " + columns + ") VALUES (?, " + values + ")";
    }

    public void insert(String lease, String owner, boolean held) throws SQLException {
        insert(lease, owner, held ? now + SOON : 1);
    }

    public void insert(String lease, String owner, long until) throws SQLException {
        List<String> more = LeaseStatements.columnsBesides(name);
        Sql.on(connection)
                .change(
                        insertion(
                                connection,
                                name,
                                "owner, holder, fence, acquired_at, held_until" + String.join("", more),
                                "?, 'somebody', 1, 1, ?" + ", 0".repeat(more.size())),
                        lease,
                        owner,
                        until);
    }

    /** For permits: adds a number of slots from a first one on; the owners' names are the slots' numbers. */
    public void insertSlots(String lease, int first, int count, long until) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(insertion(
                connection,
                name,
                "slot, owner, holder, fence, acquired_at, held_until",
                "?, ?, 'somebody', 1, 1, ?"))) {
            for (int slot = first; slot < first + count; slot++) {
                insert.setString(1, lease);
                insert.setLong(2, slot);
                insert.setString(3, String.valueOf(slot));
                insert.setLong(4, until);
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

    /** Like a renewal that began before the lease expired; returns whether the row existed and was not being deleted. */
    public boolean renewLate(String lease, String owner) throws SQLException {
        return Sql.on(connection)
                        .change(
                                "UPDATE " + name
                                        + " SET held_until = ? WHERE name = ? AND owner = ? AND held_until = 1",
                                now + SOON,
                                lease,
                                owner)
                == 1;
    }

    /** Locks a row until its transaction ends. */
    public void lock(Connection other, String lease) throws SQLException {
        assertThat(Sql.on(other).change("UPDATE " + name + " SET holder = 'other' WHERE name = ?", lease))
                .isEqualTo(1);
    }

    /** The same for one of many rows of a name. */
    public void lock(Connection other, String lease, String owner) throws SQLException {
        assertThat(Sql.on(other)
                        .change("UPDATE " + name + " SET holder = 'other' WHERE name = ? AND owner = ?", lease, owner))
                .isEqualTo(1);
    }

    public void clear() throws SQLException {
        Sql.on(connection).run("DELETE FROM " + name);
    }

    /** By the key alone, so that it does not wait. */
    public void clearBut(String locked) throws SQLException {
        for (String row : rows()) {
            String lease = row.substring(0, row.indexOf(" "));
            if (!lease.equals(locked)) {
                delete(lease);
            }
        }
    }

    private void delete(String lease) throws SQLException {
        Sql.on(connection).change("DELETE FROM " + name + " WHERE name = ?", lease);
    }

    /** Each as name, owner, and whether it is held. */
    public List<String> rows() throws SQLException {
        return Sql.on(connection)
                .rows(
                        row -> row.getString(1) + " " + row.getString(2) + " "
                                + (row.getLong(3) == now + SOON ? "held" : row.getLong(3) == 1 ? "expired" : "changed"),
                        "SELECT name, owner, held_until FROM " + name + " ORDER BY name");
    }

    public boolean hit(String statement, String lease, String owner) throws Exception {
        if (statement.startsWith("guard_")) {
            return guarded(statement, LeaseStatements.params(lease, owner));
        }
        if (statement.startsWith("break_")) {
            return database
                    .call(statement, LeaseStatements.params(lease, owner), TIMEOUT, LeaseTable::owner)
                    .rows()
                    .stream()
                    .anyMatch(found -> !found.equals(FREE));
        }
        return database.call(statement, LeaseStatements.params(lease, owner), TIMEOUT)
                .hit();
    }

    /** A free row is an answer, too: null would say that the answer has a gap. */
    public static String owner(ResultSet row) throws SQLException {
        return Objects.toString(row.getString("owner"), FREE);
    }

    /** The same for several leases: whether for any of them. For permits, there is one slot. */
    public boolean ask(String statement, List<String> leases, String owner) throws Exception {
        return ask(statement, leases, leases.stream().map(lease -> owner).toList());
    }

    /** The same with an owner for each. */
    public boolean ask(String statement, List<String> leases, List<String> owners) throws Exception {
        Params params = LeaseStatements.params(leases.get(0), owners.get(0))
                .with("permits", 1)
                .withPairs(leases, owners);
        return database.call(statement, params, TIMEOUT).hit();
    }

    /** The owners of the rows that come back. Of two callers that are first at the same instant, one may get an error. */
    public List<String> owners(String statement, String lease, String owner) throws Exception {
        return owners(statement, lease, owner, 1);
    }

    /** The same, for this number of permits. */
    public List<String> owners(String statement, String lease, String owner, long permits) throws Exception {
        Params params = LeaseStatements.params(lease, owner).with("permits", permits);
        try {
            // A retake returns only its fence: its owner is known.
            RowReader<String> reader = statement.startsWith("retake_") ? row -> owner : LeaseTable::owner;
            NamedStatement<String> declared =
                    NamedStatement.of(statement, reader, params.names()).stopsWhen((row, values) -> owner.equals(row));
            return database.call(declared, TIMEOUT, params.values()).rows();
        } catch (SqlFailure e) {
            if (e.outcome() == SqlFailure.Outcome.DUPLICATE) {
                return List.of();
            }
            throw e;
        }
    }

    /** The new fence, if the row is as it was released, with the known fence. */
    public List<Long> retake(String lease, String owner, long known) throws Exception {
        Params params = LeaseStatements.params(lease, owner).with("known_fence", known);
        return database.call("retake_lock", params, TIMEOUT, row -> row.getLong(1))
                .rows();
    }

    /** The same for a list: the new fences of the locks that are retaken, by name. */
    public Map<String, Long> retakeEach(Map<String, Long> known, String owner) throws Exception {
        List<String> leases = List.copyOf(known.keySet());
        Params params = LeaseStatements.params(leases.get(0), owner)
                .withPairs(leases, leases.stream().map(lease -> owner).toList())
                .with("known_fences", leases.stream().map(known::get).toList());
        return database
                .call("retake_each_lock", params, TIMEOUT, row -> Map.entry(row.getString(1), row.getLong(2)))
                .rows()
                .stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    public void fence(long fence) throws SQLException {
        set("fence", fence);
    }

    /** In all rows. */
    public void set(String column, long value) throws SQLException {
        Sql.on(connection).run("UPDATE " + name + " SET " + column + " = " + value);
    }

    public List<Long> fences() throws SQLException {
        return Sql.on(connection).numbers("SELECT fence FROM " + name);
    }

    /** Asks once for a reader; returns whether it is admitted. */
    public boolean read(String gate, String reader) throws Exception {
        return owners("acquire_reader", gate, reader).contains(reader);
    }

    /** The same for a gate that does not exist, or must be freed, which takes another call. */
    public boolean readAtLast(String gate, String reader) throws Exception {
        boolean atOnce = read(gate, reader);
        return atOnce || read(gate, reader);
    }

    /** Whether its owner may write now; like a waiting writer, it asks until it knows. */
    public boolean entered(String gate, String owner) throws Exception {
        List<String> owners = database.call(
                        "enter_gate", LeaseStatements.params(gate, owner), TIMEOUT, LeaseTable::owner)
                .rows();
        return !owners.isEmpty() && owners.get(owners.size() - 1).equals(owner);
    }

    /** Whether the work becomes the owner's when it asks for it. */
    public boolean takes(String once, long every, long seen, long due) throws Exception {
        Params params = LeaseStatements.params(once, LeaseStatements.OWNER)
                .with("every", every)
                .with("seen", seen)
                .with("due", due);
        return database.call("acquire_once", params, TIMEOUT, LeaseTable::owner)
                .rows()
                .contains(LeaseStatements.OWNER);
    }

    /** In a transaction of the caller's. */
    public boolean guarded(Connection business, String lease, String owner) throws Exception {
        return database.callOn(business, "guard_" + kind, LeaseStatements.params(lease, owner))
                .hit();
    }

    public String table() {
        return name;
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

    public List<String> names(String statement) throws Exception {
        return database.call(
                        statement,
                        LeaseStatements.params("", LeaseStatements.STRANGER),
                        TIMEOUT,
                        row -> row.getString("name"))
                .rows();
    }
}
