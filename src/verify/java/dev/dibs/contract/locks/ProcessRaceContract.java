package dev.dibs.contract.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.Permit;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.Ledger;
import dev.dibs.contract.support.Racers;
import dev.dibs.database.FullRun;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Four processes race, of which one is killed: no two hold the same at a time, and the killed one keeps nothing. */
@Tag("race")
@FullRun(except = "postgresql")
class ProcessRaceContract extends Fixture {
    private static final int KILLED = 3;

    private final String table = "race_" + COUNT.incrementAndGet();

    @Test
    @Tag("slow")
    void lockHasOneHolder() throws Exception {
        turnsOf(Race.LOCK);
    }

    /** Each process has two threads that return as soon as they can; by chance, the ratio would be about ten. */
    @Test
    @Tag("slow")
    void fairLockGivesAllNearlyAsManyTurns() throws Exception {
        List<Integer> turns = turnsOf(Race.FAIR);
        assertThat(Collections.min(turns) * 3).as(turns.toString()).isGreaterThanOrEqualTo(Collections.max(turns));
    }

    /** Counts entries and not seconds, so that a busy machine has as many turns. */
    private List<Integer> turnsOf(Race race) throws Exception {
        Ledger ledger = new Ledger(table);
        ledger.make(pool());
        List<Integer> turns;
        try (Racers racers = racers(race, fresh("race"))) {
            awaitEntries(ledger, 20);
            racers.all().get(KILLED).kill();
            awaitEntries(ledger, inFullRun(80, 50));
            racers.send("stop");
            turns = racers.end("DONE").stream().map(Integer::valueOf).toList();
        }
        assertThat(ledger.checkOrder(pool())).isGreaterThanOrEqualTo(inFullRun(80, 50));
        ledger.drop(pool());
        return turns;
    }

    private void awaitEntries(Ledger ledger, int count) {
        await("turns").atMost(Duration.ofMinutes(2)).until(() -> ledger.entries(pool()) >= count);
    }

    @Test
    @Tag("slow")
    void neverMoreHoldersThanPermits() throws Exception {
        String name = fresh("permits");
        visits(Race.PERMIT, name);
        try (Dibs dibs = dibs()) {
            List<Permit> all = new ArrayList<>();
            for (int i = 0; i < Race.PERMITS; i++) {
                all.add(dibs.semaphore(name, Race.PERMITS).acquire(Duration.ofSeconds(20)));
            }
            assertThat(all).extracting(Permit::slot).containsExactlyInAnyOrder(0, 1, 2);
        }
    }

    @Test
    @Tag("slow")
    void writerIsAlone() throws Exception {
        visits(Race.READ_WRITE, fresh("shared"));
    }

    @Test
    @Tag("slow")
    void severalLocksHaveOneHolder() throws Exception {
        String name = fresh("all");
        visits(Race.SEVERAL, name);
        try (Dibs dibs = dibs()) {
            dibs.lockAll(IntStream.range(0, Race.LOCKS)
                            .mapToObj(lock -> name + lock)
                            .toList())
                    .acquire(Duration.ofSeconds(20))
                    .close();
        }
    }

    private void visits(Race race, String name) throws Exception {
        for (SharedLedger ledger : SharedLedger.of(race, table)) {
            ledger.make(pool());
        }
        try (Racers racers = racers(race, name)) {
            Thread.sleep(inFullRun(4_000, 1_500));
            racers.all().get(KILLED).kill();
            for (SharedLedger ledger : SharedLedger.of(race, table)) {
                ledger.forget(pool(), KILLED);
            }
            Thread.sleep(inFullRun(5_000, 2_500));
            racers.send("stop");
            assertThat(racers.end("DONE")).hasSize(Racers.COUNT - 1);
        }
        for (SharedLedger ledger : SharedLedger.of(race, table)) {
            assertThat(ledger.check(pool())).as("visits").isPositive();
            ledger.drop(pool());
        }
    }

    private Racers racers(Race race, String name) throws InterruptedException {
        Racers racers = Racers.start(database(), RacerMain.class, race.name(), name, table);
        racers.send("go");
        return racers;
    }
}
