package dev.dibs.contract.locks.readwrite;

import static dev.dibs.contract.support.LeaseStatements.OWNER;
import static dev.dibs.contract.support.LeaseStatements.STRANGER;

import dev.dibs.contract.support.BetweenSteps;
import dev.dibs.contract.support.BetweenSteps.Scene;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.LeaseTable;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullTest;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A writer comes between any two steps of a reader, a reader between those of a writer: they never hold the lock at the same time. Or
 * another caller acts right before each step of a statement about a gate.
 */
@Tag("steps")
class ReadWriteBetweenStepsContract extends Fixture {
    static final String OTHER = "other";
    static final String GATE = "gate";

    @FullTest(except = "postgresql")
    void readerMeetsAWriterBetweenSteps() throws Exception {
        for (boolean crowded : new boolean[] {true, false}) {
            everywhere(
                    "acquire_reader",
                    meeting -> {
                        meeting.mine.insert("a", null, false);
                        if (crowded) {
                            meeting.readers.insert("a", OTHER, true);
                        }
                    },
                    meeting -> meeting.in.set(meeting.mine.read("a", OWNER)),
                    Meeting::writes,
                    meeting -> {
                        meeting.assertNobodyMeets();
                        assertThat(meeting.readers.rows()).hasSize((crowded ? 1 : 0) + (meeting.in.get() ? 1 : 0));
                        assertThat(meeting.mine.rows()).containsExactly("a " + STRANGER + " changed");
                        if (crowded) {
                            assertThat(meeting.readers.rows()).contains("a other held");
                            assertThat(meeting.entered).isFalse();
                        } else {
                            assertThat(meeting.theirs.entered("a", STRANGER)).isEqualTo(!meeting.in.get());
                        }
                    });
        }
    }

    /** A reader that clears an expired owner of a gate does not clear the next one. */
    @FullTest(except = "mariadb")
    void readerMeetsTheTakeoverOfAnExpiredGateBetweenSteps() throws Exception {
        everywhere(
                "acquire_reader",
                meeting -> meeting.mine.insert("a", OTHER, false),
                meeting -> meeting.in.set(meeting.mine.read("a", OWNER)),
                Meeting::writes,
                meeting -> {
                    meeting.assertNobodyMeets();
                    assertThat(meeting.taken).isTrue();
                    assertThat(meeting.mine.rows()).containsExactly("a " + STRANGER + " changed");
                });
    }

    /** A gate without an owner keeps nobody out. */
    @FullTest(except = "postgresql")
    void readerMeetsALeavingWriterBetweenSteps() throws Exception {
        List<String> reported = new ArrayList<>();
        for (boolean expired : new boolean[] {true, false}) {
            everywhere(
                    "acquire_reader",
                    meeting -> {
                        reported.clear();
                        meeting.mine.insert("a", STRANGER, !expired);
                    },
                    meeting -> reported.addAll(meeting.mine.owners("acquire_reader", "a", OWNER)),
                    meeting -> meeting.theirs.hit("release_gate", "a", STRANGER),
                    meeting -> {
                        assertThat(reported).isSubsetOf(OWNER, STRANGER);
                        assertThat(meeting.readers.rows()).hasSize(reported.contains(OWNER) ? 1 : 0);
                        assertThat(meeting.theirs.read("a", OTHER)).isTrue();
                    });
        }
    }

    @FullTest(except = "postgresql")
    void writerMeetsALateRenewalBetweenSteps() throws Exception {
        everywhere(
                "enter_gate",
                meeting -> {
                    meeting.mine.insert("a", OWNER, true);
                    meeting.readers.insert("a", OTHER, false);
                    meeting.readers.insert("a", STRANGER, false);
                },
                meeting -> meeting.entered.set(meeting.mine.entered("a", OWNER)),
                meeting -> meeting.in.set(meeting.readers.renewLate("a", OTHER)),
                meeting -> {
                    meeting.assertNobodyMeets();
                    assertThat(meeting.readers.rows().contains("a other held")).isEqualTo(meeting.in.get());
                });
    }

    @FullTest(except = "mariadb")
    void noReaderEntersBetweenStepsOfAWriter() throws Exception {
        everywhere(
                "enter_gate",
                meeting -> {
                    meeting.mine.insert("a", OWNER, true);
                    meeting.readers.insert("a", OTHER, false);
                },
                meeting -> meeting.entered.set(meeting.mine.entered("a", OWNER)),
                meeting -> meeting.in.set(meeting.theirs.read("a", STRANGER)),
                meeting -> {
                    assertThat(meeting.in).isFalse();
                    assertThat(meeting.readers.rows()).isEmpty();
                    assertThat(meeting.entered).isTrue();
                });
    }

