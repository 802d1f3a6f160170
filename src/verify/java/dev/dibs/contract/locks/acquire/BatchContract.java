package dev.dibs.contract.locks.acquire;

import static org.awaitility.Awaitility.await;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Crowd;
import dev.dibs.database.FullTest;
import dev.dibs.database.Traits;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Acquires and releases that come while others run are sent in batches, and each has the same result as alone. */
class BatchContract extends ContractFixture {

    /** The statement of a batch of retakes. */
    static final Predicate<String> RETAKE = sql -> sql.contains("owner IS NULL");

    @FullTest(except = "postgresql")
    void simultaneousCallsShareAStatementAndGetTheirOwnResults() throws Exception {
        Crowd crowd = closing(new Crowd(this));
        Dibs there = dibs();
        List<String> free = fresh("new", 20);
        List<String> used = fresh("used", 20);
        used.forEach(name -> there.lock(name).tryAcquire().orElseThrow().close());
        Lease held = there.lock(fresh("held")).tryAcquire().orElseThrow();

        List<Future<Optional<Lease>>> made = crowd.acquire(free);
        List<Future<Optional<Lease>>> taken = crowd.acquire(used);
        Future<Optional<Lease>> busy = crowd.acquire(List.of(held.name())).get(0);
        crowd.letGo();

        List<Lease> leases = Crowd.acquired(made);
        leases.addAll(Crowd.acquired(taken));
        assertThat(busy.get()).isEmpty();
        assertThat(held.isValid()).isTrue();
        assertThat(leases).allMatch(Lease::isValid);
        assertThat(leases.stream().map(Lease::name)).containsAll(free).containsAll(used);
        assertThat(there.admin().locks().stream().map(lock -> lock.name() + lock.fencingToken()))
                .containsAll(leases.stream()
                        .map(lease -> lease.name() + lease.fencingToken())
                        .toList());
        assertThat(crowd.sent()).hasSizeLessThan(20);
    }

    @Test
    void takeoverNamesTheFormerHolder() throws Exception {
        String name = fresh("died");
        Crowd crowd = closing(new Crowd(this));
        crowd.leaveBehind(name);
        Future<Optional<Lease>> one =
                crowd.acquire(List.of(name, fresh("beside"))).get(0);
        crowd.letGo();
        Lease lease = one.get().orElseThrow();
        assertThat(lease.takeover())
                .hasValueSatisfying(
                        takeover -> assertThat(takeover.from().holder()).isEqualTo("a dead one"));
        assertThat(lease.fencingToken()).isEqualTo(Crowd.FENCE + 1);
    }

