package dev.dibs.contract.locks.lease;

import static dev.dibs.contract.support.LeaseStatements.OWNER;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.LeaseTable;
import java.sql.Connection;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A row with an uncommitted change, which locks more than a guard does, is skipped by statements about leases; other rows are not. */
@Tag("contract")
class ChangedRowContract extends Fixture {

    @Test
    void aLeaseUnderChangeDelaysNobody() throws Exception {
        assumeRowLocks();
        try (HikariDataSource impatient = impatient();
                Connection other = pool().getConnection()) {
            // Only the row, and no gap beside it.
            int usual = other.getTransactionIsolation();
            other.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            other.setAutoCommit(false);
            LeaseTable.each(
                    this, impatient, List.of("lock", "held_lock", "permit", "gate", "reader", "once"), table -> {
                        table.insert("a-changed", OWNER, true);
                        table.insert("b", OWNER, true);
                        table.lock(other, "a-changed");
                        for (String statement : table.of(
                                "release_x", "release_xs", "release_each_x", "leave_x", "complete_x", "fail_x")) {
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
}
