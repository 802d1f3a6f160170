package dev.dibs.contract.locks.acquire;

import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.LeaseInfo;
import dev.dibs.Leases;
import dev.dibs.NotAcquiredException;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.database.Core;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullTest;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Several locks at once: all or none, without a deadlock whatever the order. */
@Core
class LockAllContract extends ContractFixture {

    /** In their order, which is that of their locks. */
    private List<String> names(int count) {
        String name = fresh("all");
        return IntStream.range(0, count).mapToObj(i -> name + "-" + i).toList();
    }

    @Test
    void allOrNone() {
        List<String> names = names(3);
        try (Leases leases = here().lockAll(names).tryAcquire().orElseThrow()) {
            leases.check();
            assertThat(leases.all()).extracting(Lease::name).isEqualTo(names);
            assertThat(there().admin().locks()).extracting(LeaseInfo::name).containsAll(names);
            for (String name : names) {
                assertThat(there().lock(name).tryAcquire()).isEmpty();
                assertThat(leases.get(name).isValid()).isTrue();
            }
        }
        try (Lease middle = there().lock(names.get(1)).tryAcquire().orElseThrow()) {
            assertThat(here().lockAll(names).tryAcquire()).isEmpty();
            assertThatThrownBy(() -> here().lockAll(names).acquire(Duration.ofMillis(30)))
                    .isInstanceOfSatisfying(
                            NotAcquiredException.class,
                            busy -> assertThat(busy.holder().orElseThrow().fencingToken())
                                    .isEqualTo(middle.fencingToken()));
            there().lock(names.get(0)).tryAcquire().orElseThrow().close();
            there().lock(names.get(2)).tryAcquire().orElseThrow().close();
        }
        assertThat(there().lockAll(names.subList(0, 2)).tryAcquire()).isPresent();
    }

    @Test
    void invalidListsAreErrors() {
        List<String> names = names(101);
        assertThatThrownBy(() -> here().lockAll(names)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> here().lockAll(List.of())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> here().lockAll(List.of("a", ""))).isInstanceOf(IllegalArgumentException.class);
        String name = names.get(0);
        try (Leases one = here().lockAll(List.of(name, name)).tryAcquire().orElseThrow()) {
            assertThat(one.all()).hasSize(1);
        }
        Leases many = here().lockAll(names.subList(0, 100)).tryAcquire().orElseThrow();
        assertThat(many.all()).hasSize(100);
        assertThatThrownBy(() -> many.get("other")).isInstanceOf(IllegalArgumentException.class);
    }

    private static void awaitRenewals(Dibs dibs, List<String> names) {
        Map<String, Instant> before = ends(dibs, names);
        assertThat(before).containsOnlyKeys(names);
        await().until(() -> ends(dibs, names).entrySet().stream()
                .allMatch(end -> end.getValue().isAfter(before.get(end.getKey()))));
    }

    private static Map<String, Instant> ends(Dibs dibs, List<String> names) {
        return dibs.admin().locks().stream()
                .filter(lock -> names.contains(lock.name()))
                .collect(Collectors.toMap(LeaseInfo::name, LeaseInfo::until));
    }

    @FullTest(except = "postgresql")
    void allAreRenewedAndEachCanBeLost() throws Exception {
        List<String> names = names(3);
        Dibs here = closing(oftenRenewed(pool()).build());
        Leases leases = here.lockAll(names).tryAcquire().orElseThrow();
        awaitRenewals(there(), names);
        leases.check();
        CompletableFuture<String> lost = new CompletableFuture<>();
        leases.onLost(loss -> lost.complete(loss.name()));
        there().admin().breakLock(names.get(1));
        assertThat(lost.get(60, TimeUnit.SECONDS)).isEqualTo(names.get(1));
        assertThat(leases.isValid()).isFalse();
        assertThat(leases.get(names.get(2)).isValid()).isTrue();
    }

    @FullTest(except = "postgresql")
    void anAnswerForAllThatWasLostIsFoundAgain() throws Exception {
        List<String> names = names(3);
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Dibs dibs = closing(oftenRenewed(faulty).build());
        there().lockAll(names).tryAcquire().orElseThrow().close();
        faulty.on(database().commitsLockAll()).time(1).loseAnswer();
        try (Leases leases = dibs.lockAll(names).tryAcquire().orElseThrow()) {
            assertThat(faulty.struck()).hasSize(1);
            awaitRenewals(there(), names);
            leases.check();
            assertThat(there().lock(names.get(2)).tryAcquire()).isEmpty();
        }
        // A release that meets a renewal is done in the background.
        assertThat(there().lockAll(names).tryAcquire(SOON)).isPresent();
    }

    @FullTest(except = "postgresql")
    void allAreGuardedTogether() throws Exception {
        List<String> names = names(2);
        Leases leases = here().lockAll(names)
                .leaseLength(Duration.ofSeconds(3))
                .tryAcquire()
                .orElseThrow();
        Connection business = transaction();
        leases.guard(business);
        // Beyond the lease, which some databases renew beside a guard.
        Thread.sleep(3200);
        assertNotAcquired(
                () -> there().lockAll(List.of(names.get(1), names.get(0))).tryAcquire());
        assertNotAcquired(() -> there().lock(names.get(1)).tryAcquire());
        business.commit();
    }

    @Test
    void oneOfSeveralFirstCallersGetsAllLocks() throws Exception {
        List<Leases> won = Collections.synchronizedList(new ArrayList<>());
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        Dibs dibs = dibs();
        int quick = 0;
        for (int round = 0; quick < 5; round++) {
            assertThat(round).as("slow rounds").isLessThan(60);
            int before = won.size();
            long start = System.nanoTime();
            List<String> names = names(4);
            List<Thread> threads = new ArrayList<>();
            for (int t = 0; t < 6; t++) {
                List<String> wanted = new ArrayList<>(names);
                Collections.shuffle(wanted, new Random(t));
                threads.add(new Thread(() -> {
                    try {
                        dibs.lockAll(wanted).tryAcquire().ifPresent(won::add);
                    } catch (RuntimeException e) {
                        failures.add(e);
                    }
                }));
            }
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join();
            }
            if (System.nanoTime() - start < TimeUnit.SECONDS.toNanos(1)) {
                quick++;
                assertThat(failures).isEmpty();
                assertThat(won).hasSize(before + 1);
            } else {
                // So slow a machine lets some collide for as long as they try, or all. The round does not count.
                assertThat(failures)
                        .allSatisfy(failure ->
                                assertThat(failure).message().containsAnyOf("kept colliding", "kept refusing it"));
                assertThat(won).hasSizeBetween(before, before + 1);
                failures.clear();
            }
        }
        assertThat(new HashSet<>(won)).allMatch(Leases::isValid);
    }
}
