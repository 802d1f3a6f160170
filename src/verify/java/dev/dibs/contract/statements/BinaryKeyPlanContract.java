package dev.dibs.contract.statements;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.dibs.Dibs;
import dev.dibs.claims.Claim;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.OpenTable;
import dev.dibs.database.Plans;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Rows with binary keys are found by the index of the key, not by a text that is made of each row. */
@Tag("plan")
class BinaryKeyPlanContract extends Fixture {

    private static final int ROWS = 5_000;
    private static final int CLAIMED = 10;

    @Test
    void rowsWithBinaryKeysAreFoundByTheirIndex() throws Exception {
        assumeTrue(Set.of(Plans.POSTGRESQL, Plans.TABULAR).contains(database().plans()), "others count no reads");
        String type = database().keys().types().stream()
                .filter(one -> !one.names().isEmpty() && one.names().get(0) instanceof byte[])
                .findFirst()
                .orElseThrow()
                .type();
        try (OpenTable table = new OpenTable(pool(), "id " + type + " NOT NULL PRIMARY KEY");
                Dibs dibs = dibs();
                Connection connection = pool().getConnection()) {
            fill(connection, table.name());
            table.run(database().analyze(table.name()));
            try (Claim<RowKey> claim = table.claims(dibs).build().claim(CLAIMED)) {
                assertThat(claim.keys()).hasSize(CLAIMED);
                RowsRead.Action complete = () -> assertThat(
                                claim.complete(connection, claim.keys()).done())
                        .hasSize(CLAIMED);
                assertThat(read(connection, complete)).isLessThan(ROWS / 10);
            }
        }
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
            for (int i = 0; i < ROWS; i++) {
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
