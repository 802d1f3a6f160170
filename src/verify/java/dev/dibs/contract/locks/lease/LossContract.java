package dev.dibs.contract.locks.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.DibsListener;
import dev.dibs.Lease;
import dev.dibs.Lease.Takeover;
import dev.dibs.LeaseInfo;
import dev.dibs.LeaseLostException;
import dev.dibs.LeaseWork;
import dev.dibs.contract.support.Crowd;
import dev.dibs.contract.support.Fixture;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullRun;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Promises 3 and 4: a stale holder touches nothing, and knows before anybody else can have the lock. */
@Tag("contract")
public class LossContract extends Fixture {

    static final Duration SHORT = Duration.ofMillis(1500);

    /** Until the holder knows of one. */
    static void awaitRenewal(Lease lease) {
        AtomicReference<Duration> last = new AtomicReference<>(lease.remaining());
        await().until(() -> {
            Duration now = lease.remaining();
            return now.compareTo(last.getAndSet(now)) > 0;
        });
    }

    @Test
    @FullRun(except = "postgresql")
    void aLeaseIsRenewedBeforeItIsOver() {
        String name = fresh("renewed");
        try (Dibs here = oftenRenewed(pool()).build();
                Dibs there = dibs();
                Lease lease = here.lock(name).tryAcquire().orElseThrow()) {
            Instant until = heldUntil(there, name);
            awaitRenewal(lease);
            await().until(() -> heldUntil(there, name).isAfter(until));
            lease.check();
            assertThat(lease.remaining()).isPositive().isLessThan(LONG);
            assertThat(there.lock(name).tryAcquire()).isEmpty();
        }
    }

    /** The same, or until the lease is over: returns whether it was renewed. */
    static boolean isRenewed(Lease lease) {
        AtomicReference<Duration> last = new AtomicReference<>(lease.remaining());
        AtomicBoolean renewed = new AtomicBoolean();
        await().until(() -> {
            Duration now = lease.remaining();
            renewed.set(now.compareTo(last.getAndSet(now)) > 0);
            return renewed.get() || now.isZero();
        });
        return renewed.get();
    }

    /** It tells how long the lease had expired, by the database's clock alone: a fence is that clock in microseconds. */
    public static void assertStale(Takeover takeover, Lease successor) {
        long acquired = successor.fencingToken() / 1000;
        long expired = acquired - takeover.from().until().toEpochMilli();
        // Some databases read the clock once for each column.
        assertThat(takeover.stale())
                .isGreaterThanOrEqualTo(Duration.ZERO)
                .isCloseTo(Duration.ofMillis(expired), Duration.ofSeconds(1));
    }

    @Test
    @FullRun(except = "postgresql")
    void theHolderKnowsBeforeTheLockCanBeTaken() throws Exception {
        String name = fresh("loss");
        FaultyDataSource unplugged = new FaultyDataSource(pool());
        CompletableFuture<LeaseLostException> lost = new CompletableFuture<>();
        try (Dibs here = builder(unplugged).leaseLength(SHORT).build();
                Dibs there = dibs()) {
            unplugged
                    .on(sql -> Thread.currentThread().getName().matches("dibs-(heartbeat|maintenance)"))
                    .always()
                    .fail("08006", 0);
            Lease lease = here.lock(name).acquire(SOON);
            lease.onLost(lost::complete);
            unplugged.on(sql -> true).always().fail("08006", 0);
            Lease successor = there.lock(name).acquire(SOON);
            assertThat(lease.isValid()).isFalse();
            assertThat(lost.get(60, TimeUnit.SECONDS)).as("notified").hasMessageContaining(name);
            assertThat(successor.fencingToken()).isGreaterThan(lease.fencingToken());
            Takeover takeover = successor.takeover().orElseThrow();
            assertThat(takeover.from().fencingToken()).isEqualTo(lease.fencingToken());
            assertStale(takeover, successor);
            unplugged.heal();
            assertThatThrownBy(lease::check)
                    .isInstanceOf(LeaseLostException.class)
                    .hasMessageContaining(name);
            assertThat(lease.remaining()).isZero();
            successor.close();
        }
    }

