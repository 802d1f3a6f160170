package dev.dibs.contract.locks.acquire;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.Leases;
import dev.dibs.contract.support.BetweenSteps;
import dev.dibs.contract.support.BetweenSteps.Scene;
import dev.dibs.contract.support.Fixture;
import dev.dibs.database.FullTest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;

/**
 * Another caller acquires one of several locks between any two steps of a caller that asks for all of them: the latter gets all or none.
 */
@Tag("steps")
class LockAllBetweenStepsContract extends Fixture {

    @FullTest(except = "postgresql")
    void betweenStepsAnotherCallerTakesOneOfSeveralLocks() throws Exception {
        assumeRowLocks();
        BetweenSteps steps = closing(new BetweenSteps(this));
        Dibs mine = dibs(steps.stepped);
        Dibs theirs = dibs(steps.impatient);
        for (boolean known : new boolean[] {true, false}) {
            steps.each(known ? "known" : "new", () -> {
                List<String> names = List.of(fresh("a"), fresh("b"));
                if (known) {
                    theirs.lockAll(names).tryAcquire().orElseThrow().close();
                }
                List<Leases> all = new ArrayList<>();
                List<Lease> one = new ArrayList<>();
                return new Scene(
                        () -> mine.lockAll(names).tryAcquire().ifPresent(all::add),
                        () -> theirs.lock(names.get(1)).tryAcquire().ifPresent(one::add),
                        () -> {
                            assertThat(all.size() + one.size()).isEqualTo(1);
                            assertThat(theirs.lock(names.get(0)).tryAcquire().isPresent())
                                    .isEqualTo(all.isEmpty());
                            all.forEach(Leases::check);
                            all.forEach(Leases::close);
                            one.forEach(Lease::check);
                        });
            });
        }
    }
}
