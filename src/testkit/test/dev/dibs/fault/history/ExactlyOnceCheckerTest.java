package dev.dibs.fault.history;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Work that must be done once: claims, tokens, and once a period. */
@Tag("unit")
class ExactlyOnceCheckerTest extends Verdicts {

    // Claims

    @Test
    void rowsThatAreCompletedOnce() {
        assertKept(s -> s.job("1", 1)
                .job("2", 1)
                .job("3", 1)
                .job("4", 0)
                .job("5", 1)
                .complete(OperationState.OK, "1 4", "1")
                .complete(OperationState.OK, "1 4", "")
                .complete(OperationState.UNKNOWN, "2 4", null)
                .complete(null, "4", null)
                .completeInTransaction(OperationState.OK, "3", "3", "3")
                .completeInTransaction(null, "5", null, "5")
                .completeInTransaction(OperationState.UNKNOWN, "4", null));
    }

    @Test
    void eachWrongCompletionIsFound() {
        assertBroken(
                "completed more than once",
                s -> s.job("1", 1).complete(OperationState.OK, "1", "1").complete(OperationState.OK, "1", "1"));
        assertBroken(
                "completed more than once",
                s -> s.job("1", 1)
                        .complete(OperationState.OK, "1", "1")
                        .completeInTransaction(OperationState.UNKNOWN, "1", null, "1"));
        assertBroken("completed more than once", s -> s.job("1", 2).complete(OperationState.OK, "1", "1"));
        assertBroken("completed by nobody", s -> s.job("1", 1).complete(OperationState.FAIL, "1", null));
        assertBroken(
                "completed by nobody", s -> s.job("1", 1).completeInTransaction(OperationState.UNKNOWN, "1", null));
        assertBroken("completed, and not there", s -> s.job("1", 0).complete(OperationState.OK, "1", "1"));
        assertBroken("no such row", s -> s.complete(OperationState.OK, "1", "1"));
        assertBroken(
                "failed, and its effect is there",
                s -> s.job("1", 1).completeInTransaction(OperationState.FAIL, "1", null, "1"));
        assertThat(broken(s -> s.job("1", 1).completeInTransaction(OperationState.OK, "1", "1")))
                .anyMatch(evidence -> evidence.startsWith("acknowledged, and its effect is not there"));
        assertBroken(
                "completed by nobody",
                s -> s.job("pass:1", 1).job("pass:2", 1).complete(OperationState.OK, "pass:1", "pass:1"));
    }

    @Test
    void aMarkThatWasTakenAwayByHandMayMislead() {
        assertKept(s -> s.tamper(OperationKind.CLAIMS, null, 3, 4)
                .job("1", 1)
                .complete(OperationState.OK, "1", "1")
                .complete(OperationState.OK, "1", "1"));
        assertBroken(
                "completed more than once",
                s -> s.tamper(OperationKind.CLAIMS, null, 7, 8)
                        .job("1", 1)
                        .complete(OperationState.OK, "1", "1")
                        .complete(OperationState.OK, "1", "1"));
    }

    @Test
    void aRowThatWasClaimedBeforeAnEarlierOneOfItsCustomerWasDone() {
        String one = HistoryChecker.PER_KEY + ":1";
        String six = HistoryChecker.PER_KEY + ":6";
        String seven = HistoryChecker.PER_KEY + ":7";
        assertBroken(
                "out of turn",
                s -> s.job(one, 1)
                        .job(six, 1)
                        .complete(OperationState.OK, six, six, 1)
                        .complete(OperationState.OK, one, one, 2));
        assertKept(s -> s.job(one, 1)
                .job(six, 1)
                .job(seven, 1)
                .complete(OperationState.OK, seven, seven, 1)
                .complete(OperationState.OK, one, one, 2)
                .complete(OperationState.OK, six, six, 8));
        assertKept(s -> s.job(one, 1)
                .job(six, 1)
                .complete(OperationState.OK, six, six, 3)
                .complete(OperationState.UNKNOWN, one, null, 1)
                .complete(OperationState.UNKNOWN, one, null, 4));
    }

    @Test
    void aRunThatMiscountsIsFound() {
        assertKept(s -> s.job("run:1", 1)
                .job("run:2", 0)
                .counted("run", 1)
                .completeInTransaction(null, "run:1", null, "run:1"));
        assertBroken(
                "miscounted",
                s -> s.job("run:1", 1).counted("run", 2).completeInTransaction(null, "run:1", null, "run:1"));
        assertBroken(
                "miscounted",
                s -> s.job("run:1", 1).counted("run", 0).completeInTransaction(null, "run:1", null, "run:1"));
        assertKept(s -> s.crash(20, 25, 3).job("run:1", 0).counted("run", 1));
        assertBroken(
                "miscounted",
                s -> s.crash(20, 25, 3)
                        .job("run:1", 1)
                        .counted("run", 0)
                        .completeInTransaction(null, "run:1", null, "run:1"));
    }

    // Tokens

    @Test
    void tokensThatAreUsedOnce() {
        assertKept(s -> s.consume("t", 1, OperationState.OK, 5, null)
                .consume("t", 2, OperationState.FAIL, 3, WorkRules.USED)
                .consume("u", 1, OperationState.UNKNOWN, 2, null)
                .consume("u", 3, OperationState.FAIL, 4, WorkRules.USED)
                .consume("v", 1, OperationState.FAIL, 2, null)
                .consumeInTransaction("w", OperationState.UNKNOWN, false)
                .consumeInTransaction("w", OperationState.UNKNOWN, true));
    }

    @Test
    void eachWrongUseOfATokenIsFound() {
        assertBroken(
                "used 2 times",
                s -> s.consume("t", 1, OperationState.OK, 2, null).consume("t", 3, OperationState.OK, 4, null));
        assertBroken(
                "used 2 times",
                s -> s.consume("t", 1, OperationState.OK, 2, null)
                        .consumeInTransaction("t", OperationState.UNKNOWN, true));
        assertBroken(
                "said to be used",
                s -> s.consume("t", 1, OperationState.FAIL, 2, WorkRules.USED)
                        .consume("t", 3, OperationState.OK, 4, null));
        assertBroken("issued, and not known", s -> s.consume("t", 1, OperationState.FAIL, 2, "UNKNOWN"));
        assertBroken("acknowledged, and its effect", s -> s.consumeInTransaction("t", OperationState.OK, false));
        assertBroken("not committed, and its effect", s -> s.consumeInTransaction("t", OperationState.FAIL, true));
    }

    // Once a period

    @Test
    void onceAPeriod() {
        assertKept(s -> {
            s.record(s.hold(Mode.ONCE, "o", 0, 1, 0, MS, 900 * MS), "o", 10 * MS, OperationState.OK);
            s.record(s.hold(Mode.ONCE, "o", 0, 2, 100 * MS, 111 * MS, 900 * MS), "o", 120 * MS, OperationState.UNKNOWN);
            s.record(s.hold(Mode.ONCE, "o", 0, 3, 130 * MS, 131 * MS, 900 * MS), "o", 140 * MS, OperationState.OK);
        });
        assertBroken("twice in a period", s -> {
            s.record(s.hold(Mode.ONCE, "o", 0, 1, 0, MS, 900 * MS), "o", 10 * MS, OperationState.OK);
            s.hold(Mode.ONCE, "o", 0, 2, 60 * MS, 61 * MS, 900 * MS);
        });
    }
}
