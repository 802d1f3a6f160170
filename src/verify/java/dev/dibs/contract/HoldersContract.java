package dev.dibs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.DibsException;
import dev.dibs.HolderInfo;
import dev.dibs.HolderKind;
import dev.dibs.Lease;
import dev.dibs.LeaseLostException;
import dev.dibs.ReadWriteLock;
import dev.dibs.database.FullRun;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The holders of every kind, and how a lease is taken from them by force. */
@Tag("contract")
class HoldersContract extends Fixture {

    private static List<HolderKind> kinds(Dibs dibs, String name) {
        return dibs.admin().holders().list().stream()
                .filter(holder -> holder.lock().name().equals(name))
                .map(HolderInfo::kind)
                .toList();
    }

    @Test
    void allKindsAreListed() {
        String name = fresh("holders");
        // Long leases, since a statement may take as long as the lease at most.
        Duration lease = Duration.ofMinutes(1);
        try (Dibs here = builder(pool()).holder("who").lease(lease).build();
                Dibs there = builder(pool()).lease(lease).build()) {
            Lease lock = here.lock(name).tryAcquire().orElseThrow();
            Lease permit = here.semaphore(name, 2).tryAcquire().orElseThrow();
            Lease reader = here.readWriteLock(name).read().tryAcquire().orElseThrow();
            Lease second = there.readWriteLock(name).read().tryAcquire().orElseThrow();
            assertThat(kinds(there, name))
                    .containsExactly(HolderKind.LOCK, HolderKind.PERMIT, HolderKind.READER, HolderKind.READER);
            assertThat(there.admin().holders().list())
                    .filteredOn(holder -> holder.lock().name().equals(name) && holder.kind() == HolderKind.LOCK)
                    .singleElement()
                    .satisfies(
                            holder -> assertThat(holder.lock().fencingToken()).isEqualTo(lock.fencingToken()))
                    .satisfies(holder -> assertThat(holder.lock().holder()).isEqualTo("who"))
                    .satisfies(holder -> assertThat(holder.lock().until())
                            .isAfter(holder.lock().since()));
            CompletableFuture<Optional<Lease>> writer = CompletableFuture.supplyAsync(
                    () -> there.readWriteLock(name).write().tryAcquire(Duration.ofSeconds(20)));
            await().untilAsserted(() -> assertThat(kinds(here, name)).contains(HolderKind.WRITER));
            List.of(permit, reader, second, lock).forEach(Lease::close);
            try (Lease wrote = writer.join().orElseThrow()) {
                wrote.check();
                assertThat(kinds(here, name)).containsExactly(HolderKind.WRITER);
            }
            assertThat(kinds(here, name)).isEmpty();
        }
    }

    @Test
    @FullRun(except = "postgresql")
    void aReadWriteLockIsBrokenForAllOfItsHolders() {
        String name = fresh("break-shared");
        Duration lease = RENEWED;
        try (Dibs here = dibs();
                Dibs there = builder(pool()).lease(lease).build()) {
            ReadWriteLock lock = here.readWriteLock(name);
            Lease first = lock.read().tryAcquire().orElseThrow();
            Lease second = there.readWriteLock(name).read().tryAcquire().orElseThrow();
            Lease other =
                    here.readWriteLock(fresh("not-broken")).read().tryAcquire().orElseThrow();
            assertThat(here.admin().holders().breakAll(name, HolderKind.WRITER, HolderKind.READER))
                    .extracting(HolderInfo::kind)
                    .containsExactly(HolderKind.READER, HolderKind.READER);
            assertThatThrownBy(first::check).as("of this instance: at once").isInstanceOf(LeaseLostException.class);
            await().atMost(Duration.ofSeconds(20)).until(() -> !second.isValid());
            other.check();
            other.close();
            assertThat(here.admin().holders().breakAll(name, HolderKind.WRITER, HolderKind.READER))
                    .as("nobody has it now")
                    .isEmpty();
            Lease writer = lock.write().lease(lease).tryAcquire().orElseThrow();
            assertThat(there.readWriteLock(name).read().tryAcquire()).isEmpty();
            assertThat(there.admin().holders().breakAll(name, HolderKind.WRITER, HolderKind.READER))
                    .extracting(HolderInfo::kind)
                    .containsExactly(HolderKind.WRITER);
            assertThat(there.readWriteLock(name).read().tryRun(Lease::check)).isTrue();
            await().atMost(Duration.ofSeconds(20)).until(() -> !writer.isValid());
        }
    }

    @Test
    void whoIsGuardedIsNotBroken() throws Exception {
        for (boolean reads : new boolean[] {true, false}) {
            String name = fresh("break-guarded");
            try (Dibs here = builder(pool()).lease(Duration.ofMinutes(1)).build();
                    Dibs there = dibs();
                    Connection business = pool().getConnection()) {
                ReadWriteLock lock = here.readWriteLock(name);
                Lease lease = (reads ? lock.read() : lock.write()).tryAcquire().orElseThrow();
                business.setAutoCommit(false);
                lease.guard(business);
                assertThatThrownBy(() -> there.admin().holders().breakAll(name, HolderKind.WRITER, HolderKind.READER))
                        .isInstanceOf(DibsException.class)
                        .hasMessageContaining("guarded transaction");
                assertThat(there.readWriteLock(name).write().tryAcquire()).isEmpty();
                business.commit();
                business.setAutoCommit(true);
                lease.check();
                assertThat(there.admin().holders().breakAll(name, HolderKind.WRITER, HolderKind.READER))
                        .hasSize(1);
                lease.close();
            }
        }
    }

    @Test
    void aSemaphoreIsBrokenForAllOfItsHolders() {
        String name = fresh("break-semaphore");
        try (Dibs here = builder(pool()).lease(Duration.ofMinutes(1)).build();
                Dibs there = dibs()) {
            assertThat(here.semaphore(name, 2).tryAcquire()).isPresent();
            assertThat(here.semaphore(name, 2).tryAcquire()).isPresent();
            Lease other = here.lock(name).tryAcquire().orElseThrow();
            assertThat(there.semaphore(name, 2).tryAcquire()).isEmpty();
            assertThatThrownBy(() -> there.admin().holders().breakAll(name))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThat(there.admin().holders().breakAll(name, HolderKind.PERMIT))
                    .hasSize(2);
            assertThat(there.semaphore(name, 2).tryRun(Lease::check)).isTrue();
            assertThat(there.admin().holders().breakAll(name, HolderKind.PERMIT))
                    .isEmpty();
            other.check();
            other.close();
        }
    }
}
