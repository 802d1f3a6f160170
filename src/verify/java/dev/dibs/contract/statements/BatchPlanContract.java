package dev.dibs.contract.statements;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.dibs.Dibs;
import dev.dibs.claims.Claim;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.OpenTable;
import dev.dibs.database.Plans;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.call.Params;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A batch must not compare each of its rows with each row of the table, whatever the planner expects. A new table has no statistics, and
 * those of an old one may be from a time when no row was free. Rows with binary keys are found by the index of the key, not by a text that
 * is made of each row.
 */
@Tag("plan")
class BatchPlanContract extends Fixture {
    private static final int ROWS = 400;
    private static final int ASKED = 60;

    /** A condition that is looked at for each pair of rows. */
    private static final Pattern EACH_PAIR = Pattern.compile("Nested Loop.*\\n\\s*Join Filter.*");

    private static final List<String> NAMES =
            IntStream.range(0, ASKED).mapToObj(i -> "name-" + i).toList();
    private static final List<String> OWNERS =
            IntStream.range(0, ASKED).mapToObj(i -> "owner-" + i).toList();

    /** The rows with binary keys. */
    private static final int KEYED = 5_000;

    private static final int CLAIMED = 10;

    @ParameterizedTest
    @CsvSource({
        "retake_each_lock, false",
        "retake_each_lock, true",
        "release_each_lock, false",
        "release_each_lock, true"
    })
    void batchedStatementsReadTheirOwnRows(String statement, boolean wasHeld) throws Exception {
        boolean free = statement.startsWith("retake");
        String fill = "INSERT INTO {prefix}lock (name, owner, holder, fence, acquired_at, held_until)"
                + " SELECT 'name-' || i, 'owner-' || i, 'somebody', i, 0, 4102444800000 FROM generate_series(0, "
                + (ROWS - 1)
                + ") AS i";
        String letGo = "UPDATE {prefix}lock SET held_until = 0, owner = NULL";
        Params params = Params.of("holder", "somebody")
                .with("lease", 60_000)
                .withPairs(NAMES, OWNERS)
                .with(
                        "known_fences",
                        IntStream.range(0, ASKED).mapToObj(i -> (long) i).toList());
        check(statement, "lock", wasHeld, fill, free ? letGo : "", params);
    }

    /** With statistics of the rows as they were before the change, or with none. */
    private void check(String statement, String table, boolean analyzed, String fill, String change, Params params)
            throws Exception {
        assumeTrue(database().plans() == Plans.POSTGRESQL, "only there the planner chooses such a join");
        String prefix = prefix();
        try (Dibs dibs = Dibs.builder(pool()).tablePrefix(prefix).build();
                Connection connection = pool().getConnection()) {
            dibs.admin().createSchema();
            run(connection, "ALTER TABLE " + prefix + table + " SET (autovacuum_enabled = false)");
            run(connection, fill.replace("{prefix}", prefix));
            if (analyzed) {
                run(connection, "ANALYZE " + prefix + table);
            }
            run(connection, change.replace("{prefix}", prefix));
            Database database = asked(pool(), prefix);
            Explained explained = new Explained(connection, database().plans());
            database.callOn(explained.connection(), statement, params);
            assertThat(explained.plans()).doesNotContainPattern(EACH_PAIR);
            assertThat(database.callOn(connection, statement, params).rows()).hasSize(ASKED);
        }
    }

    @Test
    void rowsWithBinaryKeysAreFoundByTheirIndex() throws Exception {
        assumeTrue(Set.of(Plans.POSTGRESQL, Plans.TABULAR).contains(database().plans()), "others count no reads");
        String type = database().keys().types().stream()
                .filter(one -> !one.names().isEmpty() && one.names().get(0) instanceof byte[])
                .findFirst()
                .orElseThrow()
                .type();
        OpenTable table = closing(new OpenTable(pool(), "id " + type + " NOT NULL PRIMARY KEY"));
        Connection connection = connection();
        fill(connection, table.name());
        table.run(database().analyze(table.name()));
        Claim<RowKey> claim = table.claims(here()).build().claim(CLAIMED);
        assertThat(claim.keys()).hasSize(CLAIMED);
        RowsRead.Action complete = () ->
                assertThat(claim.complete(connection, claim.keys()).done()).hasSize(CLAIMED);
        assertThat(read(connection, complete)).isLessThan(KEYED / 10);
    }

    private long read(Connection connection, RowsRead.Action action) throws Exception {
        if (database().plans() == Plans.POSTGRESQL) {
            return RowsRead.by(connection, true, action);
        }
        connection.setAutoCommit(false);
        try {
            return RowsRead.by(connection, action);
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }

    private static void fill(Connection connection, String table) throws Exception {
        connection.setAutoCommit(false);
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO " + table + " (id) VALUES (?)")) {
            for (int i = 0; i < KEYED; i++) {
                insert.setBytes(
                        1, ByteBuffer.allocate(16).putInt(i * 7919).putInt(i).array());
                insert.addBatch();
            }
            insert.executeBatch();
        }
        connection.commit();
        connection.setAutoCommit(true);
    }
}
