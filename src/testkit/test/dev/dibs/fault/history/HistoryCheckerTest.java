package dev.dibs.fault.history;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Leases, and the operations under them. */
@Tag("unit")
class HistoryCheckerTest extends Verdicts {
    // Fences

    @Test
    void aFenceThatFallsOrIsGivenTwiceIsFound() {
        assertBroken("a fence did not grow", s -> {
            s.lock("a", 7, 0, 1, 10);
            s.lock("a", 6, 20, 21, 30);
        });
        assertBroken("one fence for several", s -> {
            s.lock("a", 7, 0, 5, 6);
            s.lock("a", 7, 3, 8, 9);
        });
        assertBroken("a fence did not grow", s -> {
            s.lock("a", 7, 0, 1, 2);
            s.lock("a", 9, 3, 4, 5);
            s.lock("b", 1, 6, 7, 8);
            s.lock("a", 8, 6, 7, 8);
        });
    }

    @Test
    void fenceThatWasChangedByHandBeforeALookUpMayFall() {
        assertKept(s -> {
            s.lock("a", 7, 0, 1, 10);
            s.tamper("a", Mode.LOCK, 22, 23);
            s.lock("a", 1, 20, 25, 40);
        });
    }

    @Test
    void fencesOfAcquisitionsThatOverlapMayComeInAnyOrder() {
        assertKept(s -> {
            s.release(s.lock("a", 8, 0, 5, 100), 6);
            s.lock("a", 7, 2, 9, 100);
        });
    }

    @Test
    void eachSlotHasFencesOfItsOwn() {
        assertKept(s -> {
            s.hold(Mode.PERMIT, "s", 0, 9, 0, 1, 10);
            s.hold(Mode.PERMIT, "s", 1, 5, 2, 3, 10);
        });
        assertBroken("a fence did not grow", s -> {
            s.hold(Mode.PERMIT, "s", 0, 9, 0, 1, 10);
            s.hold(Mode.PERMIT, "s", 0, 5, 12, 13, 20);
        });
    }

    @Test
    void readersShareAFenceButWritersDoNot() {
        assertKept(s -> {
            s.hold(Mode.WRITER, "a", 0, 5, 0, 1, 10);
            s.hold(Mode.READER, "a", 0, 5, 11, 12, 20);
            s.hold(Mode.READER, "a", 0, 5, 13, 14, 20);
            s.hold(Mode.WRITER, "a", 0, 6, 21, 22, 30);
        });
        assertBroken("a fence did not grow", s -> {
            s.hold(Mode.READER, "a", 0, 5, 0, 1, 10);
            s.hold(Mode.WRITER, "a", 0, 5, 11, 12, 20);
        });
        assertBroken("a fence did not grow", s -> {
            s.hold(Mode.WRITER, "a", 0, 5, 0, 1, 10);
            s.hold(Mode.READER, "a", 0, 4, 11, 12, 20);
        });
    }

    // Interrupts

    @Test
    void aCallThatFailsBecauseAnotherOneWasInterrupted() {
        assertBroken("failed because of another's interrupt", s -> s.acquireInterrupted(false));
        assertKept(s -> s.acquireInterrupted(true));
    }

    // Holds

    @Test
    void twoHoldersAreFound() {
        assertBroken("two at a time", s -> {
            s.lock("a", 1, 0, 1, 10);
            s.lock("a", 2, 5, 6, 20);
        });
        assertBroken("two at a time", s -> {
            s.check(s.lock("a", 1, 0, 1, 10), 9, 25);
            s.lock("a", 2, 15, 16, 20);
        });
        assertBroken("two at a time", s -> {
            s.lock("a", 1, 0, 1, 100);
            s.release(s.lock("b", 1, 0, 1, 100), 2);
            s.release(s.lock("a", 2, 5, 6, 100), 7);
            s.lock("a", 3, 8, 9, 100);
        });
        assertBroken("two at a time", s -> {
            s.hold(Mode.PERMIT, "s", 1, 1, 0, 1, 10);
            s.hold(Mode.PERMIT, "s", 1, 2, 5, 6, 20);
        });
    }

