package dev.dibs.contract.locks.lease;

import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.DibsListener;
import dev.dibs.JumpingClock;
import dev.dibs.Lease;
import dev.dibs.Lease.Takeover;
import dev.dibs.LeaseInfo;
import dev.dibs.LeaseLostException;
import dev.dibs.LeaseWork;
import dev.dibs.OftenRenewed;
import dev.dibs.claims.Claim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Crowd;
import dev.dibs.contract.support.Jobs;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullTest;
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
import org.junit.jupiter.api.Test;

/**
 * Promises 3 and 4: a stale holder touches nothing, and knows before anybody else can have the lock. A renewal that ends by an error of its
 * thread is sent again soon: not a third of the lease later.
 */
public class LossContract extends ContractFixture {
    static final Duration SHORT = Duration.ofMillis(1500);

    /** If each waited for a third of the lease, the lease would be over. */
    private static final int FAILURES = 3;

    private static final String CLAIMS = "dibs-claims";

    @FullTest(except = "postgresql")
    void aLeaseIsRenewedBeforeItIsOver() {
        String name = fresh("renewed");
        Dibs here = closing(oftenRenewed(pool()).build());
        Lease lease = here.lock(name).tryAcquire().orElseThrow();
        Instant until = heldUntil(there(), name);
        assertThat(isRenewed(lease)).isTrue();
        await().until(() -> heldUntil(there(), name).isAfter(until));
        lease.check();
        assertThat(lease.remaining()).isPositive().isLessThan(LONG);
        assertThat(there().lock(name).tryAcquire()).isEmpty();
    }

    /** Waits until the holder knows of a renewal, or the lease is over: returns whether it was renewed. */
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

    @FullTest(except = "postgresql")
    void theHolderKnowsBeforeTheLockCanBeTaken() throws Exception {
        String name = fresh("loss");
        FaultyDataSource unplugged = new FaultyDataSource(pool());
        CompletableFuture<LeaseLostException> lost = new CompletableFuture<>();
        Dibs here = closing(builder(unplugged).leaseLength(SHORT).build());
        unplugged
                .on(sql -> Thread.currentThread().getName().matches("dibs-(heartbeat|maintenance)"))
                .always()
                .fail("08006", 0);
        Lease lease = here.lock(name).acquire(SOON);
        lease.onLost(lost::complete);
        unplugged.on(sql -> true).always().fail("08006", 0);
        Lease successor = there().lock(name).acquire(SOON);
        assertThat(lease.isValid()).isFalse();
        assertThat(lost.get(60, TimeUnit.SECONDS)).as("notified").hasMessageContaining(name);
        assertThat(successor.fencingToken()).isGreaterThan(lease.fencingToken());
        Takeover takeover = successor.takeover().orElseThrow();
        assertThat(takeover.from().fencingToken()).isEqualTo(lease.fencingToken());
        assertStale(takeover, successor);
        unplugged.heal();
        assertThatThrownBy(lease::check).isInstanceOf(LeaseLostException.class).hasMessageContaining(name);
        assertThat(lease.remaining()).isZero();
        successor.close();
    }

    @FullTest(except = "postgresql")
    void aLossNamesTheErrorOfTheLastRenewal() {
        FaultyDataSource unplugged = new FaultyDataSource(pool());
        EventContract.Diary diary = new EventContract.Diary();
        JumpingClock clock = JumpingClock.renewingOften();
        Dibs here = closing(clock.by(builder(unplugged).listener(diary)).build());
        Lease lease = here.lock(fresh("met")).tryAcquire().orElseThrow();
        unplugged
                .on(sql -> Thread.currentThread().getName().equals("dibs-heartbeat"))
                .always()
                .fail("08006", 0);
        await().until(() -> diary.entries.contains("renewalFailed 1"));
        clock.jump(LONG);
        assertThatThrownBy(lease::check)
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining("the last one has met: ")
                .hasMessageContaining("planted failure");
        unplugged.heal();
    }

