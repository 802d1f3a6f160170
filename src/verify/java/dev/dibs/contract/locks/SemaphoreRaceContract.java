package dev.dibs.contract.locks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Dibs;
import dev.dibs.Permit;
import dev.dibs.contract.support.Fixture;
import dev.dibs.database.FullRun;
import dev.dibs.process.ChildJvm;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Four processes share a semaphore, of which one is killed. */
@Tag("race")
class SemaphoreRaceContract extends Fixture {

    @Test
    @Tag("slow")
    @FullRun(except = "postgresql")
    void neverMoreThanThereArePermitsOverFourProcesses() throws Exception {
        int permits = 3;
        int times = 15;
        SlotLedger ledger = new SlotLedger("slots_" + COUNT.incrementAndGet());
        ledger.make(pool());
        List<ChildJvm> racers = new ArrayList<>();
        String name = fresh("permits");
        try {
            for (int i = 0; i < 4; i++) {
                racers.add(ChildJvm.start(
                        PermitRacerMain.class,
                        database().url(),
                        database().user(),
                        database().password(),
                        name,
                        ledger.table(),
                        String.valueOf(permits),
                        "PT4S",
                        String.valueOf(i == 0 ? 100_000 : times)));
            }
            for (ChildJvm racer : racers) {
                racer.awaitLine("READY"::equals, Duration.ofSeconds(60));
            }
            racers.forEach(racer -> racer.send("go"));
            for (int i = 0; i < 5; i++) {
                racers.get(0).awaitLine(line -> line.startsWith("IN "), Duration.ofMinutes(1));
            }
            racers.get(0).kill();
            for (ChildJvm racer : racers.subList(1, 4)) {
                String end = racer.awaitLine(
                        line -> line.startsWith("DONE") || line.startsWith("FAILED"), Duration.ofMinutes(3));
                assertThat(end).isEqualTo("DONE");
            }
            assertThat(ledger.entries(pool())).isGreaterThanOrEqualTo(3 * 2 * times + 5);
            try (Dibs dibs = dibs()) {
                List<Permit> all = new ArrayList<>();
                for (int i = 0; i < permits; i++) {
                    all.add(dibs.semaphore(name, permits).acquire(Duration.ofSeconds(20)));
                }
                assertThat(all).extracting(Permit::slot).containsExactlyInAnyOrder(0, 1, 2);
            }
        } finally {
            racers.forEach(ChildJvm::close);
        }
        ledger.drop(pool());
    }
}