    @Test
    @FullRun(except = "postgresql")
    void aStaleHolderCanNeitherRenewNorReleaseNorGuard() throws Exception {
        String name = fresh("stale");
        FaultyDataSource slow = new FaultyDataSource(pool());
        try (Dibs here = builder(slow).leaseLength(SHORT).build();
                Dibs there = dibs();
                Connection connection = pool().getConnection()) {
            Lease stale = here.lock(name).acquire(SOON);
            slow.on(sql -> true).always().fail("08006", 0);
            try (Lease successor = there.lock(name).acquire(SOON)) {
                slow.heal();
                connection.setAutoCommit(false);
                assertThatThrownBy(() -> stale.guard(connection)).isInstanceOf(LeaseLostException.class);
                connection.rollback();
                stale.close();
                Thread.sleep(SHORT.toMillis());
                successor.check();
                assertThat(here.lock(name).leaseLength(LONG).tryAcquire())
                        .as("its release must not free the successor's")
                        .isEmpty();
            } finally {
                connection.setAutoCommit(true);
            }
        }
    }

    @Test
    @FullRun(except = "postgresql")
    void aBriefOutageOfRenewalsLosesNothing() throws Exception {
        String name = fresh("outage");
        FaultyDataSource flaky = new FaultyDataSource(pool());
        AtomicInteger losses = new AtomicInteger();
        try (Dibs here = oftenRenewed(flaky).build();
                Dibs there = dibs();
                Lease lease = here.lock(name).tryAcquire().orElseThrow()) {
            lease.onLost(lost -> losses.incrementAndGet());
            Instant until = heldUntil(there, name);
            flaky.on(sql -> true).always().fail("08006", 0);
            await().until(() -> !flaky.struck().isEmpty());
            flaky.heal();
            await().until(() -> heldUntil(there, name).isAfter(until));
            lease.check();
            assertThat(losses).hasValue(0);
        }
    }

    /** A renewal locks the row for a moment only. */
    @Test
    void aBreakWaitsForAMomentaryRowLock() throws Exception {
        assumeRowLocks();
        String name = fresh("moment");
        FaultyDataSource watched = new FaultyDataSource(pool());
        AtomicInteger breaks = new AtomicInteger();
        try (Dibs here = dibs();
                Dibs there = dibs(watched);
                Connection other = pool().getConnection()) {
            assertThat(here.lock(name).tryAcquire()).isPresent();
            assertThat(Crowd.lockRow(other, name)).isEqualTo(1);
            watched.on(sql -> {
                        if (sql.contains("owner = NULL") && breaks.incrementAndGet() == 3) {
                            commit(other);
                        }
                        return false;
                    })
                    .delayBefore(Duration.ZERO);
            assertThat(there.admin().breakLock(name)).isPresent();
            assertThat(breaks).hasValue(3);
            other.setAutoCommit(true);
        }
    }

    /** Nor does it keep other leases of the same batch from being renewed, and it is not lost. */
    @Test
    @FullRun(except = "postgresql")
    void aLockedRowDelaysNoOtherRenewal() throws Exception {
        assumeRowLocks();
        List<String> names = List.of(fresh("other"), fresh("locked"), fresh("other"));
        AtomicInteger failures = new AtomicInteger();
        Queue<String> lost = new ConcurrentLinkedQueue<>();
        DibsListener listener = new DibsListener() {
            @Override
            public void lost(Lease lease, LeaseLostException reason, Duration held) {
                lost.add(lease.name());
            }

            @Override
            public void renewalFailed(int leases, Exception cause) {
                failures.incrementAndGet();
            }
        };
        try (Dibs here = oftenRenewed(pool()).listener(listener).build();
                Dibs there = dibs();
                Connection other = pool().getConnection()) {
            for (String name : names) {
                assertThat(here.lock(name).tryAcquire()).isPresent();
            }
            assertThat(Crowd.lockRow(other, names.get(1))).isEqualTo(1);
            Instant locked = heldUntil(there, names.get(1));
            List<String> others = List.of(names.get(0), names.get(2));
            List<Instant> before = List.of(heldUntil(there, others.get(0)), heldUntil(there, others.get(1)));
            for (int i = 0; i < others.size(); i++) {
                String name = others.get(i);
                Instant until = before.get(i);
                await().until(() -> heldUntil(there, name).isAfter(until));
            }
            assertThat(heldUntil(there, names.get(1))).isEqualTo(locked);
            assertThat(lost).isEmpty();
            assertThat(failures).as("no failed renewal is reported").hasValue(0);
            other.commit();
            other.setAutoCommit(true);
            there.admin().breakLock(names.get(0));
            await().until(() -> heldUntil(there, names.get(1)).isAfter(locked));
            await().untilAsserted(() -> assertThat(lost).as("of one in a batch").containsExactly(names.get(0)));
        }
    }