    @FullTest(except = "mariadb")
    void writerEntersBetweenStepsOfALeavingReader() throws Exception {
        for (String release : List.of("release_reader", "release_readers")) {
            everywhere(
                    release,
                    meeting -> {
                        meeting.mine.insert("a", STRANGER, true);
                        meeting.readers.insert("a", OWNER, true);
                    },
                    meeting -> meeting.mine.ask(release, List.of("a"), OWNER),
                    meeting -> meeting.entered.set(meeting.theirs.entered("a", STRANGER)),
                    meeting -> {
                        assertThat(meeting.readers.rows()).isEmpty();
                        assertThat(meeting.theirs.entered("a", STRANGER)).isTrue();
                    });
        }
    }

    /** One reader that leaves, and one beside it whose row is locked. */
    @Test
    void aLockedReaderDoesNotLeaveWithAnother() throws Exception {
        assumeRowLocks();
        BetweenSteps steps = closing(new BetweenSteps(this));
        Connection other = connection();
        LeaseTable.each(this, List.of("reader", "ticket"), table -> {
            LeaseTable mine = table.by(this, steps.impatient);
            table.insert("a", OWNER, true);
            table.insert("a", STRANGER, 0);
            other.setAutoCommit(false);
            table.lock(other, "a", OWNER);
            for (String release : mine.of("release_x", "release_xs")) {
                assertThat(mine.hit(release, "a", OWNER)).as(release).isFalse();
                assertThat(table.rows()).as(release).contains("a " + OWNER + " held");
            }
            other.rollback();
            other.setAutoCommit(true);
        });
    }

    /** As after a clock that was set back. */
    @Test
    void aFreeGateNamesNoHolder() throws Exception {
        LeaseTable.each(this, List.of("gate"), gate -> {
            gate.insert("a", null, true);
            assertThat(gate.owners("acquire_reader", "a", OWNER)).containsExactly(OWNER);
            gate.beside("reader").clear();
        });
    }

    /** An action, a preparation, or a check. */
    interface Deed {
        void in(Meeting meeting) throws Exception;
    }

    /** A gate, its readers, and those that believe to hold the lock. */
    record Meeting(
            LeaseTable mine,
            LeaseTable theirs,
            LeaseTable readers,
            AtomicBoolean in,
            AtomicBoolean taken,
            AtomicBoolean entered) {

        void writes() throws Exception {
            taken.set(theirs.owners("acquire_gate", "a", STRANGER).contains(STRANGER));
            entered.set(theirs.entered("a", STRANGER));
        }

        void assertNobodyMeets() {
            assertThat(in.get() && entered.get()).as("inside together").isFalse();
        }
    }

    private void everywhere(String what, Deed before, Deed one, Deed other, Deed check) throws Exception {
        BetweenSteps steps = closing(new BetweenSteps(this));
        LeaseTable.each(this, List.of("gate"), gate -> {
            LeaseTable mine = gate.by(this, steps.stepped);
            LeaseTable theirs = gate.by(this, steps.impatient);
            LeaseTable readers = gate.beside("reader");
            steps.each(what, () -> {
                gate.clear();
                readers.clear();
                Meeting meeting = new Meeting(
                        mine, theirs, readers, new AtomicBoolean(), new AtomicBoolean(), new AtomicBoolean());
                before.in(meeting);
                return new Scene(() -> one.in(meeting), () -> other.in(meeting), () -> check.in(meeting));
            });
            readers.clear();
        });
    }

    /** An action on a gate and the readers behind it. */
    interface Act {
        void on(LeaseTable gate, LeaseTable readers) throws Exception;
    }

    /** Sends a statement, and checks its result. */
    interface Ask {
        void on(LeaseTable gate, LeaseTable readers, AtomicBoolean acted) throws Exception;
    }

    @FullTest(except = "postgresql")
    void aWriterThatComesWhileAReaderAsksHasTheGate() throws Exception {
        for (String before : List.of("none", "free", "expired", "held")) {
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
    @FullTest(except = "postgresql")
    void aGateReleasedDuringAReadersAcquireBlocksNobody() throws Exception {
        for (String before : List.of("free", "expired", "held")) {
            beforeEachStep((gate, readers) -> gate(gate, null, true), (gate, readers, acted) -> {
                put(gate, before);
                assertThat(gate.owners("acquire_reader", GATE, STRANGER))
                        .as(before)
                        .doesNotContainNull();
            });
        }
    }

    /** A reader that was admitted by then is not removed, and the former writer is not alone any more. */
    @FullTest(except = "postgresql")
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
