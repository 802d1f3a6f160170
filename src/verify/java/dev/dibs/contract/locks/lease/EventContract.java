package dev.dibs.contract.locks.lease;

import static org.awaitility.Awaitility.await;

import dev.dibs.AcquireEnd;
import dev.dibs.AcquireEnd.Outcome;
import dev.dibs.Candidacy;
import dev.dibs.Dibs;
import dev.dibs.DibsListener;
import dev.dibs.Lease;
import dev.dibs.Lease.Takeover;
import dev.dibs.LeaseInfo;
import dev.dibs.LeaseLostException;
import dev.dibs.NotAcquiredException;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullTest;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.Query;
import javax.management.QueryExp;
import org.junit.jupiter.api.Test;

/** The events of a listener and the statistics over JMX. */
class EventContract extends ContractFixture {

    /** For a renewal that comes late: the first one comes after two seconds. */
    private static final Duration LATE = Duration.ofSeconds(6);

    /** Records its events. */
    static final class Diary implements DibsListener {
        final List<String> entries = new CopyOnWriteArrayList<>();
        final List<AcquireEnd> ends = new CopyOnWriteArrayList<>();
        final List<Duration> held = new CopyOnWriteArrayList<>();

        @Override
        public void acquired(Lease lease) {
            entries.add("acquired " + lease.name());
        }

        @Override
        public void busy(String name, Optional<LeaseInfo> holder) {
            entries.add("busy " + name + " " + holder.map(LeaseInfo::holder).orElse("?"));
        }

        @Override
        public void takeover(Lease lease, Takeover takeover) {
            entries.add("takeover " + lease.name() + " from " + takeover.from().holder());
        }

        @Override
        public void lost(Lease lease, LeaseLostException reason, Duration time) {
            entries.add("lost " + lease.name());
            held.add(time);
        }

        @Override
        public Consumer<AcquireEnd> acquiring(String name) {
            entries.add("acquiring " + name);
            Thread caller = Thread.currentThread();
            return end -> {
                assertThat(Thread.currentThread()).isEqualTo(caller);
                ends.add(end);
                entries.add(end.outcome() + " " + name);
            };
        }

        @Override
        public void renewalFailed(int leases, Exception cause) {
            entries.add("renewalFailed " + leases);
            throw new IllegalStateException("a listener's mistake is its own");
        }

        @Override
        public void released(Lease lease, Duration time) {
            entries.add("released " + lease.name());
            held.add(time);
        }
    }

    @FullTest(except = "postgresql")
    void aListenerHearsEachEvent() throws Exception {
        String name = fresh("events");
        Diary here = new Diary();
        Diary there = new Diary();
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Dibs first = closing(oftenRenewed(faulty).holder("first").listener(here).build());
        Dibs second = closing(builder(pool()).holder("second").listener(there).build());
        first.lock(name).tryAcquire().orElseThrow().close();
        Lease lease = first.lock(name).tryAcquire().orElseThrow();
        second.lock(name).tryAcquire();
        faulty.on(sql -> true).always().fail("08006", 0);
        await().until(() -> here.entries.contains("renewalFailed 1"));
        letItPass("dibs_lock", name);
        Lease successor = second.lock(name).acquire(SOON);
        faulty.heal();
        await().until(() -> here.entries.contains("lost " + name));
        lease.close();
        successor.close();
        assertThat(here.entries)
                .startsWith(
                        "acquiring " + name,
                        "acquired " + name,
                        "ACQUIRED " + name,
                        "released " + name,
                        "acquiring " + name,
                        "acquired " + name)
                .contains("renewalFailed 1");
        assertThat(there.entries)
                .containsExactly(
                        "acquiring " + name,
                        "busy " + name + " first",
                        "BUSY " + name,
                        "acquiring " + name,
                        "acquired " + name,
                        "takeover " + name + " from first",
                        "ACQUIRED " + name,
                        "released " + name);
    }

    @Test
    void eachCallThatAcquiresEndsOnceWithItsOutcomeAndItsTime() throws Exception {
        String name = fresh("calls");
        Duration wait = Duration.ofMillis(200);
        Diary diary = new Diary();
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Dibs here = closing(builder(faulty).listener(diary).build());
        Dibs there = closing(builder(pool()).holder("rival").build());
        Lease rival = there.lock(name).acquire(Duration.ZERO);
        long began = System.nanoTime();
        assertThat(here.lock(name).tryAcquire(wait)).isEmpty();
        Duration elapsed = Duration.ofNanos(System.nanoTime() - began);
        AcquireEnd busy = diary.ends.get(0);
        assertThat(busy.outcome()).isEqualTo(Outcome.BUSY);
        assertThat(busy.waited()).isBetween(wait, elapsed);
        assertThat(busy.holder()).map(LeaseInfo::holder).hasValue("rival");

        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> here.lock(name).acquire(LONG)).isInstanceOf(NotAcquiredException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(diary.ends.get(1).outcome()).isEqualTo(Outcome.INTERRUPTED);
        rival.close();

        faulty.on(sql -> true).here().always().fail("42501", 0);
        Throwable thrown = catchThrowable(() -> here.lock(name).acquire(Duration.ZERO));
        faulty.heal();
        assertThat(diary.ends.get(2).outcome()).isEqualTo(Outcome.FAILED);
        assertThat(diary.ends.get(2).failure()).containsSame(thrown);

        here.lock(name).fair().acquire(LONG).close();
        here.semaphore(name, 2).acquire(LONG).close();
        here.readWriteLock(name).read().acquire(LONG).close();
        here.readWriteLock(name).write().acquire(LONG).close();
        here.lockAll(List.of(name + "b", name + "a")).acquire(LONG).close();
        assertThat(diary.ends.subList(3, diary.ends.size()))
                .hasSize(5)
                .allSatisfy(end -> assertThat(end.outcome()).isEqualTo(Outcome.ACQUIRED));
        assertThat(diary.entries).contains("acquiring " + name + "a").doesNotContain("acquiring " + name + "b");
    }

