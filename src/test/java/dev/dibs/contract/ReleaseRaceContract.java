package dev.dibs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.core.OwnerToken;
import dev.dibs.database.FullRun;
import dev.dibs.sql.Database;
import dev.dibs.sql.Params;
import dev.dibs.sql.SqlFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A lock is free when its lease has been closed, however many try to get it at that moment. */
@Tag("contract")
class ReleaseRaceContract extends Fixture {

    private static final int ROUNDS = 20;

    /**
     * They try without a look first, which is the hardest on the row. Whoever was at it when the lock was taken has been answered when it
     * is released.
     */
    @Test
    @FullRun(except = "postgresql")
    void aTryOnAHeldLockDoesNotHoldUpItsRelease() throws Exception {
        String name = fresh("closed");
        Database statements = asked(pool(), "dibs_");
        AtomicBoolean over = new AtomicBoolean();
        List<CompletableFuture<Integer>> others = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            others.add(CompletableFuture.supplyAsync(() -> tryFor(statements, name, over)));
        }
        int heldUp = 0;
        for (int round = 0; round < ROUNDS; round++) {
            String owner = OwnerToken.next();
            while (!takes(statements, name, owner)) {
                Thread.onSpinWait();
            }
            Thread.sleep(20);
            while (!releases(statements, name, owner)) {
                heldUp++;
            }
        }
        over.set(true);
        for (CompletableFuture<Integer> other : others) {
            assertThat(other.join()).as("tries").isGreaterThan(ROUNDS);
        }
        assertThat(heldUp).as("tries of a release in vain").isZero();
    }

    /** Returns how often it tried. */
    private static int tryFor(Database statements, String name, AtomicBoolean over) {
        int tries = 0;
        try {
            for (; !over.get(); tries++) {
                String owner = OwnerToken.next();
                boolean held = takes(statements, name, owner);
                while (held) {
                    held = !releases(statements, name, owner);
                }
            }
            return tries;
        } catch (SqlFailure e) {
            throw new IllegalStateException(e);
        }
    }

    private static Params params(String name, String owner) {
        return Params.of("name", name).with("owner", owner);
    }

    private static boolean releases(Database statements, String name, String owner) throws SqlFailure {
        return statements
                .call("release_lock", params(name, owner).with("hold", 0), LEASE)
                .hit();
    }

    private static boolean takes(Database statements, String name, String owner) throws SqlFailure {
        try {
            return statements
                    .call(
                            "acquire_lock",
                            params(name, owner).with("holder", "one of four").with("lease", 60_000),
                            LEASE,
                            row -> row.getString("owner"),
                            owner::equals)
                    .rows()
                    .contains(owner);
        } catch (SqlFailure e) {
            // Two first ones of a name may collide.
            assertThat(e.outcome()).isNotEqualTo(SqlFailure.Outcome.REFUSED);
            return false;
        }
    }
}
