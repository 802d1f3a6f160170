package dev.dibs.contract.locks.process;

import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.Permit;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.Ledger;
import dev.dibs.contract.support.Racers;
import dev.dibs.database.FullRun;
import dev.dibs.process.ChildJvm;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Four processes race, of which one is killed: no two hold the same at a time, and the killed one keeps nothing. */
@Tag("race")
@FullRun
class ProcessRaceContract extends Fixture {
    private static final int KILLED = 3;

    /** Those for a lock alone, whose ledgers count turns. */
    private static final List<Race> TURNS = List.of(Race.LOCK, Race.FAIR);

    private final String table = "race_" + COUNT.incrementAndGet();
    private final List<SharedLedger> shared = Stream.of(Race.PERMIT, Race.READ_WRITE, Race.SEVERAL)
            .flatMap(race -> SharedLedger.of(race, race.in(table)).stream())
            .toList();

    /** All races at once: most of the time is the start of the processes. */
    @Test
    @Tag("slow")
    void nothingHasTwoHoldersAndAKilledProcessKeepsNothing() throws Exception {
        String name = fresh("race");
        for (Race race : TURNS) {
            turns(race).make(pool());
        }
        for (SharedLedger ledger : shared) {
            ledger.make(pool());
        }
        try (Racers racers = Racers.start(database(), RacerMain.class, name, table)) {
            racers.send("go");
            awaitTurns(0, 20);
            await().until(() ->
                    racers.all().stream().noneMatch(racer -> fences(racer).isEmpty()));
            kill(racers);
            for (SharedLedger ledger : shared) {
                ledger.forget(pool(), KILLED);
            }
            long before = turns(Race.LOCK).entries(pool());
            letItsLeasesPass(name);
            awaitTurns(before, 60);
            Thread.sleep(2_000);
            racers.send("stop");
            assertThat(racers.end("DONE")).hasSize(Racers.COUNT - 1);
            assertThatAllHaveNearlyAsManyTurns(
                    racers.all().stream().map(ProcessRaceContract::fences).toList());
        }
        for (Race race : TURNS) {
            assertThat(turns(race).checkOrder(pool())).as(race.name()).isGreaterThanOrEqualTo(80);
            turns(race).drop(pool());
        }
        for (SharedLedger ledger : shared) {
            assertThat(ledger.check(pool())).as("visits of " + ledger).isPositive();
            ledger.drop(pool());
        }
        assertAllIsFree(name);
    }

    private Ledger turns(Race race) {
        return new Ledger(race.in(table));
    }

    /** Counts entries and not seconds, so that a busy machine has as many turns. */
    private void awaitTurns(long before, int more) {
        for (Race race : TURNS) {
            await(race + " turns")
                    .atMost(Duration.ofMinutes(2))
                    .until(() -> turns(race).entries(pool()) >= before + more);
        }
    }

    /** The fences that the process had of the fair lock. */
    private static List<Long> fences(ChildJvm racer) {
        return racer.lines().stream()
                .filter(line -> line.startsWith(Race.FAIR + " "))
                .map(line -> Long.valueOf(line.split(" ", -1)[1]))
                .toList();
    }

    /** Each process has two threads that ask for the fair lock as soon as they can; by chance, the ratio would be about ten. */
    private static void assertThatAllHaveNearlyAsManyTurns(List<List<Long>> fences) {
        // One of them may begin later than the others.
        long first = fences.stream().mapToLong(own -> own.get(0)).max().orElseThrow();
        List<Long> turns = fences.subList(0, KILLED).stream()
                .map(own -> own.stream().filter(fence -> fence >= first).count())
                .toList();
        assertThat(Collections.min(turns) * 3).as(turns.toString()).isGreaterThanOrEqualTo(Collections.max(turns));
    }

    /** When this returns, a statement that was on its way has ended, too. */
    private static void kill(Racers racers) throws InterruptedException {
        racers.all().get(KILLED).kill();
        Thread.sleep(2_000);
    }

    /** The leases of the process that was killed are over, as by time: those of the others are as long, and must not be. */
    private void letItsLeasesPass(String name) throws SQLException {
        String holder = RacerMain.holder(name, KILLED);
        for (String table : List.of("dibs_lock", "dibs_permit", "dibs_gate", "dibs_reader", "dibs_ticket")) {
            for (String held : sql().texts("SELECT name FROM " + table + " WHERE holder = ?", holder)) {
                // Another process may have the row locked at this moment.
                await().ignoreExceptionsInstanceOf(SQLException.class)
                        .until(() -> sql().change(
                                                "UPDATE " + table + " SET held_until = 1 WHERE name = ? AND holder = ?"
                                                        + " AND owner IS NOT NULL",
                                                held,
                                                holder)
                                >= 0);
            }
        }
    }

    private void assertAllIsFree(String name) throws Exception {
        try (Dibs dibs = dibs()) {
            String permits = Race.PERMIT.in(name);
            List<Permit> all = new ArrayList<>();
            for (int i = 0; i < Race.PERMITS; i++) {
                all.add(dibs.semaphore(permits, Race.PERMITS).acquire(SOON));
            }
            assertThat(all).extracting(Permit::slot).containsExactlyInAnyOrder(0, 1, 2);
            dibs.lockAll(IntStream.range(0, Race.LOCKS)
                            .mapToObj(lock -> Race.SEVERAL.in(name) + lock)
                            .toList())
                    .acquire(SOON)
                    .close();
        }
    }
}
