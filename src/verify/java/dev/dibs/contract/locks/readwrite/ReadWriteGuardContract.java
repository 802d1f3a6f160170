package dev.dibs.contract.locks.readwrite;

import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.ReadWriteLock;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullTest;
import dev.dibs.database.Trait;
import java.sql.Connection;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A guard holds to the commit, for a reader and for a writer. */
class ReadWriteGuardContract extends ContractFixture {

    static final Duration NOT_LONG = Duration.ofSeconds(3);

    @FullTest(except = "postgresql")
    void nobodyWritesBeforeAGuardedReaderHasCommitted() throws Exception {
        guarded(true);
    }

    @FullTest(except = "postgresql")
    void nobodyReadsOrWritesBeforeAGuardedWriterHasCommitted() throws Exception {
        guarded(false);
    }

    private void guarded(boolean reads) throws Exception {
        String name = fresh("guarded");
        FaultyDataSource unplugged = new FaultyDataSource(pool());
        Dibs here = closing(builder(unplugged).leaseLength(NOT_LONG).build());
        Dibs there = dibs();
        Connection business = connection();
        ReadWriteLock lock = here.readWriteLock(name);
        ReadWriteLock other = there.readWriteLock(name);
        Lease lease = (reads ? lock.read() : lock.write()).tryAcquire().orElseThrow();
        business.setAutoCommit(false);
        lease.guard(business);
        unplugged.on(sql -> true).always().fail("08006", 0);
        await("its own time is over").until(() -> !lease.isValid());
        Thread.sleep(200);
        long before = System.nanoTime();
        assertNotAcquired(() -> other.write().tryAcquire());
        assertNotAcquired(() -> other.write().tryAcquire(Duration.ofMillis(300)));
        if (database().has(Trait.LOCKS_ROWS)) {
            assertThat(other.read().tryRun(Lease::check)).isEqualTo(reads);
        }
        assertThat(Duration.ofNanos(System.nanoTime() - before))
                .as("nobody waits for the row")
                .isLessThan(SOON);
        business.commit();
        other.write().acquire(SOON).close();
        unplugged.heal();
    }

    @Test
    void closingAReaderInsideOfItsGuardedTransactionDoesNotWait() throws Exception {
        String name = fresh("inside");
        Lease lease = here().readWriteLock(name).read().tryAcquire().orElseThrow();
        Connection business = transaction();
        lease.guard(business);
        long before = System.nanoTime();
        lease.close();
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(SOON);
        assertThat(there().readWriteLock(name).write().tryAcquire())
                .as("still guarded")
                .isEmpty();
        business.commit();
        there().readWriteLock(name).write().acquire(SOON).close();
    }

    /** Whether it is closed, or has expired and is released in the background. */
    @FullTest
    void aWriterThatIsOverInsideOfItsGuardedTransactionKeepsReadersOut() throws Exception {
        for (boolean closes : new boolean[] {true, false}) {
            String name = fresh("writer-inside");
            FaultyDataSource unplugged = new FaultyDataSource(pool());
            try (Dibs here = builder(unplugged).leaseLength(LEASE).build();
                    Dibs there = dibs();
                    Connection business = pool().getConnection()) {
                ReadWriteLock other = there.readWriteLock(name);
                Lease lease = here.readWriteLock(name).write().tryAcquire().orElseThrow();
                business.setAutoCommit(false);
                lease.guard(business);
                if (closes) {
                    lease.close();
                } else {
                    unplugged.on(sql -> true).always().fail("08006", 0);
                    await().until(() -> !lease.isValid());
                    unplugged.heal();
                }
                // As long as the background tries to release it, and longer.
                long end = System.nanoTime() + LEASE.toNanos() * 3 / 2;
                while (System.nanoTime() < end) {
                    assertNotAcquired(() -> other.read().tryAcquire());
                    assertNotAcquired(() -> other.write().tryAcquire());
                    Thread.sleep(20);
                }
                business.commit();
                other.read().acquire(SOON).close();
                other.write().acquire(SOON).close();
            }
        }
    }
}
