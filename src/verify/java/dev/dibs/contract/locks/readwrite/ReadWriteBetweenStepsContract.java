package dev.dibs.contract.locks.readwrite;

import static dev.dibs.contract.support.LeaseStatements.OWNER;
import static dev.dibs.contract.support.LeaseStatements.STRANGER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.contract.support.BetweenSteps;
import dev.dibs.contract.support.BetweenSteps.Scene;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.LeaseTable;
import dev.dibs.database.FullRun;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A writer comes between any two steps of a reader, a reader between those of a writer: they never hold the lock at the same time. */
@Tag("steps")
class ReadWriteBetweenStepsContract extends Fixture {

    static final String OTHER = "other";

    @Test
    @FullRun(except = "postgresql")
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
    @Test
    @FullRun(except = "mariadb")
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
    @Test
    @FullRun(except = "postgresql")
    void readerMeetsALeavingWriterBetweenSteps() throws Exception {
        List<String> reported = new ArrayList<>();
        for (boolean passed : new boolean[] {true, false}) {
            everywhere(
                    "acquire_reader",
                    meeting -> {
                        reported.clear();
                        meeting.mine.insert("a", STRANGER, !passed);
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

    @Test
    @FullRun(except = "postgresql")
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

    @Test
    @FullRun(except = "mariadb")
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

    @Test
    @FullRun(except = "mariadb")
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
        try (BetweenSteps steps = new BetweenSteps(this);
                Connection other = pool().getConnection()) {
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
        try (BetweenSteps steps = new BetweenSteps(this)) {
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
    }
}
