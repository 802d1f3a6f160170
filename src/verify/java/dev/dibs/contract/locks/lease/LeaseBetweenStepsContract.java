package dev.dibs.contract.locks.lease;

import static dev.dibs.contract.support.LeaseStatements.OWNER;
import static dev.dibs.contract.support.LeaseStatements.STRANGER;

import dev.dibs.contract.support.BetweenSteps;
import dev.dibs.contract.support.BetweenSteps.Scene;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.LeaseTable;
import dev.dibs.database.FullTest;
import dev.dibs.database.SteppedDataSource.Meanwhile;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Another caller acts between any two steps of an operation on a lease: its effect is not undone, and it does not wait. */
@Tag("steps")
class LeaseBetweenStepsContract extends Fixture {

    static final List<String> SINGLE = List.of("lock", "held_lock", "permit", "gate", "once");

    @FullTest(except = "postgresql")
    void betweenStepsOneOfTwoCallersAcquires() throws Exception {
        eachKind(SINGLE, (steps, mine, theirs) -> {
            for (String statement : mine.of("acquire_x", "retake_x", "acquire_each_x", "acquire_xs")) {
                if (!database().runs(statement)) {
                    continue;
                }
                List<String> won = new ArrayList<>();
                steps.each(statement, () -> {
                    won.clear();
                    mine.clear();
                    mine.insert("a", null, false);
                    return new Scene(
                            () -> won.addAll(winners(mine.owners(statement, "a", OWNER), OWNER)),
                            () -> won.addAll(winners(theirs.owners(statement, "a", STRANGER), STRANGER)),
                            () -> {
                                assertThat(won).hasSize(1);
                                assertThat(mine.rows()).containsExactly("a " + won.get(0) + " changed");
                            });
                });
            }
        });
    }

    /** Any operation on a lease that was ours and has expired. */
    @FullTest(except = "postgresql")
    void betweenStepsATakeoverIsNotUndone() throws Exception {
        eachKind(SINGLE, (steps, mine, theirs) -> {
            for (String statement : mine.of(
                    "release_x",
                    "release_xs",
                    "release_each_x",
                    "renew_xs",
                    "renew_all_xs",
                    "complete_x",
                    "fail_x",
                    "purge_xs")) {
                AtomicBoolean taken = new AtomicBoolean();
                String acquire = theirs.of("acquire_x").isEmpty() ? "acquire_lock" : "acquire_" + mine.kind;
                steps.each(statement, () -> {
                    mine.clear();
                    mine.insert("a", OWNER, false);
                    return new Scene(
                            () -> mine.ask(statement, List.of("a"), OWNER),
                            () -> taken.set(
                                    theirs.owners(acquire, "a", STRANGER).contains(STRANGER)),
                            () -> {
                                if (taken.get()) {
                                    assertThat(mine.rows()).containsExactly("a " + STRANGER + " changed");
                                }
                            });
                });
            }
        });
    }

    /** The same for a held lease that is broken. */
    @FullTest(except = "postgresql")
    void betweenStepsALostLeaseStaysLost() throws Exception {
        eachKind(SINGLE, (steps, mine, theirs) -> {
            for (String breaks : theirs.of("break_x")) {
                for (String statement :
                        mine.of("release_x", "release_xs", "release_each_x", "renew_xs", "renew_all_xs")) {
                    AtomicBoolean taken = new AtomicBoolean();
                    steps.each(statement, () -> {
                        mine.clear();
                        mine.insert("a", OWNER, true);
                        return new Scene(
                                () -> mine.ask(statement, List.of("a"), OWNER),
                                () -> {
                                    theirs.hit(breaks, "a", STRANGER);
                                    taken.set(theirs.owners("acquire_" + mine.kind, "a", STRANGER)
                                            .contains(STRANGER));
                                },
                                () -> {
                                    if (taken.get()) {
                                        assertThat(mine.rows()).containsExactly("a " + STRANGER + " changed");
                                    }
                                });
                    });
                }
            }
        });
    }

