package dev.dibs.contract.locks.guard;

import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.Leases;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.database.Core;
import dev.dibs.once.Once;
import dev.dibs.once.OnceOutcome;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Promise 2: fences grow, whatever happens to the row in between. */
@Core
class FenceContract extends ContractFixture {

    @Test
    void fencesGrowOverReleaseTakeoverAndBreak() throws Exception {
        String name = fresh("fence");
        Lease first = here().lock(name).tryAcquire().orElseThrow();
        first.close();
        Lease second = here().lock(name).tryAcquire().orElseThrow();
        there().admin().breakLock(name);
        Lease third = there().lock(name).tryAcquire().orElseThrow();
        letItPass("dibs_lock", name);
        Lease fourth = here().lock(name).tryAcquire().orElseThrow();
        assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
        assertThat(third.fencingToken()).isGreaterThan(second.fencingToken());
        assertThat(fourth.fencingToken()).isGreaterThan(third.fencingToken());
        assertThat(fourth.takeover().orElseThrow().from().fencingToken()).isEqualTo(third.fencingToken());
    }

    @Test
    void fencesGrowOverDeletionOfTheRow() throws Exception {
        String name = fresh("recreated");
        Lease first = here().lock(name).tryAcquire().orElseThrow();
        first.close();
        execute("DELETE FROM dibs_lock WHERE name = ?", name);
        Lease second = here().lock(name).tryAcquire().orElseThrow();
        assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
    }

    @Test
    void aFenceBeyondTheClockStillGrows() throws Exception {
        String name = fresh("beyond");
        long far = (1L << 53) - 1000;
        here().lock(name).tryAcquire().orElseThrow().close();
        execute("UPDATE dibs_lock SET fence = " + far + " WHERE name = ?", name);
        Lease lease = here().lock(name).tryAcquire().orElseThrow();
        assertThat(lease.fencingToken()).isEqualTo(far + 1);
    }

    @Test
    void aFenceBeyondTheClockGrowsForEachKind() throws Exception {
        String name = fresh("beyond");
        long far = (1L << 53) - 1000;
        here().lockAll(List.of(name, name + "-2")).tryAcquire().orElseThrow().close();
        here().semaphore(name, 1).tryAcquire().orElseThrow().close();
        here().readWriteLock(name).write().tryAcquire().orElseThrow().close();
        Once once = here().once(name).every(Duration.ofMillis(100));
        once.tryRun(lease -> {});
        for (String table : List.of("lock", "permit", "gate", "once")) {
            execute("UPDATE dibs_" + table + " SET fence = " + far + " WHERE name = ?", name);
        }
        try (Leases all =
                        here().lockAll(List.of(name, name + "-2")).tryAcquire().orElseThrow();
                Lease permit = here().semaphore(name, 1).tryAcquire().orElseThrow();
                Lease writer = here().readWriteLock(name).write().tryAcquire().orElseThrow()) {
            assertThat(all.get(name).fencingToken()).isEqualTo(far + 1);
            assertThat(permit.fencingToken()).isEqualTo(far + 1);
            assertThat(writer.fencingToken()).isEqualTo(far + 1);
        }
        AtomicLong fence = new AtomicLong();
        while (once.tryRun(lease -> fence.set(lease.fencingToken())) != OnceOutcome.RAN) {
            Thread.sleep(10);
        }
        assertThat(fence).hasValue(far + 1);
    }

    @Test
    void idleRowsArePurgedAndHeldOnesAreNot() throws Exception {
        String name = fresh("purge");
        Lease held = here().lock(name, "held").tryAcquire().orElseThrow();
        long idleFence;
        try (Lease idle = here().lock(name, "idle").tryAcquire().orElseThrow()) {
            idleFence = idle.fencingToken();
        }
        here().lock(name, "recent").tryAcquire().orElseThrow().close();
        execute("UPDATE dibs_lock SET acquired_at = acquired_at - 90000000 WHERE name = ?", name + ":idle");
        await().until(() -> isPurgedForNewcomer(name + ":idle"));
        assertThat(rows(name + ":held")).isEqualTo(1);
        assertThat(rows(name + ":recent")).isEqualTo(1);
        held.check();
        Lease again = here().lock(name, "idle").tryAcquire().orElseThrow();
        assertThat(again.fencingToken()).isGreaterThan(idleFence);
    }

    /** An instance does not soon repeat a purge that met a busy file. So each call asks with a new one. */
    private boolean isPurgedForNewcomer(String name) throws Exception {
        try (Dibs dibs = builder(pool()).build();
                Lease newcomer = dibs.lock(fresh("newcomer")).tryAcquire(SOON).orElseThrow()) {
            for (int look = 0; look < 20 && rows(name) > 0; look++) {
                Thread.sleep(100);
            }
            newcomer.check();
        }
        return rows(name) == 0;
    }

    private int rows(String name) throws SQLException {
        return (int) sql().number("SELECT count(*) FROM dibs_lock WHERE name = ?", name);
    }

    private void execute(String sql, String name) throws SQLException {
        assertThat(sql().change(sql, name)).isEqualTo(1);
    }
}