    @FullTest(except = "postgresql")
    void oneOfManyCallersGetsTheLock() throws Exception {
        String name = fresh("same");
        Crowd crowd = closing(new Crowd(this));
        List<Future<Optional<Lease>>> all = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            all.addAll(crowd.acquire(List.of(name, fresh("other"))));
        }
        crowd.letGo();
        List<Lease> leases = new ArrayList<>();
        for (Future<Optional<Lease>> one : all) {
            one.get().ifPresent(leases::add);
        }
        assertThat(leases.stream().filter(lease -> lease.name().equals(name))).hasSize(1);
        assertThat(leases).hasSize(7);
    }

    @Test
    void aBatchDoesNotWaitForALockedRow() throws Exception {
        String name = fresh("locked");
        Crowd crowd = closing(new Crowd(this));
        Connection connection = connection();
        crowd.leaveBehind(name);
        Crowd.lockRow(connection, name);
        assertOneIsBusy(crowd, name);
        connection.rollback();
    }

    @Test
    void theLockOfATransactionIsBusyInABatch() throws Exception {
        String name = fresh("transaction");
        Connection connection = transaction();
        assertThat(here().lock(name).awaitFree(SOON)).isTrue();
        assertThat(here().lock(name).tryGuard(connection)).isTrue();
        assertOneIsBusy(closing(new Crowd(this)), name);
        connection.rollback();
    }

    private void assertOneIsBusy(Crowd crowd, String name) throws Exception {
        List<Future<Optional<Lease>>> all = crowd.acquire(List.of(fresh("one"), name, fresh("two")));
        crowd.letGo();
        assertThat(all.get(0).get()).isPresent();
        assertThat(all.get(1).get()).isEmpty();
        assertThat(all.get(2).get()).isPresent();
    }

    @Test
    void concurrentInsertsOfANameFailNoBatch() throws Exception {
        List<String> names = fresh("instant", 3);
        Crowd crowd = closing(new Crowd(this));
        Connection connection = connection();
        Crowd.make(connection, names.get(1));
        List<Future<Optional<Lease>>> all = crowd.acquire(names);
        crowd.letOneGo();
        await().until(() -> crowd.sent().stream().anyMatch(Traits.MANY));
        connection.commit();
        crowd.letGo();
        assertThat(all.get(0).get()).isPresent();
        assertThat(all.get(1).get()).isEmpty();
        assertThat(all.get(2).get()).isPresent();
    }

    @FullTest(except = "postgresql")
    void aLostBatchAnswerIsFoundAgainForEach() throws Exception {
        List<String> names = fresh("answer", 5);
        Crowd crowd = closing(new Crowd(this));
        crowd.faulty().on(database().lastStepForMany()).time(1).loseAnswer();
        List<Future<Optional<Lease>>> all = crowd.acquire(names);
        crowd.letGo();
        for (Lease lease : Crowd.acquired(all)) {
            assertThat(lease.isValid()).isTrue();
            assertThat(there().lock(lease.name()).tryAcquire()).isEmpty();
        }
        assertThat(crowd.faulty().struck().stream().filter(database().lastStepForMany()))
                .hasSize(1);
    }

    @Test
    void aBatchThatNeverArrivedIsAnErrorForEach() throws Exception {
        Crowd crowd = closing(new Crowd(this));
        crowd.faulty().on(Traits.MANY).time(1).loseStatement();
        List<Future<Optional<Lease>>> all = crowd.acquire(fresh("statement", 4));
        crowd.letGo();
        for (Future<Optional<Lease>> one : all) {
            assertThatThrownBy(one::get)
                    .isInstanceOf(ExecutionException.class)
                    .cause()
                    .isInstanceOf(DatabaseFailureException.class)
                    .hasMessageContaining("acquire_each_lock");
        }
    }

    @Test
    void aRolledBackBatchIsSentAgainForEach() throws Exception {
        Crowd crowd = closing(new Crowd(this));
        crowd.faulty().on(Traits.MANY).time(1).fail("40001", 0);
        List<Future<Optional<Lease>>> all = crowd.acquire(fresh("deadlock", 4));
        crowd.letGo();
        assertThat(Crowd.acquired(all)).hasSize(4);
        assertThat(crowd.faulty().struck().stream().filter(Traits.MANY)).hasSize(1);
    }

    @FullTest(except = "postgresql")
    void aRefusedBatchIsSentOneByOne() throws Exception {
        Crowd crowd = closing(new Crowd(this));
        crowd.faulty().on(Traits.MANY).always().fail("22P05", 0);
        List<Future<Optional<Lease>>> all = crowd.acquire(fresh("refused", 4));
        crowd.letGo();
        List<Lease> leases = Crowd.acquired(all);
        crowd.closeTogether(leases);
        assertThat(crowd.heldByNobody(leases)).isTrue();
        assertThat(crowd.faulty().struck().stream().filter(Traits.MANY)).hasSizeGreaterThanOrEqualTo(2);
    }

    @FullTest(except = "postgresql")
    void aBatchAnsweredTooLateIsSentAgain() throws Exception {
        List<String> names = fresh("late", 3);
        Duration lease = Duration.ofSeconds(3);
        Crowd crowd = closing(new Crowd(this, lease));
        crowd.faulty().on(Traits.MANY).time(1).delayAfter(lease.plusMillis(300));
        List<Future<Optional<Lease>>> all = crowd.acquire(names);
        crowd.letGo();
        for (Lease late : Crowd.acquired(all)) {
            late.check();
            assertThat(there().lock(late.name()).tryAcquire()).isEmpty();
            late.close();
        }
        for (String name : names) {
            there().lock(name).acquire(SOON).close();
        }
    }

    @FullTest(except = "postgresql")
    void manyReleasesGoTogetherAndNoneWaitsForALockedRow() throws Exception {
        Crowd crowd = closing(new Crowd(this));
        Connection connection = connection();
        List<Lease> leases = crowd.open(fresh("mine", 12));
        Lease locked = leases.get(3);
        Crowd.lockRow(connection, locked.name());
        crowd.closeTogether(leases);
        for (Lease lease : leases) {
            if (lease != locked) {
                assertThat(there().lock(lease.name()).tryAcquire()).isPresent();
            }
        }
        // The background releases the locked one again and again, as a batch of one.
        assertThat(crowd.sent()).anyMatch(Traits.MANY);
        assertThat(crowd.sent().stream().filter(sql -> sql.contains("owner = NULL") && !Traits.MANY.test(sql)))
                .as("alone")
                .hasSizeLessThan(12);
        connection.commit();
        there().lock(locked.name()).acquire(SOON).close();
    }

    @FullTest(except = "postgresql")
    void aReleaseOfOneThatWasTakenOverLeavesTheNewHolderAlone() throws Exception {
        Crowd crowd = closing(new Crowd(this));
        List<Lease> leases = crowd.open(fresh("broken", 4));
        String name = leases.get(1).name();
        there().admin().breakLock(name);
        Lease next = there().lock(name).tryAcquire().orElseThrow();
        crowd.closeTogether(leases);
        // What was left to the background is done by then.
        crowd.dibs().close();
        next.check();
        assertThat(there().admin().locks().stream().map(lock -> lock.name() + lock.fencingToken()))
                .contains(name + next.fencingToken());
    }

    @FullTest(except = "postgresql")
    void releasedLocksAreRetakenTogether() throws Exception {
        Crowd crowd = closing(new Crowd(this));
        List<String> names = fresh("again", 12);
        List<Lease> before = crowd.open(names);
        before.forEach(Lease::close);
        Lease theirs = there().lock(before.get(5).name()).tryAcquire().orElseThrow();
        boolean retakesMany = retakesMany();
        List<Future<Optional<Lease>>> all = crowd.acquireTogether(names);
        for (int i = 0; i < before.size(); i++) {
            Optional<Lease> lease = all.get(i).get();
            if (i == 5) {
                assertThat(lease).isEmpty();
            } else {
                assertFollows(lease.orElseThrow(), before.get(i));
            }
        }
        theirs.check();
        assertThat(crowd.sent().stream().filter(Traits.MANY))
                .singleElement()
                .matches(sql -> RETAKE.test(sql) == retakesMany);
    }

    /** Then what this program knows of them is out of date. */
    @FullTest(except = "postgresql")
    void locksThatOthersHadSinceAreAcquiredTogetherToo() throws Exception {
        Crowd crowd = closing(new Crowd(this));
        Dibs there = dibs();
        List<Lease> before = crowd.open(fresh("theirs-since", 20));
        before.forEach(Lease::close);
        before.forEach(
                lease -> there.lock(lease.name()).tryAcquire().orElseThrow().close());
        boolean retakesMany = retakesMany();
        crowd.occupy();
        List<Future<Optional<Lease>>> all =
                crowd.acquire(before.stream().map(Lease::name).toList());
        if (retakesMany) {
            // Who comes first after the retakes goes alone, and the others can queue meanwhile.
            CountDownLatch gate = new CountDownLatch(1);
            crowd.faulty().on(sql -> !RETAKE.test(sql) && !Crowd.isBlocker()).holdBefore(gate);
            crowd.letOneGo();
            crowd.awaitQueuedAgain();
            gate.countDown();
        }
        crowd.letGo();
        for (int i = 0; i < before.size(); i++) {
            assertFollows(all.get(i).get().orElseThrow(), before.get(i));
        }
        List<String> together = crowd.sent().stream().filter(Traits.MANY).toList();
        assertThat(together.stream().anyMatch(RETAKE)).isEqualTo(retakesMany);
        assertThat(together).anyMatch(RETAKE.negate());
        assertThat(crowd.sent()).hasSizeLessThan(before.size());
    }

    private static void assertFollows(Lease lease, Lease before) {
        assertThat(lease.fencingToken()).isGreaterThan(before.fencingToken());
        lease.check();
    }

    /** Whether there is a statement for many locks that this program has given back. */
    private boolean retakesMany() throws SQLException {
        return asked(pool(), "dibs_").statements().features().retakesTogether();
    }

    @FullTest(except = "postgresql")
    void retakesAndAcquiresShareABatch() throws Exception {
        Crowd crowd = closing(new Crowd(this));
        List<String> names = fresh("mixed", 6);
        crowd.open(names.subList(0, 3)).forEach(Lease::close);
        assertThat(Crowd.acquired(crowd.acquireTogether(names))).hasSize(6);
        assertThat(crowd.sent().stream().filter(Traits.MANY)).isNotEmpty().noneMatch(RETAKE);
    }

    @Test
    void aFailedRetakeAffectsOnlyItsCaller() throws Exception {
        Crowd crowd = closing(new Crowd(this));
        List<String> names = fresh("spoilt", 4);
        crowd.open(names).forEach(Lease::close);
        // The last one that any plan reaches.
        Crowd.spoil(pool(), names.get(3));
        List<Future<Optional<Lease>>> all = crowd.acquireTogether(names);
        assertThat(Crowd.acquired(all.subList(0, 3))).hasSize(3);
        assertThatThrownBy(all.get(3)::get).cause().isInstanceOf(DatabaseFailureException.class);
    }
}
