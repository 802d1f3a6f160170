package dev.dibs.contract.locks.readwrite;

import static org.awaitility.Awaitility.await;

import dev.dibs.Acquirable;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.NotAcquiredException;
import dev.dibs.ReadWriteLock;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.database.Core;
import dev.dibs.database.CountingDataSource;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullTest;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Many readers or one writer. */
@Core
class ReadWriteContract extends ContractFixture {

    static final Duration SHORT = Duration.ofSeconds(1);
    private static final String GATE_UNTIL = "SELECT held_until FROM dibs_gate WHERE name = ?";

    @Test
    void manyReadOrOneWrites() {
        String name = fresh("shared");
        ReadWriteLock lock = here().readWriteLock(name);
        ReadWriteLock other = there().readWriteLock(name);
        try (Lease first = lock.read().tryAcquire().orElseThrow();
                Lease second = other.read().tryAcquire().orElseThrow();
                Lease third = other.read().tryAcquire().orElseThrow()) {
            assertThat(second.fencingToken()).isEqualTo(first.fencingToken());
            assertThat(third.name()).isEqualTo(name);
            assertThat(elsewhere(lock.write())).isNull();
        }
        try (Lease writer = lock.write().tryAcquire().orElseThrow()) {
            assertThat(other.read().tryAcquire()).isEmpty();
            assertThat(lock.read().tryAcquire()).isEmpty();
            assertThat(other.write().tryAcquire()).isEmpty();
            assertThat(here().lock(name).tryAcquire())
                    .as("a lock of that name is another")
                    .isPresent();
            writer.check();
        }
        assertThat(other.write().tryRun(Lease::check)).isTrue();
        assertThat(other.read().tryRun(Lease::check)).isTrue();
    }

    /** On a thread without a lease. */
    private static Lease elsewhere(Acquirable<?> lock) {
        return CompletableFuture.supplyAsync(() -> lock.tryAcquire().orElse(null))
                .join();
    }

    private static CompletableFuture<Lease> later(Acquirable<?> lock) {
        return CompletableFuture.supplyAsync(() -> lock.acquire(SOON));
    }

    @Test
    void aWriterThatWaitsKeepsLaterReadersOut() {
        String name = fresh("starve");
        Dibs third = dibs();
        Lease early = here().readWriteLock(name).read().tryAcquire().orElseThrow();
        CompletableFuture<Lease> writer = later(there().readWriteLock(name).write());
        await().until(() -> third.readWriteLock(name)
                .read()
                .tryAcquire()
                .map(late -> {
                    late.close();
                    return false;
                })
                .orElse(true));
        assertThat(writer).as("somebody reads").isNotDone();
        CompletableFuture<Lease> late = later(third.readWriteLock(name).read());
        early.check();
        early.close();
        Lease wrote = writer.join();
        assertThat(late).isNotDone();
        wrote.check();
        wrote.close();
        Lease read = late.join();
        assertThat(read.fencingToken()).isGreaterThanOrEqualTo(wrote.fencingToken());
    }

    @Test
    void aWriterThatDoesNotWaitOrGivesUpLeavesTheGateOpen() {
        String name = fresh("give-up");
        ReadWriteLock other = there().readWriteLock(name);
        Lease reader = here().readWriteLock(name).read().tryAcquire().orElseThrow();
        assertThat(other.write().tryAcquire()).isEmpty();
        assertThat(other.read().tryRun(Lease::check)).isTrue();
        assertThatThrownBy(() -> other.write().acquire(Duration.ofMillis(300)))
                .isInstanceOfSatisfying(
                        NotAcquiredException.class,
                        busy -> assertThat(busy.holder()).isPresent());
        assertThat(other.read().tryRun(Lease::check)).isTrue();
        reader.check();
    }

    @FullTest(except = "postgresql")
    void bothSidesAreRenewed() throws Exception {
        String name = fresh("renew");
        Dibs here = closing(oftenRenewed(pool()).build());
        ReadWriteLock lock = here.readWriteLock(name);
        ReadWriteLock other = there().readWriteLock(name);
        try (Lease first = lock.read().tryAcquire().orElseThrow();
                Lease second = lock.read().tryAcquire().orElseThrow()) {
            long before = number("SELECT max(held_until) FROM dibs_reader WHERE name = ?", name);
            await().until(() -> number("SELECT min(held_until) FROM dibs_reader WHERE name = ?", name) > before);
            first.check();
            second.check();
            assertThat(other.write().tryAcquire()).isEmpty();
        }
        Lease writer = lock.write().acquire(SOON);
        long before = number(GATE_UNTIL, name);
        await().until(() -> number(GATE_UNTIL, name) > before);
        writer.check();
        assertThat(other.read().tryAcquire()).isEmpty();
    }

    @FullTest(except = "postgresql")
    void aWishIsRenewedWhileItWaits() throws Exception {
        String name = fresh("wish");
        Dibs there = closing(oftenRenewed(pool()).build());
        Lease reader = here().readWriteLock(name).read().tryAcquire().orElseThrow();
        CompletableFuture<Lease> writer = later(there.readWriteLock(name).write());
        await().until(() -> number("SELECT count(*) FROM dibs_gate WHERE name = ? AND owner IS NOT NULL", name) > 0);
        long before = number(GATE_UNTIL, name);
        long fence = number("SELECT fence FROM dibs_gate WHERE name = ?", name);
        await().until(() -> number(GATE_UNTIL, name) > before);
        assertThat(number("SELECT fence FROM dibs_gate WHERE name = ?", name))
                .as("the same wish")
                .isEqualTo(fence);
        assertThat(here().readWriteLock(name).read().tryAcquire()).isEmpty();
        assertThat(writer).isNotDone();
        reader.close();
        writer.join().check();
    }

