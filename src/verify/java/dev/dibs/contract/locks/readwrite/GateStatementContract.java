package dev.dibs.contract.locks.readwrite;

import static dev.dibs.contract.support.LeaseStatements.OWNER;
import static dev.dibs.contract.support.LeaseStatements.STRANGER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.LeaseTable;
import dev.dibs.database.FullRun;
import java.sql.Connection;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The statements about readers and the gate, without the calls around them, which could hide an error. */
@Tag("contract")
class GateStatementContract extends Fixture {

    /** An expired reader may be removed; and a reader looks at the gate after it has added its row. */
    @Test
    @FullRun(except = "postgresql")
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
            gate.insert("passed", OWNER, false);
            if (database().locksRows()) {
                try (Connection other = pool().getConnection()) {
                    other.setAutoCommit(false);
                    gate.lock(other, "passed");
                    assertThat(gate.read("passed", STRANGER)).as("guarded").isFalse();
                    other.rollback();
                    other.setAutoCommit(true);
                }
            }
            assertThat(gate.rows()).containsExactly("passed " + OWNER + " passed");
            assertThat(gate.readAtLast("passed", STRANGER)).isTrue();
            assertThat(gate.rows()).containsExactly("passed null changed");
            assertThat(readers.rows()).hasSize(1);
            gate.insert("free", null, false);
            assertThat(gate.read("free", OWNER)).isTrue();
            assertThat(gate.readAtLast("new", OWNER)).isTrue();
            assertThat(readers.rows()).hasSize(3);
            readers.clear();
        });
    }

    @Test
    @FullRun(except = "postgresql")
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
            readers.insert("a", "passed", false);
            readers.insert("b", "held", true);
            assertThat(gate.entered("a", OWNER)).isFalse();
            assertThat(readers.rows()).contains("a held held", "b held held");
            readers.clear();
            readers.insert("a", "passed", false);
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