    @Test
    void aLeaseTellsHowLongItWasHeld() throws Exception {
        String name = fresh("held");
        Duration work = Duration.ofMillis(100);
        Diary first = new Diary();
        Diary second = new Diary();
        Dibs dibs = closing(builder(pool()).listener(first).listener(second).build());
        long began = System.nanoTime();
        Lease released = dibs.lock(name, 1).acquire(LONG);
        Thread.sleep(work.toMillis());
        released.close();
        Lease broken = dibs.lock(name, 2).acquire(LONG);
        Thread.sleep(work.toMillis());
        assertThat(dibs.admin().breakLock(broken.name())).isPresent();
        assertThat(broken.release()).isFalse();
        Duration elapsed = Duration.ofNanos(System.nanoTime() - began);
        await().until(() -> first.held.size() == 2 && second.held.size() == 2);
        assertThat(first.held).allSatisfy(held -> assertThat(held).isBetween(work, elapsed));
        assertThat(second.entries)
                .as("each listener has each event")
                .containsExactlyElementsOf(first.entries)
                .contains("released " + released.name(), "lost " + broken.name());
    }

    /** A candidate looks several times a second: that is no call that was busy. */
    @FullTest(except = "postgresql")
    void aCandidateThatWaitsIsNotBusyAgainAndAgain() {
        String name = fresh("candidate");
        Diary diary = new Diary();
        Dibs here = closing(builder(pool()).listener(diary).build());
        Lease rival = there().lock(name).acquire(LONG);
        Candidacy candidacy = here.leadership(name).campaign();
        rival.close();
        await().until(candidacy::isLeader);
        assertThat(diary.entries).containsExactly("acquired " + name);
        assertThat(here.admin().statistics().getBusy()).isZero();
    }

    /** If the machine stands still meanwhile, the first renewal may be late, too, or the second one too late: then once more. */
    @FullTest
    void aRenewalThatNearlyCameTooLateIsCounted() {
        assertThat(IntStream.range(0, 4).anyMatch(time -> oneOfTwoRenewalsIsCounted()))
                .isTrue();
    }

    private boolean oneOfTwoRenewalsIsCounted() {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        try (Dibs dibs = builder(faulty).leaseLength(LATE).build();
                Lease lease = dibs.lock(fresh("late")).acquire(LONG)) {
            boolean inTime =
                    LossContract.isRenewed(lease) && dibs.admin().statistics().getLateRenewals() == 0;
            faulty.on(sql -> true).always().fail("08006", 0);
            await().until(() -> lease.remaining().compareTo(LATE.dividedBy(3).minusMillis(100)) < 0);
            faulty.heal();
            return inTime
                    && LossContract.isRenewed(lease)
                    && dibs.admin().statistics().getLateRenewals() == 1;
        }
    }

    @Test
    void jmxShowsTheSameStatistics() throws Exception {
        String name = fresh("jmx");
        String holder = fresh("jmx holder");
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName bean = null;
        try (Dibs dibs = builder(pool()).holder(holder).build()) {
            Lease held = dibs.lock(name, 1).tryAcquire().orElseThrow();
            dibs.lock(name, 1).tryAcquire();
            dibs.lock(name, 2).tryAcquire().orElseThrow().close();
            dibs.lock(name, 3).<RuntimeException>inTransaction(pool(), tx -> {});
            // Filtered by the server: the instance of another test may end between the list and a look at it.
            QueryExp ours = Query.eq(Query.attr("Holder"), Query.value(holder));
            Set<ObjectName> beans = server.queryNames(new ObjectName("dev.dibs:type=Dibs,*"), ours);
            assertThat(beans).hasSize(1);
            bean = beans.iterator().next();
            assertThat(server.getAttribute(bean, "Held")).isEqualTo(1);
            assertThat(server.getAttribute(bean, "Acquired")).isEqualTo(2L);
            assertThat(server.getAttribute(bean, "Busy")).isEqualTo(1L);
            assertThat(server.getAttribute(bean, "Released")).isEqualTo(1L);
            assertThat(server.getAttribute(bean, "LockedTransactions")).isEqualTo(1L);
            assertThat(server.getAttribute(bean, "Lost")).isEqualTo(0L);
            assertThat(server.getAttribute(bean, "LateRenewals")).isEqualTo(0L);
            assertThat(server.getAttribute(bean, "Dialect"))
                    .isEqualTo(dibs.dialect().name());
            held.close();
        }
        assertThat(server.isRegistered(bean)).isFalse();
    }

    @Test
    void withoutJmxNoStatisticsAreThere() throws Exception {
        String holder = fresh("jmx off");
        QueryExp ours = Query.eq(Query.attr("Holder"), Query.value(holder));
        ObjectName all = new ObjectName("dev.dibs:type=Dibs,*");
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        Dibs dibs = closing(builder(pool()).holder(holder).jmx(false).build());
        dibs.lock(fresh("jmx")).tryAcquire().orElseThrow().close();
        assertThat(server.queryNames(all, ours)).isEmpty();
    }
}