    private static void commit(Connection connection) {
        try {
            connection.commit();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    @FullRun(except = {"postgresql", "h2"})
    void breakingALockIsNoticedByItsHolder() {
        String name = fresh("broken");
        try (Dibs here = oftenRenewed(pool()).build();
                Dibs there = dibs()) {
            Lease lease = here.lock(name).tryAcquire().orElseThrow();
            assertThat(there.admin().breakLock(name).orElseThrow().fencingToken())
                    .isEqualTo(lease.fencingToken());
            assertThat(there.admin().breakLock(name)).as("nobody has it now").isEmpty();
            try (Lease next = there.lock(name).tryAcquire().orElseThrow()) {
                await().until(() -> !lease.isValid());
                assertThatThrownBy(lease::check).isInstanceOf(LeaseLostException.class);
                next.check();
            }
        }
    }

    @Test
    void runReportsABrokenLockAtItsEnd() {
        String name = fresh("broken-under-work");
        // No renewal is due before the work ends.
        try (Dibs here = dibs();
                Dibs there = dibs()) {
            for (LeaseWork<Lease, RuntimeException> meanwhile : brokenBy(there, name)) {
                assertThatThrownBy(() -> here.lock(name).tryRun(meanwhile))
                        .isInstanceOf(LeaseLostException.class)
                        .hasMessageContaining("broken");
                assertThatThrownBy(() -> here.lock(name).run(SOON, meanwhile)).isInstanceOf(LeaseLostException.class);
            }
            assertThatThrownBy(() -> here.semaphore(name, 1)
                            .tryRun(lease -> there.admin().breakLeases(name, LeaseInfo.Kind.PERMIT)))
                    .isInstanceOf(LeaseLostException.class);
            Lock lock = here.lock(name).asLock();
            lock.lock();
            there.admin().breakLock(name);
            assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
            assertThat(there.lock(name).tryAcquire()).isPresent();
            assertThat(here.admin().statistics().getLost()).isEqualTo(6);
        }
    }

    /** Broken and free, and broken and acquired by another process since. */
    private static List<LeaseWork<Lease, RuntimeException>> brokenBy(Dibs there, String name) {
        return List.of(lease -> there.admin().breakLock(name), lease -> {
            there.admin().breakLock(name);
            there.lock(name).tryAcquire().orElseThrow().close();
        });
    }

    @Test
    void aReleaseThatAGuardHoldsUpIsNoLoss() throws Exception {
        String name = fresh("guarded-end");
        try (Dibs dibs = dibs();
                Connection transaction = pool().getConnection()) {
            transaction.setAutoCommit(false);
            dibs.lock(name).run(Duration.ZERO, lease -> lease.guard(transaction));
            transaction.rollback();
            transaction.setAutoCommit(true);
            assertThat(dibs.lock(name).tryAcquire(SOON)).isPresent();
            assertThat(dibs.admin().statistics().getLost()).isZero();
        }
    }

    @Test
    void aBreakByTheHoldersInstanceIsKnownAtOnce() {
        String name = fresh("own");
        try (Dibs dibs = dibs()) {
            Lease lease = dibs.lock(name).tryAcquire().orElseThrow();
            assertThat(dibs.admin().breakLock(name)).isPresent();
            assertThat(lease.isValid()).isFalse();
        }
    }

    @Test
    void aCallbackIsCalledOnceAndNotAfterClose() throws Exception {
        String name = fresh("callback");
        AtomicInteger calls = new AtomicInteger();
        try (Dibs dibs = dibs()) {
            Lease closed = dibs.lock(name).tryAcquire().orElseThrow();
            closed.onLost(lost -> calls.incrementAndGet());
            closed.close();
            Lease lost = dibs.lock(name).tryAcquire().orElseThrow();
            lost.onLost(reason -> calls.addAndGet(10));
            dibs.admin().breakLock(name);
            await().until(() -> calls.get() == 10);
            lost.onLost(reason -> calls.addAndGet(100));
            await().until(() -> calls.get() == 110);
            lost.close();
            Thread.sleep(100);
            assertThat(calls).hasValue(110);
        }
    }

    @Test
    void aFailingCallbackHurtsNobody() {
        String name = fresh("failing");
        AtomicInteger calls = new AtomicInteger();
        try (Dibs dibs = dibs()) {
            Lease lease = dibs.lock(name).tryAcquire().orElseThrow();
            lease.onLost(lost -> {
                throw new IllegalStateException("the user's mistake");
            });
            lease.onLost(lost -> calls.incrementAndGet());
            dibs.admin().breakLock(name);
            await().until(() -> calls.get() == 1);
        }
    }
}
