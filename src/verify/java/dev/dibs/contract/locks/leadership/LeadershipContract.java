package dev.dibs.contract.locks.leadership;

import static org.awaitility.Awaitility.await;

import dev.dibs.Candidacy;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.LeaseInfo;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Ledger;
import dev.dibs.contract.support.Racers;
import dev.dibs.contract.support.Warnings;
import dev.dibs.database.CountingDataSource;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullRun;
import dev.dibs.database.FullTest;
import dev.dibs.process.ChildJvm;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One leads, another one succeeds: soon after a crash, at once when the leader steps down. */
class LeadershipContract extends ContractFixture {

    private static Candidacy campaign(Dibs dibs, String name, String who, Queue<String> events) {
        return dibs.leadership(name)
                .onElected(lease -> events.add(who + " leads"))
                .onStepDown(lease -> events.add(who + " ends"))
                .campaign();
    }

    @FullTest(except = "postgresql")
    void steppingDownHandsOverAtOnce() {
        String name = fresh("leader");
        Queue<String> events = new ConcurrentLinkedQueue<>();
        Candidacy first = campaign(here(), name, "first", events);
        await().until(() -> events.contains("first leads"));
        Candidacy second = campaign(there(), name, "second", events);
        await().pollDelay(Duration.ofMillis(600)).until(() -> !second.isLeader() && first.isLeader());
        assertThat(there().admin().locks()).extracting(LeaseInfo::name).contains(name);
        first.close();
        assertThat(first.isLeader()).isFalse();
        await().until(second::isLeader);
        await().untilAsserted(() -> assertThat(events).containsExactly("first leads", "first ends", "second leads"));
        first.close();
        second.close();
        assertThat(events).containsExactly("first leads", "first ends", "second leads", "second ends");
        assertThat(here().lock(name).tryAcquire()).isPresent();
    }

    @FullTest(except = "postgresql")
    void theNextLeaderWaitsForTheLastOnesWork() {
        String name = fresh("overlap");
        Queue<String> events = new ConcurrentLinkedQueue<>();
        Candidacy first = here().leadership(name)
                .onElected(lease -> {
                    events.add("first leads");
                    while (lease.isValid()) {
                        sleep(700);
                    }
                    events.add("its last step ends");
                })
                .onStepDown(lease -> events.add("first steps down"))
                .campaign();
        await().until(() -> !events.isEmpty());
        Candidacy second = campaign(there(), name, "second", events);
        first.close();
        assertThat(events).startsWith("first leads", "first steps down", "its last step ends");
        await().until(second::isLeader);
        await().untilAsserted(() -> assertThat(events)
                .containsExactly("first leads", "first steps down", "its last step ends", "second leads"));
    }

    private static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void theLeaderItselfMayStepDown() {
        String name = fresh("resigns");
        CompletableFuture<Candidacy> own = new CompletableFuture<>();
        CompletableFuture<Boolean> isFreeTooEarly = new CompletableFuture<>();
        Dibs there = dibs();
        own.complete(here().leadership(name)
                .onElected(lease -> {
                    own.join().close();
                    isFreeTooEarly.complete(there.lock(name).tryAcquire().isPresent());
                })
                .campaign());
        assertThat(isFreeTooEarly.orTimeout(60, TimeUnit.SECONDS).join()).isFalse();
        assertThat(there.lock(name).tryAcquire(SOON)).isPresent();
    }

    @Test
    void aDeposedLeaderIsNotifiedAndCampaignsAgain() {
        String name = fresh("deposed");
        Queue<String> events = new ConcurrentLinkedQueue<>();
        try (Dibs dibs = dibs();
                Candidacy candidacy = campaign(dibs, name, "it", events)) {
            await().until(() -> events.contains("it leads"));
            Lease lease = candidacy.lease().orElseThrow();
            dibs.admin().breakLock(name);
            await().untilAsserted(() -> assertThat(events).containsExactly("it leads", "it ends", "it leads"));
            assertThat(lease.isValid()).isFalse();
            assertThat(candidacy.lease().orElseThrow().fencingToken()).isGreaterThan(lease.fencingToken());
        }
        assertThat(events).hasSize(4);
    }

    @Test
    void aFailedLeaderLetsAnotherLead() {
        String name = fresh("failing");
        Queue<String> events = new ConcurrentLinkedQueue<>();
        Candidacy failing = here().leadership(name)
                .onElected(lease -> {
                    events.add("failing leads");
                    throw new IllegalStateException("planted");
                })
                .onStepDown(lease -> events.add("failing ends"))
                .campaign();
        await().until(() -> events.size() >= 2);
        Candidacy other = campaign(there(), name, "other", events);
        await().until(other::isLeader);
        assertThat(failing.isLeader()).isFalse();
        assertThat(events).startsWith("failing leads", "failing ends");
    }