    @FullTest(except = "postgresql")
    void aStaleHolderCanNeitherRenewNorReleaseNorGuard() throws Exception {
        String name = fresh("stale");
        FaultyDataSource slow = new FaultyDataSource(pool());
        Dibs here = closing(builder(slow).leaseLength(SHORT).build());
        Connection connection = transaction();
        Lease stale = here.lock(name).acquire(SOON);
        slow.on(sql -> true).always().fail("08006", 0);
        Lease successor = closing(there().lock(name).acquire(SOON));
        slow.heal();
        assertThatThrownBy(() -> stale.guard(connection)).isInstanceOf(LeaseLostException.class);
        connection.rollback();
        stale.close();
        Thread.sleep(SHORT.toMillis());
        successor.check();
        assertThat(here.lock(name).leaseLength(LONG).tryAcquire())
                .as("its release must not free the successor's")
                .isEmpty();
    }

    @FullTest(except = "postgresql")
    void aBriefOutageOfRenewalsLosesNothing() throws Exception {
        String name = fresh("outage");
        FaultyDataSource flaky = new FaultyDataSource(pool());
        AtomicInteger losses = new AtomicInteger();
        Dibs here = closing(oftenRenewed(flaky).build());
        Lease lease = here.lock(name).tryAcquire().orElseThrow();
        lease.onLost(lost -> losses.incrementAndGet());
        Instant until = heldUntil(there(), name);
        flaky.on(sql -> true).always().fail("08006", 0);
        await().until(() -> !flaky.struck().isEmpty());
        flaky.heal();
        await().until(() -> heldUntil(there(), name).isAfter(until));
        lease.check();
        assertThat(losses).hasValue(0);
    }

    /** A renewal locks the row for a moment only. */
    @Test
    void aBreakWaitsForAMomentaryRowLock() throws Exception {
        assumeRowLocks();
        String name = fresh("moment");
        FaultyDataSource watched = new FaultyDataSource(pool());
        AtomicInteger breaks = new AtomicInteger();
        Dibs there = dibs(watched);
        Connection other = connection();
        assertThat(here().lock(name).tryAcquire()).isPresent();
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

    /** Nor does it keep other leases of the same batch from being renewed, and it is not lost. */
    @FullTest(except = "postgresql")
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
        Dibs here = closing(oftenRenewed(pool()).listener(listener).build());
        Connection other = connection();
        for (String name : names) {
            assertThat(here.lock(name).tryAcquire()).isPresent();
        }
        assertThat(Crowd.lockRow(other, names.get(1))).isEqualTo(1);
        Instant locked = heldUntil(there(), names.get(1));
        List<String> others = List.of(names.get(0), names.get(2));
        List<Instant> before = List.of(heldUntil(there(), others.get(0)), heldUntil(there(), others.get(1)));
        for (int i = 0; i < others.size(); i++) {
            String name = others.get(i);
            Instant until = before.get(i);
            await().until(() -> heldUntil(there(), name).isAfter(until));
        }
        assertThat(heldUntil(there(), names.get(1))).isEqualTo(locked);
        assertThat(lost).isEmpty();
        assertThat(failures).as("no failed renewal is reported").hasValue(0);
        other.commit();
        there().admin().breakLock(names.get(0));
        await().until(() -> heldUntil(there(), names.get(1)).isAfter(locked));
        await().untilAsserted(() -> assertThat(lost).as("of one in a batch").containsExactly(names.get(0)));
    }