    @Test
    void anExpiredOrUnansweredHolderMeetsNobody() {
        assertKept(s -> {
            s.lock("a", 1, 0, 1, 10);
            s.release(s.lock("a", 2, 5, 10, 50), 20);
            s.lock("a", 3, 15, 20, 60);
        });
        assertKept(s -> {
            s.lock("a", 1, 0, 30, 10);
            s.lock("a", 2, 11, 12, 40);
        });
        assertKept(s -> {
            s.event(new Event(
                    1,
                    "q",
                    1,
                    "cut",
                    OperationState.INVOKE,
                    OperationKind.ACQUIRE,
                    "a",
                    null,
                    Mode.LOCK,
                    null,
                    null,
                    null,
                    null));
            s.lock("a", 2, 5, 6, 20);
        });
    }

    @Test
    void aReaderBesideAWriter() {
        assertBroken("two at a time", s -> {
            s.hold(Mode.READER, "a", 0, 1, 0, 1, 10);
            s.hold(Mode.WRITER, "a", 0, 2, 5, 6, 20);
        });
        assertBroken("two at a time", s -> {
            s.hold(Mode.WRITER, "a", 0, 1, 0, 1, 10);
            s.hold(Mode.READER, "a", 0, 1, 5, 6, 20);
        });
        assertKept(s -> {
            s.hold(Mode.READER, "a", 0, 1, 0, 1, 10);
            s.hold(Mode.READER, "a", 0, 1, 5, 6, 20);
        });
    }

    @Test
    void aPermitTooMany() {
        assertThat(broken(s -> {
                    s.hold(Mode.PERMIT, "s", 0, 1, 0, 1, 10);
                    s.hold(Mode.PERMIT, "s", 1, 1, 0, 2, 10);
                    s.hold(Mode.PERMIT, "s", 2, 1, 0, 3, 10);
                }))
                .anyMatch(evidence -> evidence.startsWith("more than 2 permits"))
                .anyMatch(evidence -> evidence.startsWith("no such slot"));
    }

    @Test
    void aRowThatWasChangedByHandMakesNobodyCertain() {
        assertKept(s -> {
            s.lock("a", 1, 0, 1, 10);
            s.tamper("a", Mode.LOCK, 3, 4);
            s.lock("a", 2, 5, 6, 20);
        });
        assertBroken("two at a time", s -> {
            s.lock("a", 1, 0, 1, 10);
            s.tamper("b", Mode.LOCK, 3, 4);
            s.tamper("a", Mode.WRITER, 3, 4);
            s.lock("a", 2, 5, 6, 20);
        });
        assertBroken("two at a time", s -> {
            s.tamper("a", Mode.LOCK, 3, 4);
            s.lock("a", 2, 5, 6, 20);
            s.lock("a", 3, 7, 8, 20);
        });
    }

    @Test
    void commitsThatACrashMayForgetAreUncertain() {
        assertKept(s -> {
            s.lock("a", 1, 0, 1, 50);
            s.write("a", 1, 15, OperationState.OK, 19, 0);
            s.crash(20, 25, 3);
            s.lock("a", 2, 30, 31, 50);
        });
        assertBroken("acknowledged and not there", s -> {
            s.write("a", 1, 15, OperationState.OK, 16, 0);
            s.crash(20, 25, 3);
        });
        assertBroken("two at a time", s -> {
            s.crash(20, 25, 3);
            s.lock("a", 2, 30, 31, 50);
            s.lock("a", 3, 32, 33, 50);
        });
    }

    @Test
    void aLockThatIsBrokenMakesNobodyCertain() {
        assertKept(s -> {
            s.lock("a", 1, 0, 1, 10);
            s.breakLock("a", 3, OperationState.UNKNOWN, 4);
            s.lock("a", 2, 5, 6, 20);
        });
        assertBroken("two at a time", s -> {
            s.lock("a", 1, 0, 1, 10);
            s.breakLock("a", 3, OperationState.FAIL, 4);
            s.breakLock("b", 3, OperationState.OK, 4);
            s.lock("a", 2, 5, 6, 20);
        });
    }

    @Test
    void aBrokenHolderThatCommits() {
        assertBroken("committed after a break", s -> {
            String broken = s.lock("a", 1, 0, 1, 100);
            s.breakLock("a", 3, OperationState.OK, 4);
            s.writeUnder(broken, "a", 1, 5, OperationState.UNKNOWN, 6, 1);
        });
        assertKept(s -> {
            String broken = s.lock("a", 1, 0, 1, 100);
            s.writeUnder(broken, "a", 1, 2, OperationState.OK, 6, 1);
            s.breakLock("a", 3, OperationState.OK, 4);
            s.breakLock("a", 4, OperationState.UNKNOWN, 5);
            s.writeUnder(broken, "a", 1, 6, OperationState.UNKNOWN, 7, 0);
            String next = s.lock("a", 2, 7, 8, 100);
            s.writeUnder(next, "a", 2, 9, OperationState.OK, 10, 2);
        });
        assertKept(s -> {
            s.breakLock("a", 1, OperationState.OK, 4);
            String during = s.lock("a", 1, 2, 3, 100);
            s.writeUnder(during, "a", 1, 5, OperationState.OK, 6, 1);
        });
    }