    @Test
    void theEndOfADibsIsAStepDown() {
        String name = fresh("end");
        Queue<String> events = new ConcurrentLinkedQueue<>();
        Dibs here = dibs();
        Candidacy candidacy = campaign(here, name, "it", events);
        await().until(() -> events.contains("it leads"));
        here.close();
        assertThat(events).containsExactly("it leads", "it ends");
        assertThat(candidacy.isLeader()).isFalse();
        assertThat(there().lock(name).tryAcquire(SOON)).isPresent();
        assertThatThrownBy(() -> here.leadership(name).campaign()).isInstanceOf(IllegalStateException.class);
    }

    @Test
    @Tag("slow")
    @FullRun(except = "postgresql")
    void neverTwoLeadersOfFourProcesses() throws Exception {
        String name = fresh("four");
        // Nothing guards the ledger, so a standstill must not cost a leader its lease.
        Duration lease = Duration.ofSeconds(6);
        Ledger ledger = new Ledger("reigns_" + COUNT.incrementAndGet());
        ledger.make(pool());
        try (Racers racers = Racers.start(database(), LeaderMain.class, name, ledger.table(), lease.toString())) {
            List<ChildJvm> candidates = new ArrayList<>(racers.all());
            ChildJvm leader = awaitLeader(candidates, 0);
            awaitEntries(ledger, 10);
            leader.kill();
            candidates.remove(leader);
            ChildJvm second = awaitLeader(candidates, elected(leader));
            // By the database's clock alone, which a fence is.
            assertThat(elected(second) / 1000)
                    .isBetween(
                            takenOver(second),
                            takenOver(second) + lease.multipliedBy(3).toMillis());
            awaitEntries(ledger, 10);
            second.send("step down");
            second.awaitLine("CLOSED"::equals, LONG);
            candidates.remove(second);
            ChildJvm third = awaitLeader(candidates, elected(second));
            assertThat(third.lines())
                    .as("not by the end of a lease")
                    .contains("ELECTED " + elected(third) + " released");
            assertThat(second.lines()).contains("STOPPED " + elected(second));
            awaitEntries(ledger, 10);
            candidates.forEach(candidate -> assertThat(candidate.lines()).noneMatch(line -> line.startsWith("FAILED")));
        }
        // A leader writes many entries.
        assertThat(ledger.fences(pool())).hasSizeGreaterThan(20).isSorted();
        ledger.drop(pool());
    }

    private void awaitEntries(Ledger ledger, int more) throws SQLException {
        long before = ledger.entries(pool());
        await().until(() -> ledger.entries(pool()) >= before + more);
    }

    @FullTest(except = "postgresql")
    void anOutageThatComesAndGoesIsOneWarning() throws Exception {
        String name = fresh("flapping");
        CountingDataSource counting = new CountingDataSource(pool());
        FaultyDataSource faulty = new FaultyDataSource(counting);
        Dibs here = dibs(faulty);
        Lease held = there().lock(name).tryAcquire().orElseThrow();
        Warnings warnings = closing(new Warnings("The candidacy for '" + name + "' goes on"));
        Candidacy candidacy = campaign(here, name, "first", new ConcurrentLinkedQueue<>());
        for (int outage = 0; outage < 2; outage++) {
            int before = faulty.refused().size();
            faulty.exhaust(Duration.ofMillis(10));
            // The second look that fails comes after the warning for the first one.
            await().until(() -> faulty.refused().size() >= before + 2);
            faulty.heal();
            int looks = counting.statements().size();
            await().until(() -> counting.statements().size() >= looks + 2);
        }
        assertThat(warnings.heard()).as("the second outage is one, too").hasSize(1);
        assertThat(candidacy.isLeader()).isFalse();
        held.check();
    }

    private static long elected(ChildJvm candidate) {
        return candidate.lines().stream()
                .filter(line -> line.startsWith("ELECTED "))
                .mapToLong(line -> Long.parseLong(line.split(" ", -1)[1]))
                .max()
                .orElse(0);
    }

    /** When the lease ended that it took over. */
    private static long takenOver(ChildJvm candidate) {
        String line = candidate.lines().stream()
                .filter(said -> said.startsWith("ELECTED " + elected(candidate) + " takeover "))
                .findAny()
                .orElseThrow();
        return Long.parseLong(line.substring(line.lastIndexOf(' ') + 1));
    }

    private static ChildJvm awaitLeader(List<ChildJvm> candidates, long after) {
        await().until(() -> candidates.stream().anyMatch(candidate -> elected(candidate) > after));
        List<ChildJvm> leaders = candidates.stream()
                .filter(candidate -> elected(candidate) > after)
                .toList();
        assertThat(leaders).hasSize(1);
        return leaders.get(0);
    }
}
