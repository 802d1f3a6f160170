package dev.dibs.contract.locks.readwrite;

import static dev.dibs.contract.support.LeaseStatements.OWNER;
import static dev.dibs.contract.support.LeaseStatements.STRANGER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.LeaseTable;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullRun;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Statements about a gate may be several steps, each a transaction of its own. Another caller acts right before each of them in turn. */
@Tag("steps")
class GateStepsContract extends Fixture {

    static final String GATE = "gate";
    static final String OTHER = "0".repeat(31) + "4";

    /** An action on a gate and the readers behind it. */
    interface Act {
        void on(LeaseTable gate, LeaseTable readers) throws Exception;
    }

    /** Sends a statement, and checks its result. */
    interface Ask {
        void on(LeaseTable gate, LeaseTable readers, AtomicBoolean acted) throws Exception;
    }

    @Test
    @FullRun(except = "postgresql")
    void aWriterThatComesWhileAReaderAsksHasTheGate() throws Exception {
        for (String before : List.of("none", "free", "passed", "held")) {
            beforeEachStep((gate, readers) -> gate(gate, OWNER, true), (gate, readers, acted) -> {
                put(gate, before);
                readers.insert(GATE, OTHER, true);
                List<String> in = gate.owners("acquire_reader", GATE, STRANGER);
                if (acted.get()) {
                    assertThat(in).as(before).doesNotContain(STRANGER);
                    assertThat(gate.rows()).as(before).containsExactly(GATE + " " + OWNER + " held");
                }
                assertThat(in).as(before).doesNotContainNull();
                assertThat(readers.rows())
                        .as(before)
                        .contains(GATE + " " + OTHER + " held")
                        .hasSize(in.contains(STRANGER) ? 2 : 1);
            });
        }
    }

    /** A gate without an owner is free, whatever its time: the clock may have been set back. */
    @Test
    @FullRun(except = "postgresql")
    void aGateReleasedDuringAReadersAcquireBlocksNobody() throws Exception {
        for (String before : List.of("free", "passed", "held")) {
            beforeEachStep((gate, readers) -> gate(gate, null, true), (gate, readers, acted) -> {
                put(gate, before);
                assertThat(gate.owners("acquire_reader", GATE, STRANGER))
                        .as(before)
                        .doesNotContainNull();
            });
        }
    }

    /** A reader that was admitted by then is not removed, and the former writer is not alone any more. */
    @Test
    @FullRun(except = "postgresql")
    void aWriterWithoutTheGateRemovesNoLaterHolder() throws Exception {
        beforeEachStep(
                (gate, readers) -> {
                    gate(gate, null, false);
                    readers.insert(GATE, OTHER, true);
                },
                (gate, readers, acted) -> {
                    gate(gate, OWNER, true);
                    readers.insert(GATE, STRANGER, false);
                    List<String> alone = gate.owners("enter_gate", GATE, OWNER);
                    if (acted.get()) {
                        assertThat(alone).doesNotContain(OWNER);
                        assertThat(readers.rows()).contains(GATE + " " + OTHER + " held");
                    } else {
                        assertThat(alone).containsExactly(OWNER);
                        assertThat(readers.rows()).isEmpty();
                    }
                });
    }

    private void beforeEachStep(Act act, Ask ask) throws Exception {
        FaultyDataSource way = new FaultyDataSource(pool());
        LeaseTable.each(this, way, List.of("gate"), gate -> {
            LeaseTable readers = gate.beside("reader");
            AtomicBoolean acted = new AtomicBoolean(true);
            for (int step = 1; acted.get(); step++) {
                acted.set(false);
                way.on(sql -> true).time(step).actBefore(() -> {
                    act.on(gate, readers);
                    acted.set(true);
                    return null;
                });
                ask.on(gate, readers, acted);
                way.heal();
                gate.clear();
                readers.clear();
            }
        });
    }

    private static void put(LeaseTable gate, String how) throws Exception {
        if (!how.equals("none")) {
            gate(gate, how.equals("free") ? null : OWNER, how.equals("held"));
        }
    }

    private static void gate(LeaseTable gate, String owner, boolean held) throws Exception {
        gate.clear();
        gate.insert(GATE, owner, held);
    }
}
