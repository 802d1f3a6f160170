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

/** Readers and writers never hold the lock at the same time, and a writer gets its turn. */
@Tag("race")
class ReadWriteRaceContract extends Fixture {

    @Test
    @FullRun(except = "postgresql")
    void readersAndWritersOfOneProcess() throws Exception {
        SharedLedger ledger = new SharedLedger("shared_" + COUNT.incrementAndGet());
        ledger.make(pool());
        String name = fresh("shared-race");
        try (Dibs dibs = builder(pool()).leaseLength(Duration.ofSeconds(3)).build()) {
            int[] done = ReadWriteRacerMain.race(pool(), dibs, name, ledger, 1, 3_000);
            assertThat(done[0]).as("reads").isGreaterThan(2);
            assertThat(done[1]).as("writes").isGreaterThan(2);
        }
        ledger.check(pool());
        ledger.drop(pool());
    }

    @Test
    @Tag("slow")
    @FullRun(except = "postgresql")
    void readersAndWritersOfFourProcessesOfWhichOneIsKilled() throws Exception {
        SharedLedger ledger = new SharedLedger("shared_" + COUNT.incrementAndGet());
        ledger.make(pool());
        String name = fresh("shared-processes");
        List<ChildJvm> racers = new ArrayList<>();
        try {
            for (int i = 0; i < 4; i++) {
                racers.add(ChildJvm.start(
                        ReadWriteRacerMain.class,
                        database().url(),
                        database().user(),
                        database().password(),
                        name,
                        ledger.table(),
                        String.valueOf(i),
                        String.valueOf(inFullRun(9_000, 4_000))));
            }
            for (ChildJvm racer : racers) {
                racer.awaitLine("READY"::equals, Duration.ofSeconds(60));
            }
            racers.forEach(racer -> racer.send("go"));
            Thread.sleep(inFullRun(4_000, 1_500));
            racers.get(3).kill();
            ledger.forget(pool(), 3);
            for (ChildJvm racer : racers.subList(0, 3)) {
                String done = racer.awaitLine(line -> line.startsWith("DONE"), Duration.ofMinutes(3));
                assertThat(racer.lines()).noneMatch(line -> line.startsWith("FAILED"));
                assertThat(done).as("reads, writes").matches("DONE [1-9]\\d* [1-9]\\d*");
            }
        } finally {
            racers.forEach(ChildJvm::close);
        }
        ledger.check(pool());
        ledger.drop(pool());
    }
}
