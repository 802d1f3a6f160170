package dev.dibs.contract.locks.process;

import static org.assertj.core.api.Assertions.assertThat;
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
        List<List<Long>> fences = turnsOf(Race.FAIR);
        // One of them may begin later than the others.
        long first = fences.stream().mapToLong(own -> own.get(0)).max().orElseThrow();
        List<Long> turns = fences.subList(0, KILLED).stream()
                .map(own -> own.stream().filter(fence -> fence >= first).count())
                .toList();
        assertThat(Collections.min(turns) * 3).as(turns.toString()).isGreaterThanOrEqualTo(Collections.max(turns));
    }

    /** The fences of each process. Counts entries and not seconds, so that a busy machine has as many turns. */
    private List<List<Long>> turnsOf(Race race) throws Exception {
        Ledger ledger = new Ledger(table);
        String name = fresh("race");
        ledger.make(pool());
        List<List<Long>> fences;
        try (Racers racers = racers(race, name)) {
            awaitEntries(ledger, 20);
            await().until(() -> race != Race.FAIR
                    || racers.all().stream().noneMatch(racer -> fences(racer).isEmpty()));
            kill(racers);
            long before = ledger.entries(pool());
            letItsLeasesPass(name);
            awaitEntries(ledger, before + inFullRun(60, 30));
            racers.send("stop");
            assertThat(racers.end("DONE")).hasSize(Racers.COUNT - 1);
            fences = racers.all().stream().map(ProcessRaceContract::fences).toList();
        }
        assertThat(ledger.checkOrder(pool())).isGreaterThanOrEqualTo(inFullRun(80, 50));
        ledger.drop(pool());
        return fences;
    }

    private static List<Long> fences(ChildJvm racer) {
        return racer.lines().stream()
                .filter(line -> line.startsWith("TURN "))
                .map(line -> Long.valueOf(line.substring("TURN ".length())))
                .toList();
    }

    private void awaitEntries(Ledger ledger, long count) {
        await("turns").atMost(Duration.ofMinutes(2)).until(() -> ledger.entries(pool()) >= count);
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

    @Test
    @Tag("slow")
    void neverMoreHoldersThanPermits() throws Exception {
        String name = fresh("permits");
        visits(Race.PERMIT, name);
        try (Dibs dibs = dibs()) {
            List<Permit> all = new ArrayList<>();
            for (int i = 0; i < Race.PERMITS; i++) {
                all.add(dibs.semaphore(name, Race.PERMITS).acquire(SOON));
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
                    .acquire(SOON)
                    .close();
        }
    }

    private void visits(Race race, String name) throws Exception {
        for (SharedLedger ledger : SharedLedger.of(race, table)) {
            ledger.make(pool());
        }
        try (Racers racers = racers(race, name)) {
            Thread.sleep(inFullRun(4_000, 1_000));
            kill(racers);
            for (SharedLedger ledger : SharedLedger.of(race, table)) {
                ledger.forget(pool(), KILLED);
            }
            letItsLeasesPass(name);
            Thread.sleep(inFullRun(3_000, 1_000));
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
