package dev.dibs.contract.locks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Dibs;
import dev.dibs.contract.support.Fixture;
import dev.dibs.database.FullRun;
import dev.dibs.process.ChildJvm;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Several locks at once, over processes: no two processes have the same lock, and a killed process keeps none. */
@Tag("race")
class LockAllRaceContract extends Fixture {

    @Test
    @Tag("slow")
    @FullRun(except = "postgresql")
    void severalLocksOfFourProcessesOfWhichOneIsKilled() throws Exception {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            names.add("all_" + COUNT.incrementAndGet());
            new SharedLedger(names.get(i)).make(pool());
        }
        List<ChildJvm> racers = new ArrayList<>();
        try {
            for (int i = 0; i < 4; i++) {
                List<String> arguments = new ArrayList<>(List.of(
                        database().url(),
                        database().user(),
                        database().password(),
                        String.valueOf(i),
                        String.valueOf(inFullRun(9_000, 4_000))));
                arguments.addAll(names);
                racers.add(ChildJvm.start(LocksRacerMain.class, arguments.toArray(String[]::new)));
            }
            for (ChildJvm racer : racers) {
                racer.awaitLine("READY"::equals, Duration.ofSeconds(60));
            }
            racers.forEach(racer -> racer.send("go"));
            Thread.sleep(inFullRun(4_000, 1_500));
            racers.get(3).kill();
            for (String name : names) {
                new SharedLedger(name).forget(pool(), 3);
            }
            for (ChildJvm racer : racers.subList(0, 3)) {
                String done = racer.awaitLine(line -> line.startsWith("DONE"), Duration.ofMinutes(2));
                assertThat(Integer.parseInt(done.split(" ", -1)[1])).isPositive();
            }
        } finally {
            racers.forEach(ChildJvm::close);
        }
        try (Dibs dibs = dibs()) {
            dibs.lockAll(names).acquire(Duration.ofSeconds(20)).close();
        }
        for (String name : names) {
            SharedLedger ledger = new SharedLedger(name);
            ledger.check(pool());
            ledger.drop(pool());
        }
    }
}
