package dev.dibs.contract.locks.semaphore;

import static dev.dibs.contract.support.LeaseStatements.OWNER;
import static dev.dibs.contract.support.LeaseStatements.STRANGER;

import dev.dibs.contract.support.BetweenSteps;
import dev.dibs.contract.support.BetweenSteps.Scene;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.LeaseTable;
import dev.dibs.database.FullTest;
import dev.dibs.internal.sql.errors.SqlFailure;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Another caller acts between any two steps of an acquire of a permit: there are never too many holders, and both get the right answer. */
@Tag("steps")
class SemaphoreBetweenStepsContract extends Fixture {

    @FullTest(except = "postgresql")
    void betweenStepsOneOfTwoGetsTheLastPermit() throws Exception {
        two(permits -> permits.insertSlots("a", 1, 1, permits.now + LeaseTable.SOON), 0, 2, 1, 1);
    }

    @Test
    void betweenStepsTwoGetTwoPermits() throws Exception {
        two(permits -> {}, 0, 2, 2, 2);
    }

    /** A statement may wait for the one that adds the first row of a slot. */
    @FullTest(except = "postgresql")
    void betweenStepsOneOfTwoMakesTheOnlyPermit() throws Exception {
        two(permits -> {}, 0, 1, 0, 1);
    }

    @Test
    void aGrantedPermitNamesNoOtherHolder() throws Exception {
        LeaseTable.each(this, List.of("permit"), permits -> {
            permits.insertSlots("a", 0, 1, permits.now + LeaseTable.SOON);
            assertThat(permits.owners("acquire_permit", "a", OWNER, 2)).containsExactly(OWNER);
        });
    }

    /** A waiter waits for that one, and not for the lowest slot. */
    @Test
    void aRefusalNamesThePermitThatEndsFirst() throws Exception {
        LeaseTable.each(this, List.of("permit"), permits -> {
            permits.insertSlots("a", 0, 1, permits.now + 3 * LeaseTable.SOON);
            permits.insertSlots("a", 1, 1, permits.now + LeaseTable.SOON);
            permits.insertSlots("a", 2, 1, permits.now + 2 * LeaseTable.SOON);
            for (String statement : permits.of("acquire_x", "look_x")) {
                assertThat(permits.owners(statement, "a", OWNER, 3))
                        .as(statement)
                        .containsExactly("1");
            }
        });
    }

    @Test
    void aSlotBeyondThePermitsCountsOnlyWhileHeld() throws Exception {
        LeaseTable.each(this, List.of("permit"), permits -> {
            permits.insertSlots("a", 0, 1, permits.now + LeaseTable.SOON);
            permits.insertSlots("a", 1, 1, 1);
            assertThat(permits.owners("acquire_permit", "a", OWNER, 1)).containsExactly("0");
            permits.insertSlots("b", 0, 1, 1);
            permits.insertSlots("b", 1, 1, permits.now + LeaseTable.SOON);
            assertThat(permits.owners("acquire_permit", "b", OWNER, 1)).containsExactly("1");
        });
    }

    @FullTest(except = "postgresql")
    void thePermitThatIsFreeIsFoundAmongMany() throws Exception {
        LeaseTable.each(this, List.of("permit"), permits -> {
            permits.insertSlots("a", 0, 1000, permits.now + LeaseTable.SOON);
            permits.insertSlots("a", 1000, 1, 1);
            assertThat(permits.owners("acquire_permit", "a", OWNER, 1001)).contains(OWNER);
        });
    }

    /** Two callers: the rows besides the expired slots, the number of expired slots, and how many permits the two may get. */
    private void two(LeaseTable.Check besides, int first, long permits, int expired, int winners) throws Exception {
        BetweenSteps steps = closing(new BetweenSteps(this));
        LeaseTable.each(this, List.of("permit"), table -> {
            LeaseTable mine = table.by(this, steps.stepped);
            LeaseTable theirs = table.by(this, steps.impatient);
            List<String> won = new ArrayList<>();
            steps.each("acquire_permit", () -> {
                won.clear();
                table.clear();
                besides.on(table);
                table.insertSlots("a", first, expired, 1);
                return new Scene(
                        () -> ask(mine, OWNER, permits, won), () -> ask(theirs, STRANGER, permits, won), () -> {
                            assertThat(won).hasSize(winners);
                            assertThat(table.rows()).hasSize((int) permits);
                            for (String owner : won) {
                                assertThat(table.rows()).containsOnlyOnce("a " + owner + " changed");
                            }
                        });
            });
        });
    }

    private static void ask(LeaseTable table, String owner, long permits, List<String> won) throws Exception {
        try {
            if (table.owners("acquire_permit", "a", owner, permits).contains(owner)) {
                won.add(owner);
            }
        } catch (SqlFailure e) {
            // It waits for the row that is just being added, which cannot be skipped.
            assertThat(table.rows()).isEmpty();
        }
    }
}