    private static void commit(Connection connection) {
        try {
            connection.commit();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @FullTest(except = {"postgresql", "h2"})
    void breakingALockIsNoticedByItsHolder() {
        String name = fresh("broken");
        Dibs here = closing(oftenRenewed(pool()).build());
        Lease lease = here.lock(name).tryAcquire().orElseThrow();
        assertThat(there().admin().breakLock(name).orElseThrow().fencingToken()).isEqualTo(lease.fencingToken());
        assertThat(there().admin().breakLock(name)).as("nobody has it now").isEmpty();
        Lease next = there().lock(name).tryAcquire().orElseThrow();
        await().until(() -> !lease.isValid());
        assertThatThrownBy(lease::check).isInstanceOf(LeaseLostException.class);
        next.check();
    }

    @Test
    void runReportsABrokenLockAtItsEnd() {
        String name = fresh("broken-under-work");
        // No renewal is due before the work ends.
        Dibs here = dibs();
        Dibs there = dibs();
        for (LeaseWork<Lease, RuntimeException> meanwhile : brokenBy(there, name)) {
            assertThatThrownBy(() -> here.lock(name).tryRun(meanwhile))
                    .isInstanceOf(LeaseLostException.class)
                    .hasMessageContaining("broken");
            assertThatThrownBy(() -> here.lock(name).run(SOON, meanwhile)).isInstanceOf(LeaseLostException.class);
        }
        assertThatThrownBy(() ->
                        here.semaphore(name, 1).tryRun(lease -> there.admin().breakLeases(name, LeaseInfo.Kind.PERMIT)))
                .isInstanceOf(LeaseLostException.class);
        Lock lock = here.lock(name).asLock();
        lock.lock();
        there.admin().breakLock(name);
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
        assertThat(there.lock(name).tryAcquire()).isPresent();
        assertThat(here.admin().statistics().getLost()).isEqualTo(6);
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
        Connection transaction = transaction();
        here().lock(name).run(Duration.ZERO, lease -> lease.guard(transaction));
        transaction.rollback();
        assertThat(here().lock(name).tryAcquire(SOON)).isPresent();
        assertThat(here().admin().statistics().getLost()).isZero();
    }

    @Test
    void aBreakByTheHoldersInstanceIsKnownAtOnce() {
        String name = fresh("own");
        Lease lease = here().lock(name).tryAcquire().orElseThrow();
        assertThat(here().admin().breakLock(name)).isPresent();
        assertThat(lease.isValid()).isFalse();
    }

    @Test
    void aCallbackIsCalledOnceAndNotAfterClose() throws Exception {
        String name = fresh("callback");
        AtomicInteger calls = new AtomicInteger();
        Lease closed = here().lock(name).tryAcquire().orElseThrow();
        closed.onLost(lost -> calls.incrementAndGet());
        closed.close();
        Lease lost = here().lock(name).tryAcquire().orElseThrow();
        lost.onLost(reason -> calls.addAndGet(10));
        here().admin().breakLock(name);
        await().until(() -> calls.get() == 10);
        lost.onLost(reason -> calls.addAndGet(100));
        await().until(() -> calls.get() == 110);
        lost.close();
        Thread.sleep(100);
        assertThat(calls).hasValue(110);
    }

    @Test
    void aFailingCallbackHurtsNobody() {
        String name = fresh("failing");
        AtomicInteger calls = new AtomicInteger();
        Lease lease = here().lock(name).tryAcquire().orElseThrow();
        lease.onLost(lost -> {
            throw new IllegalStateException("the user's mistake");
        });
        lease.onLost(lost -> calls.incrementAndGet());
        here().admin().breakLock(name);
        await().until(() -> calls.get() == 1);
    }

    /** The first statement of a renewal, and not what ends its transaction. */
    private static FaultyDataSource.Fault onRenewal(FaultyDataSource faulty, String thread) {
        return faulty.on(sql ->
                sql.contains("_until") && Thread.currentThread().getName().equals(thread));
    }

    private static void spoil(FaultyDataSource faulty, String thread) {
        for (int time = 1; time <= FAILURES; time++) {
            onRenewal(faulty, thread).time(time).actBefore(LossContract::error);
        }
    }

    private static Object error() {
        throw new OutOfMemoryError("planted");
    }

    @FullTest(except = "postgresql")
    void aLeaseIsRenewedSoonAfterAnError() {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        spoil(faulty, "dibs-heartbeat");
        Duration nearlyAll = LONG.multipliedBy(3).dividedBy(4);
        Dibs dibs = closing(OftenRenewed.once(builder(faulty)).build());
        Lease lease = dibs.lock(fresh("spoilt")).tryAcquire().orElseThrow();
        await().atMost(LONG.multipliedBy(2))
                .until(() -> !lease.isValid()
                        || (faulty.struck().size() == FAILURES
                                && lease.remaining().compareTo(nearlyAll) > 0));
        assertThat(lease.isValid()).isTrue();
    }

    @FullTest(except = "postgresql")
    void aClaimIsRenewedSoonAfterAnError() throws Exception {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Jobs jobs = jobs(2);
        Dibs dibs = closing(OftenRenewed.once(builder(faulty)).build());
        RowClaims<RowKey> claims = jobs.claims(dibs).build();
        spoil(faulty, CLAIMS);
        Claim<RowKey> claim = claims.claim(1);
        AtomicBoolean sentAgain = new AtomicBoolean();
        onRenewal(faulty, CLAIMS).time(FAILURES + 1).actAfter(() -> sentAgain.getAndSet(claim.isValid()));
        await().atMost(LONG.multipliedBy(2)).until(() -> !claim.isValid() || sentAgain.get());
        assertThat(claim.isValid()).isTrue();
    }
}