    /** For kinds with many rows of a name: each is deleted alone. */
    @FullTest(except = "postgresql")
    void betweenStepsEachGoesByItself() throws Exception {
        eachKind(List.of("reader", "ticket"), (steps, mine, theirs) -> {
            for (String statement : mine.of("release_x", "release_xs", "renew_xs", "renew_all_xs")) {
                steps.each(statement, () -> {
                    mine.clear();
                    mine.insert("a", OWNER, true);
                    mine.insert("a", STRANGER, true);
                    mine.insert("a", "other", true);
                    return new Scene(
                            () -> mine.ask(statement, List.of("a"), OWNER),
                            () -> theirs.hit("release_" + mine.kind, "a", STRANGER),
                            () -> assertThat(mine.rows())
                                    .contains("a other held")
                                    .hasSize(statement.startsWith("renew") ? 2 : 1));
                });
            }
        });
    }

    @Test
    void betweenStepsATicketIsTheAskersOwn() throws Exception {
        eachKind(List.of("ticket"), (steps, mine, theirs) -> {
            List<String> reported = new ArrayList<>();
            steps.each("acquire_ticket", () -> {
                reported.clear();
                mine.clear();
                mine.insert("a", "other", true);
                return new Scene(
                        () -> reported.addAll(mine.owners("acquire_ticket", "a", OWNER)),
                        () -> theirs.owners("acquire_ticket", "a", STRANGER),
                        () -> {
                            assertThat(reported).containsExactly(OWNER);
                            assertThat(mine.rows()).hasSize(3);
                        });
            });
        });
    }

    /** An expired lease, as under a guard that takes long. */
    @Test
    void lockedRowsAreSkippedAndNotWaitedFor() throws Exception {
        beside((mine, theirs) -> {
            for (String statement : theirs.of("acquire_x", "acquire_each_x", "acquire_xs")) {
                mine.clear();
                mine.insert("a", OWNER, false);
                locked(
                        mine,
                        () -> assertThat(theirs.owners(statement, "a", STRANGER))
                                .as(statement)
                                .doesNotContain(STRANGER));
                assertThat(mine.rows()).containsExactly("a " + OWNER + " expired");
            }
        });
    }

    @FullTest(except = "postgresql")
    void aBreakThatFailsReportsALockedRowOnce() throws Exception {
        beside((mine, theirs) -> {
            for (String statement : theirs.of("break_x")) {
                mine.clear();
                mine.insert("a", OWNER, true);
                locked(
                        mine,
                        () -> assertThat(theirs.owners(statement, "a", STRANGER))
                                .as(statement)
                                .containsExactly(OWNER));
                assertThat(mine.rows()).containsExactly("a " + OWNER + " held");
            }
        });
    }

    private void beside(LockedRow what) throws Exception {
        assumeRowLocks();
        eachKind(SINGLE, (steps, mine, theirs) -> what.of(mine, theirs));
    }

    /** An operation beside a locked row. */
    interface LockedRow {
        void of(LeaseTable mine, LeaseTable theirs) throws Exception;
    }

    private void locked(LeaseTable table, Meanwhile meanwhile) throws Exception {
        try (Connection other = pool().getConnection()) {
            other.setAutoCommit(false);
            table.lock(other, "a");
            meanwhile.happens();
            other.rollback();
        }
    }

    private static List<String> winners(List<String> owners, String owner) {
        return owners.contains(owner) ? List.of(owner) : List.of();
    }

    /** The two callers, over one table. */
    interface Meeting {
        void of(BetweenSteps steps, LeaseTable mine, LeaseTable theirs) throws Exception;
    }

    private void eachKind(List<String> kinds, Meeting meeting) throws Exception {
        BetweenSteps steps = closing(new BetweenSteps(this));
        LeaseTable.each(
                this,
                kinds,
                table -> meeting.of(steps, table.by(this, steps.stepped), table.by(this, steps.impatient)));
    }
}
