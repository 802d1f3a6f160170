package dev.dibs.contract.locks.readwrite;

import static dev.dibs.contract.support.LeaseStatements.OWNER;
import static dev.dibs.contract.support.LeaseStatements.STRANGER;

import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.LeaseTable;
import dev.dibs.database.FullTest;
import dev.dibs.database.Trait;
import java.sql.Connection;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The statements about readers and the gate, without the calls around them, which could hide an error. */
class GateStatementContract extends ContractFixture {

    /** An expired reader may be removed; and a reader looks at the gate after it has added its row. */
    @FullTest(except = "postgresql")
    void nobodyReadsBesideAWriter() throws Exception {
        LeaseTable.each(this, List.of("gate"), gate -> {
            LeaseTable readers = gate.beside("reader");
            gate.insert("held", OWNER, true);
            readers.insert("held", "other", true);
            assertThat(gate.read("held", STRANGER)).isFalse();
            assertThat(readers.rows()).containsExactly("held other held");
            readers.insert("held", STRANGER, true);
            assertThat(gate.read("held", STRANGER)).as("come in between").isFalse();
            assertThat(readers.rows()).contains("held other held");
            readers.clear();
            assertThat(gate.rows()).containsExactly("held " + OWNER + " held");
            gate.clear();
            gate.insert("expired", OWNER, false);
            if (database().has(Trait.LOCKS_ROWS)) {
                try (Connection other = pool().getConnection()) {
                    other.setAutoCommit(false);
                    gate.lock(other, "expired");
                    assertThat(gate.read("expired", STRANGER)).as("guarded").isFalse();
                    other.rollback();
                }
            }
            assertThat(gate.rows()).containsExactly("expired " + OWNER + " expired");
            assertThat(gate.readAtLast("expired", STRANGER)).isTrue();
            assertThat(gate.rows()).containsExactly("expired null changed");
            assertThat(readers.rows()).hasSize(1);
            gate.insert("free", null, false);
            assertThat(gate.read("free", OWNER)).isTrue();
            assertThat(gate.readAtLast("new", OWNER)).isTrue();
            assertThat(readers.rows()).hasSize(3);
            readers.clear();
        });
    }

    @FullTest(except = "postgresql")
    void readersAreReleasedByTheirOwnerOnly() throws Exception {
        LeaseTable.each(this, List.of("reader"), readers -> {
            readers.insert("a", OWNER, true);
            readers.insert("a", STRANGER, true);
            readers.insert("b", STRANGER, true);
            readers.ask("release_readers", List.of("a"), STRANGER);
            assertThat(readers.rows()).containsExactly("a " + OWNER + " held", "b " + STRANGER + " held");
            assertThat(readers.hit("release_reader", "b", OWNER)).isFalse();
            assertThat(readers.rows()).hasSize(2);
        });
    }

    @Test
    void aWriterEntersWhenTheLastReaderHasGone() throws Exception {
        LeaseTable.each(this, List.of("gate"), gate -> {
            LeaseTable readers = gate.beside("reader");
            gate.insert("a", OWNER, true);
            readers.insert("a", "held", true);
            readers.insert("a", "expired", false);
            readers.insert("b", "held", true);
            assertThat(gate.entered("a", OWNER)).isFalse();
            assertThat(readers.rows()).contains("a held held", "b held held");
            readers.clear();
            readers.insert("a", "expired", false);
            readers.insert("b", "held", true);
            assertThat(gate.entered("a", STRANGER)).as("not its gate").isFalse();
            assertThat(gate.entered("a", OWNER)).isTrue();
            assertThat(readers.rows()).containsExactly("b held held");
            gate.clear();
            gate.insert("a", OWNER, false);
            assertThat(gate.entered("a", OWNER)).as("too late").isFalse();
            readers.clear();
        });
    }
}