    @Test
    void aLockThatIsGrantedSoonerThanItWasToBeHeld() {
        assertBroken("sooner than it was to be held", s -> {
            s.release(s.lock("brief", 1, 0, MS, 900 * MS), 2 * MS);
            s.lock("brief", 2, 3 * MS, 40 * MS, 900 * MS);
        });
        assertBroken("sooner than it was to be held", s -> {
            s.lock("brief", 1, 0, MS, 20 * MS);
            s.lock("brief", 2, 3 * MS, 40 * MS, 900 * MS);
        });
        assertKept(s -> {
            s.release(s.lock("brief", 1, 0, MS, 900 * MS), 2 * MS);
            s.release(s.lock("brief", 2, 3 * MS, 51 * MS, 900 * MS), 52 * MS);
            s.release(s.lock("other", 1, 0, MS, 900 * MS), 2 * MS);
            s.lock("other", 2, 3 * MS, 40 * MS, 900 * MS);
        });
        assertKept(s -> {
            s.release(s.lock("brief", 1, 0, MS, 900 * MS), 2 * MS);
            s.tamper("brief", Mode.LOCK, 5 * MS, 6 * MS);
            s.lock("brief", 2, 7 * MS, 8 * MS, 900 * MS);
        });
    }

    // Guarded writes

    @Test
    void guardedWritesInOrder() {
        assertKept(s -> s.write("a", 1, 0, OperationState.OK, 1, 1)
                .write("a", 1, 2, OperationState.UNKNOWN, 3, 2)
                .write("a", 4, 4, OperationState.OK, 5, 3)
                .write("a", 4, 6, OperationState.FAIL, 7, 0)
                .write("a", 4, 6, OperationState.UNKNOWN, 7, 0)
                .write("b", 2, 6, null, 0, 1));
    }

    @Test
    void eachWrongWriteIsFound() {
        assertBroken("acknowledged and not there", s -> s.write("a", 1, 0, OperationState.OK, 1, 0));
        assertBroken("failed, and is there", s -> s.write("a", 1, 0, OperationState.FAIL, 1, 1));
        assertBroken(
                "written twice",
                s -> s.write("a", 1, 0, OperationState.UNKNOWN, 1, 1).row("a", 2, 1, "op1"));
        assertBroken("nobody wrote this", s -> s.row("a", 1, 1, "nobody"));
        assertBroken(
                "not what was written",
                s -> s.write("a", 1, 0, OperationState.UNKNOWN, 1, 0).row("a", 1, 2, "op1"));
        assertBroken(
                "another number",
                s -> s.write("a", 1, 0, OperationState.OK, 1, 0).row("a", 1, 1, "op1"));
        assertBroken(
                "two wrote at a time",
                s -> s.write("a", 1, 0, OperationState.OK, 5, 1).write("a", 2, 1, OperationState.OK, 5, 1));
        assertBroken("two wrote at a time, or one is missing", s -> s.write("a", 1, 0, OperationState.OK, 5, 2));
        assertBroken(
                "a stale holder committed",
                s -> s.write("a", 1, 0, OperationState.OK, 1, 1)
                        .write("a", 2, 2, OperationState.OK, 5, 2)
                        .write("a", 1, 4, OperationState.OK, 6, 3));
        assertBroken(
                "out of order",
                s -> s.write("a", 1, 10, OperationState.OK, 11, 1).write("a", 1, 2, OperationState.OK, 3, 2));
    }

    @Test
    void aWriteBesideAReader() {
        assertKept(s -> s.read(4, 4));
        assertBroken("somebody wrote beside a reader", s -> s.read(4, 5));
    }

    // The history itself

    @Test
    void aHistoryThatIsNone() {
        assertBroken(
                "an outcome that nobody waits for",
                s -> s.event(new Event(
                        1, "p", 1, "x", OperationState.OK, OperationKind.CHECK, "a", "h", null, null, null, 5L, null)));
    }
}