    @FullTest(except = "postgresql")
    void aVanishedReadersLeaseExpires() {
        String name = fresh("vanish");
        FaultyDataSource unplugged = new FaultyDataSource(pool());
        Dibs here = closing(builder(unplugged).leaseLength(SHORT).build());
        ReadWriteLock other = there().readWriteLock(name);
        Lease reader = here.readWriteLock(name).read().acquire(SOON);
        unplugged.on(sql -> true).always().fail("08006", 0);
        long fence;
        try (Lease writer = other.write().acquire(SOON)) {
            assertThat(reader.isValid()).as("the reader knew before").isFalse();
            fence = writer.fencingToken();
        }
        unplugged.heal();
        Lease writer = here.readWriteLock(name).write().acquire(SOON);
        unplugged.on(sql -> true).always().fail("08006", 0);
        try (Lease next = other.read().acquire(SOON)) {
            assertThat(writer.isValid()).as("the writer knew before").isFalse();
            assertThat(next.fencingToken()).isGreaterThan(fence).isEqualTo(writer.fencingToken());
        }
        unplugged.heal();
    }

    @Test
    void numbersGrowWithEveryWriter() {
        String name = fresh("number");
        ReadWriteLock lock = here().readWriteLock(name);
        long last = 0;
        for (int i = 0; i < 5; i++) {
            try (Lease reader = lock.read().tryAcquire().orElseThrow()) {
                assertThat(reader.fencingToken()).isGreaterThanOrEqualTo(last).isLessThan(1L << 53);
                last = reader.fencingToken();
            }
            try (Lease writer = lock.write().tryAcquire().orElseThrow()) {
                assertThat(writer.fencingToken()).isGreaterThan(last);
                last = writer.fencingToken();
            }
        }
    }

    @Test
    void aReaderCanNotBecomeAWriter() {
        String name = fresh("upgrade");
        ReadWriteLock lock = here().readWriteLock(name);
        try (Lease reader = lock.read().tryAcquire().orElseThrow()) {
            assertThatThrownBy(() -> lock.write().acquire(SOON))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(name)
                    .hasMessageContaining("close the read lease");
            reader.check();
            assertThat(here().readWriteLock(name, "other").write().tryRun(Lease::check))
                    .isTrue();
        }
        assertThat(lock.write().tryRun(Lease::check)).isTrue();
    }

    @Test
    void aReleasedReaderLeavesNoRowAndAnAbandonedOneIsPurged() throws Exception {
        String name = fresh("rows");
        FaultyDataSource unplugged = new FaultyDataSource(pool());
        Dibs here = dibs(unplugged);
        Dibs there = closing(builder(pool()).purgeAfter(Duration.ofHours(1)).build());
        here.readWriteLock(name).read().tryAcquire().orElseThrow().close();
        assertThat(readers(name)).isZero();
        Lease lost = here.readWriteLock(name).read().tryAcquire().orElseThrow();
        unplugged.on(sql -> true).always().fail("08006", 0);
        letItPass("dibs_reader", name);
        letItPass("dibs_reader", name);
        try (Lease other = there.readWriteLock(name).read().tryAcquire().orElseThrow()) {
            await().untilAsserted(() -> assertThat(readers(name)).isEqualTo(1));
            other.check();
            lost.close();
        }
        unplugged.heal();
    }

    private long readers(String name) throws SQLException {
        return number("SELECT count(*) FROM dibs_reader WHERE name = ?", name);
    }

    private long number(String query, String name) throws SQLException {
        return sql().number(query, name);
    }

    @Test
    void statementsOfReadersAndWriters() throws Exception {
        String name = fresh("price");
        CountingDataSource counting = new CountingDataSource(pool());
        Dibs dibs = dibs(counting);
        ReadWriteLock lock = dibs.readWriteLock(name);
        // By another instance, since adding a row requests a purge.
        there().readWriteLock(name).write().tryAcquire().orElseThrow().close();
        lock.read().tryAcquire().orElseThrow().close();
        int[] price = database().priceOfReadAndWrite();
        await("the end of the purge of readers")
                .until(() -> counting.statements().size() > price[0] + price[1] && counting.openConnections() == 0);
        counting.reset();
        Lease reader = lock.read().tryAcquire().orElseThrow();
        assertThat(counting.statements()).as("read").hasSize(database().priceOfReadAndWrite()[0]);
        counting.reset();
        reader.close();
        assertThat(counting.statements()).as("stop reading").hasSize(database().priceOfReadAndWrite()[1]);
        counting.reset();
        Lease writer = lock.write().acquire(SOON);
        assertThat(counting.statements()).as("write").hasSize(database().priceOfReadAndWrite()[2]);
        writer.close();
        assertThat(counting.commits() + counting.rollbacks() + counting.autoCommitChanges())
                .isZero();
    }
}
