package dev.dibs.contract.locks.acquire;

import static org.awaitility.Awaitility.await;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.LeaseInfo;
import dev.dibs.NamedLock;
import dev.dibs.NotAcquiredException;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullTest;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Fair locks: first come, first served, for waiters of all instances. */
class FairContract extends ContractFixture {

    @Test
    void theFirstWaiterIsServedFirst() throws Exception {
        String name = fresh("fair");
        int waiters = 9;
        List<Integer> order = Collections.synchronizedList(new ArrayList<>());
        List<Thread> threads = new ArrayList<>();
        try (Dibs one = dibs();
                Dibs two = dibs();
                Dibs three = dibs()) {
            List<Dibs> all = List.of(one, two, three);
            Lease held = one.lock(name).fair().tryAcquire().orElseThrow();
            for (int i = 0; i < waiters; i++) {
                int number = i;
                Thread waiter = new Thread(() -> {
                    try (Lease lease = all.get(number % 3).lock(name).fair().acquire(Duration.ofSeconds(60))) {
                        order.add(number);
                        lease.check();
                    }
                });
                waiter.start();
                threads.add(waiter);
                awaitTickets(name, i + 1);
            }
            held.close();
            for (Thread thread : threads) {
                thread.join();
            }
        }
        assertThat(order).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8);
        assertThat(tickets(name)).as("places that are left").isZero();
    }

    @Test
    void waitersAreListedInTheirOrder() throws Exception {
        String name = fresh("queue");
        Dibs one = closing(builder(pool()).holder("one").build());
        Dibs two = closing(builder(pool()).holder("two").build());
        Lease held = one.lock(name).fair().tryAcquire().orElseThrow();
        List<CompletableFuture<Void>> waiters = new ArrayList<>();
        for (Dibs dibs : List.of(two, one)) {
            waiters.add(CompletableFuture.runAsync(
                    () -> dibs.lock(name).fair().acquire(Duration.ofSeconds(60)).close(),
                    task -> new Thread(task).start()));
            awaitTickets(name, waiters.size());
        }
        assertThat(waiters(two, name)).extracting(LeaseInfo::holder).containsExactly("two", "one");
        held.close();
        for (CompletableFuture<Void> waiter : waiters) {
            waiter.join();
        }
        assertThat(waiters(one, name)).isEmpty();
    }

    private static List<LeaseInfo> waiters(Dibs dibs, String name) {
        return dibs.admin().waiters().stream()
                .filter(waiter -> waiter.name().equals(name))
                .toList();
    }

    /** Like a thread that gets no processor for a while. */
    @Test
    void aLateAnswerKeepsTheWaitersPlace() throws Exception {
        String name = fresh("late");
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Dibs dibs = dibs(faulty);
        Lease held = dibs.lock(name).fair().tryAcquire().orElseThrow();
        List<Integer> order = Collections.synchronizedList(new ArrayList<>());
        List<CompletableFuture<Void>> waiters = new ArrayList<>();
        faulty.on(sql -> sql.contains("INSERT INTO dibs_ticket")).delayAfter(Duration.ofMillis(300));
        for (int number = 0; number < 2; number++) {
            int own = number;
            waiters.add(CompletableFuture.runAsync(() -> {
                try (Lease lease = dibs.lock(name).fair().acquire(Duration.ofSeconds(60))) {
                    order.add(own);
                    lease.check();
                }
            }));
            awaitTickets(name, number + 1);
        }
        held.close();
        for (CompletableFuture<Void> waiter : waiters) {
            waiter.get();
        }
        assertThat(order).containsExactly(0, 1);
    }

    @FullTest
    void aLaterCallerWaitsEvenIfTheLockIsFree() throws Exception {
        String name = fresh("behind");
        FaultyDataSource slow = new FaultyDataSource(pool());
        Dibs first = dibs(slow);
        Lease held = here().lock(name).fair().tryAcquire().orElseThrow();
        CompletableFuture<Lease> waiter =
                CompletableFuture.supplyAsync(() -> first.lock(name).fair().acquire(Duration.ofSeconds(60)));
        awaitTickets(name, 1);
        CountDownLatch gate = new CountDownLatch(1);
        slow.on(sql -> sql.contains("AS ahead")).holdBefore(gate);
        await().until(() -> !slow.struck().isEmpty());
        held.close();
        assertThat(here().lock(name).fair().tryAcquire()).isEmpty();
        assertThat(here().lock(name).fair().holdAtLeast(Duration.ofSeconds(1)).tryAcquire())
                .isEmpty();
        assertThat(here().lock(name).fair().leaseLength(Duration.ofSeconds(9)).tryAcquire())
                .isEmpty();
        assertThatThrownBy(() -> here().lock(name).fair().acquire(Duration.ofMillis(300)))
                .isInstanceOf(NotAcquiredException.class)
                .hasMessageContaining("another caller is acquiring it");
        assertThat(here().lock(name).tryAcquire())
                .as("who does not ask in turn")
                .hasValueSatisfying(Lease::close);
        run("UPDATE dibs_ticket SET held_until = held_until - 3600000 WHERE name = ?", name);
        assertThat(here().lock(name).fair().tryAcquire())
                .as("the place has expired")
                .hasValueSatisfying(Lease::close);
        gate.countDown();
        waiter.get().close();
    }

    @FullTest(except = "postgresql")
    void everyWaiterLearnsTheHolder() throws Exception {
        String name = fresh("named");
        Dibs dibs = dibs();
        Dibs other = closing(builder(pool()).holder("the other").build());
        Lease held = other.lock(name).tryAcquire().orElseThrow();
        Thread next = new Thread(() -> dibs.lock(name).fair().tryAcquire(Duration.ofSeconds(60)));
        next.start();
        awaitTickets(name, 1);
        assertThatThrownBy(() -> other.lock(name).fair().acquire(Duration.ofMillis(300)))
                .hasMessageContaining("held by the other");
        held.check();
        held.close();
        next.join();
    }

    @Test
    void aCallerThatGivesUpLeavesTheQueue() throws Exception {
        String name = fresh("gives-up");
        Lease held = there().lock(name).fair().tryAcquire().orElseThrow();
        assertThat(here().lock(name).fair().tryAcquire(Duration.ofMillis(400))).isEmpty();
        awaitTickets(name, 0);
        Thread waiter = new Thread(
                () -> assertThatThrownBy(() -> here().lock(name).fair().acquire(Duration.ofSeconds(60)))
                        .isInstanceOf(NotAcquiredException.class));
        waiter.start();
        awaitTickets(name, 1);
        // Not while it writes: an interrupt would close the file of an embedded H2.
        Thread.sleep(200);
        waiter.interrupt();
        waiter.join();
        awaitTickets(name, 0);
        held.check();
    }

    /** Somebody may wait there. */
    @Test
    void aQueueThatCannotBeReadIsNotBypassed() {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Dibs dibs = dibs(faulty);
        NamedLock lock = dibs.lock(fresh("unread")).fair();
        lock.tryAcquire().orElseThrow().close();
        faulty.on(sql -> sql.contains("AS ahead")).always().fail("08006", 0);
        assertThatThrownBy(lock::tryAcquire).isInstanceOf(DatabaseFailureException.class);
        faulty.heal();
        faulty.on(sql -> sql.contains("AS ahead")).fail("40001", 0);
        assertThat(lock.tryAcquire()).as("after a collision it looks again").isPresent();
        assertThat(faulty.struck()).isNotEmpty();
    }

    @FullTest(except = {"postgresql", "h2"})
    void aLostPlaceIsReplaced() throws Exception {
        String name = fresh("lost-place");
        Dibs dibs = closing(oftenRenewed(pool()).build());
        Lease held = here().lock(name).fair().tryAcquire().orElseThrow();
        CompletableFuture<Long> waiter = CompletableFuture.supplyAsync(() -> {
            try (Lease lease = dibs.lock(name).fair().acquire(Duration.ofSeconds(60))) {
                return lease.fencingToken();
            }
        });
        awaitTickets(name, 1);
        String owner = firstTicket(name);
        run("DELETE FROM dibs_ticket WHERE name = ?", name);
        await().until(() -> !List.of("", owner).contains(firstTicket(name)));
        held.close();
        assertThat(waiter.get()).isGreaterThan(held.fencingToken());
        awaitTickets(name, 0);
    }

    @FullTest(except = "postgresql")
    void aLostAnswerDelaysTheQueueBriefly() throws Exception {
        String name = fresh("lost-answer");
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Dibs dibs = closing(builder(faulty).leaseLength(LEASE).build());
        for (String verb : List.of("INSERT INTO dibs_ticket", "SELECT 0 AS ahead", "DELETE FROM dibs_ticket")) {
            Lease held = here().lock(name).fair().tryAcquire(SOON).orElseThrow();
            faulty.on(sql -> sql.contains(verb)).loseAnswer();
            CompletableFuture<Long> waiter = CompletableFuture.supplyAsync(() -> {
                try (Lease lease = dibs.lock(name).fair().acquire(Duration.ofSeconds(60))) {
                    return lease.fencingToken();
                }
            });
            Thread.sleep(300);
            held.close();
            assertThat(waiter.get()).as(verb).isGreaterThan(held.fencingToken());
            faulty.heal();
        }
        awaitTickets(name, 0);
    }

    private void run(String update, String name) throws SQLException {
        assertThat(sql().change(update, name)).isEqualTo(1);
    }

    private void awaitTickets(String name, int count) {
        await().pollInterval(Duration.ofMillis(5)).until(() -> tickets(name) == count);
    }

    private int tickets(String name) throws SQLException {
        return (int) sql().number("SELECT count(*) FROM dibs_ticket WHERE name = ?", name);
    }

    private String firstTicket(String name) throws SQLException {
        String owner = sql().text("SELECT min(owner) FROM dibs_ticket WHERE name = ?", name);
        return owner == null ? "" : owner;
    }
}
