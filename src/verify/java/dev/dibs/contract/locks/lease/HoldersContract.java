package dev.dibs.contract.locks.lease;

import static org.awaitility.Awaitility.await;

import dev.dibs.Acquirable;
import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.LeaseInfo;
import dev.dibs.LeaseLostException;
import dev.dibs.NotAcquiredException;
import dev.dibs.ReadWriteLock;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullTest;
import dev.dibs.once.OnceOutcome;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** The holders of every kind, and how a lease is taken from them by force. */
class HoldersContract extends ContractFixture {

    private static List<LeaseInfo.Kind> kinds(Dibs dibs, String name) {
        return dibs.admin().leases().stream()
                .filter(holder -> holder.name().equals(name))
                .map(LeaseInfo::kind)
                .toList();
    }

    @Test
    void allKindsAreListed() {
        String name = fresh("holders");
        // Long leases, since a statement may take as long as the lease at most.
        Duration lease = Duration.ofMinutes(1);
        Dibs here = closing(builder(pool()).holder("who").leaseLength(lease).build());
        Dibs there = closing(builder(pool()).leaseLength(lease).build());
        Lease lock = here.lock(name).tryAcquire().orElseThrow();
        Lease permit = here.semaphore(name, 2).tryAcquire().orElseThrow();
        Lease reader = here.readWriteLock(name).read().tryAcquire().orElseThrow();
        Lease second = there.readWriteLock(name).read().tryAcquire().orElseThrow();
        assertThat(kinds(there, name))
                .containsExactly(
                        LeaseInfo.Kind.LOCK, LeaseInfo.Kind.PERMIT, LeaseInfo.Kind.READER, LeaseInfo.Kind.READER);
        assertThat(there.admin().leases())
                .filteredOn(holder -> holder.name().equals(name) && holder.kind() == LeaseInfo.Kind.LOCK)
                .singleElement()
                .satisfies(holder -> assertThat(holder.fencingToken()).isEqualTo(lock.fencingToken()))
                .satisfies(holder -> assertThat(holder.holder()).isEqualTo("who"))
                .satisfies(holder -> assertThat(holder.until()).isAfter(holder.since()));
        CompletableFuture<Optional<Lease>> writer = CompletableFuture.supplyAsync(
                () -> there.readWriteLock(name).write().tryAcquire(SOON));
        await().untilAsserted(() -> assertThat(kinds(here, name)).contains(LeaseInfo.Kind.WRITER));
        List.of(permit, reader, second, lock).forEach(Lease::close);
        try (Lease wrote = writer.join().orElseThrow()) {
            wrote.check();
            assertThat(kinds(here, name)).containsExactly(LeaseInfo.Kind.WRITER);
        }
        assertThat(kinds(here, name)).isEmpty();
    }

    @FullTest(except = "postgresql")
    void aReadWriteLockIsBrokenForAllOfItsHolders() {
        String name = fresh("break-shared");
        Dibs here = closing(oftenRenewed(pool()).build());
        Dibs there = closing(oftenRenewed(pool()).build());
        ReadWriteLock lock = here.readWriteLock(name);
        Lease first = lock.read().tryAcquire().orElseThrow();
        Lease second = there.readWriteLock(name).read().tryAcquire().orElseThrow();
        Lease other =
                here.readWriteLock(fresh("not-broken")).read().tryAcquire().orElseThrow();
        assertThat(here.admin().breakLeases(name, LeaseInfo.Kind.WRITER, LeaseInfo.Kind.READER))
                .extracting(LeaseInfo::kind)
                .containsExactly(LeaseInfo.Kind.READER, LeaseInfo.Kind.READER);
        assertThatThrownBy(first::check).as("of this instance: at once").isInstanceOf(LeaseLostException.class);
        await().until(() -> !second.isValid());
        other.check();
        other.close();
        assertThat(here.admin().breakLeases(name, LeaseInfo.Kind.WRITER, LeaseInfo.Kind.READER))
                .as("nobody has it now")
                .isEmpty();
        Lease writer = lock.write().tryAcquire().orElseThrow();
        assertThat(there.readWriteLock(name).read().tryAcquire()).isEmpty();
        assertThat(there.admin().breakLeases(name, LeaseInfo.Kind.WRITER, LeaseInfo.Kind.READER))
                .extracting(LeaseInfo::kind)
                .containsExactly(LeaseInfo.Kind.WRITER);
        assertThat(there.readWriteLock(name).read().tryRun(Lease::check)).isTrue();
        await().until(() -> !writer.isValid());
    }

