package dev.dibs.contract;

import static dev.dibs.contract.StrangerContract.OWNER;
import static dev.dibs.contract.StrangerContract.STRANGER;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The statements about readers and the gate before them, by themselves: what the calls around them would notice does not count. */
public interface GateStatementContract extends Fixture {

    @Test
    default void onlyWhoHasTheGateBecomesAReaderOfItsOwn() throws Exception {
        LeaseTable.each(this, List.of("gate"), gate -> {
            LeaseTable readers = gate.beside("reader");
            gate.insert("held", OWNER, true);
            gate.insert("passed", STRANGER, false);
            for (String name : List.of("held", "passed", "unknown")) {
                gate.downgrade(name, STRANGER);
                assertThat(readers.rows()).as(name).isEmpty();
            }
            gate.downgrade("held", OWNER);
            assertThat(readers.rows()).containsExactly("held " + OWNER + " changed");
            readers.clear();
        });
    }

    @Test
    default void whoLetsReadersGoLetsGoOfItsOwn() throws Exception {
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
    default void aWriterEntersWhenTheLastReaderHasGone() throws Exception {
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