    /** Also if the successor comes right before the statement that breaks. */
    @Test
    void aLeaseOfAListIsBrokenAndItsSuccessorIsSpared() {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        String name = fresh("break-one");
        Dibs here = dibs();
        Dibs operator = dibs(faulty);
        for (Acquirable<? extends Lease> acquirable : List.of(
                here.lock(name),
                here.semaphore(name, 1),
                here.readWriteLock(name).write())) {
            Lease before = acquirable.tryAcquire().orElseThrow();
            LeaseInfo listed = listed(here, name);
            AtomicReference<Lease> after = new AtomicReference<>();
            faulty.on(sql -> sql.contains("SET ")).actBefore(() -> {
                before.close();
                after.set(acquirable.tryAcquire().orElseThrow());
                return true;
            });
            operator.admin().breakLease(listed);
            faulty.heal();
            after.get().check();
            assertThat(there().admin().breakLease(listed)).as("it is over").isFalse();
            after.get().check();
            assertThat(there().admin().breakLease(listed(here, name))).isTrue();
            assertThat(kinds(here, name)).isEmpty();
        }
    }

    private static LeaseInfo listed(Dibs dibs, String name) {
        return dibs.admin().leases().stream()
                .filter(lease -> lease.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aGuardedLeaseIsNotBroken() throws Exception {
        assumeRowLocks();
        for (boolean reads : new boolean[] {true, false}) {
            String name = fresh("break-guarded");
            Dibs there = there();
            Connection business = transaction();
            ReadWriteLock lock = here().readWriteLock(name);
            Lease lease = (reads ? lock.read() : lock.write()).tryAcquire().orElseThrow();
            lease.guard(business);
            assertThatThrownBy(() -> there.admin().breakLeases(name, LeaseInfo.Kind.WRITER, LeaseInfo.Kind.READER))
                    .isInstanceOf(DatabaseFailureException.class)
                    .hasMessageContaining("guarded transaction");
            assertThat(there.readWriteLock(name).write().tryAcquire()).isEmpty();
            business.commit();
            lease.check();
            assertThat(there.admin().breakLeases(name, LeaseInfo.Kind.WRITER, LeaseInfo.Kind.READER))
                    .hasSize(1);
            lease.close();
        }
    }

    @Test
    void aSemaphoreIsBrokenForAllOfItsHolders() {
        String name = fresh("break-semaphore");
        assertThat(here().semaphore(name, 2).tryAcquire()).isPresent();
        assertThat(here().semaphore(name, 2).tryAcquire()).isPresent();
        Lease other = here().lock(name).tryAcquire().orElseThrow();
        assertThat(there().semaphore(name, 2).tryAcquire()).isEmpty();
        assertThatThrownBy(() -> there().admin().breakLeases(name)).isInstanceOf(IllegalArgumentException.class);
        assertThat(there().admin().breakLeases(name, LeaseInfo.Kind.PERMIT)).hasSize(2);
        assertThat(there().semaphore(name, 2).tryRun(Lease::check)).isTrue();
        assertThat(there().admin().breakLeases(name, LeaseInfo.Kind.PERMIT)).isEmpty();
        other.check();
        other.close();
    }

    @Test
    void aBusyCallerLearnsTheHoldersKind() {
        String name = fresh("kinds");
        Dibs here = dibs();
        Map<Acquirable<?>, LeaseInfo.Kind> held = Map.of(
                here.lock(name), LeaseInfo.Kind.LOCK,
                here.semaphore(name, 1), LeaseInfo.Kind.PERMIT,
                here.readWriteLock(name).write(), LeaseInfo.Kind.WRITER);
        assertThat(held).allSatisfy((acquirable, kind) -> {
            try (Lease lease = acquirable.acquire(SOON)) {
                assertThat(kindInTheWay(acquirable)).isEqualTo(kind);
                lease.check();
            }
        });
        ReadWriteLock lock = there().readWriteLock(name);
        try (Lease reader = lock.read().acquire(SOON)) {
            assertThat(kindInTheWay(here.readWriteLock(name).write())).isEqualTo(LeaseInfo.Kind.READER);
            reader.check();
        }
        Lease writer = lock.write().acquire(SOON);
        assertThat(kindInTheWay(here.readWriteLock(name).read())).isEqualTo(LeaseInfo.Kind.WRITER);
        writer.check();
    }

    @Test
    void workOfOnceIsTakenFromItsRunner() {
        String name = fresh("break-once");
        Dibs there = dibs();
        assertThatThrownBy(() -> here().once(name).ever().tryRun(lease -> {
                    assertThat(there.admin().breakLeases(name, LeaseInfo.Kind.ONCE))
                            .extracting(LeaseInfo::kind, LeaseInfo::fencingToken)
                            .containsExactly(tuple(LeaseInfo.Kind.ONCE, lease.fencingToken()));
                }))
                .isInstanceOf(LeaseLostException.class);
        assertThat(there.admin().breakLeases(name, LeaseInfo.Kind.ONCE)).isEmpty();
        assertThat(there.once(name).ever().tryRun(Lease::check)).isEqualTo(OnceOutcome.RAN);
    }

    private static LeaseInfo.Kind kindInTheWay(Acquirable<?> busy) {
        return catchThrowableOfType(NotAcquiredException.class, () -> busy.acquire(Duration.ZERO))
                .holder()
                .orElseThrow()
                .kind();
    }
}
