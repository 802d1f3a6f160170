package dev.dibs.contract.locks.lease;

import dev.dibs.Lease;
import dev.dibs.NamedLock;
import dev.dibs.NamedLocks;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.LeaseStatements;
import dev.dibs.contract.support.LeaseTable;
import dev.dibs.database.FullTest;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The database's clock is set back: what was released stays free, and what was used lately is not purged. To a row this is the same as if all
 * of its times lay later.
 */
class ClockBackContract extends ContractFixture {

    private static final long STEP = 600_000;
    private static final long HOUR = Duration.ofHours(1).toMillis();

    /** Without readers and tickets, which a release deletes. */
    private static final List<String> KINDS = List.of("lock", "held_lock", "permit", "gate", "once");

    private void setBack(String table, String name) throws SQLException {
        sql().run("UPDATE " + table + " SET acquired_at = acquired_at + " + STEP + ", held_until = held_until + " + STEP
                + ", fence = fence + " + 1000 * STEP + " WHERE name LIKE '" + name + "%'");
    }

    private long count(String table, String where) throws SQLException {
        return sql().number("SELECT count(*) FROM " + table + " WHERE " + where);
    }

    @FullTest(except = "postgresql")
    void noStatementThatReleasesLeavesAnEndThatMayLieAhead() throws Exception {
        LeaseTable.each(this, KINDS, table -> {
            List<String> releases = LeaseStatements.about(asked(pool(), "dibs_").statements(), table.kind).stream()
                    .filter(name -> name.matches("(release|break|complete|fail)_.*"))
                    .toList();
            assertThat(releases).hasSizeGreaterThan(1);
            for (String statement : releases) {
                table.insert("a", "mine", true);
                assertThat(table.hit(statement, "a", "mine")).as(statement).isTrue();
                assertThat(count(table.table(), "owner IS NULL AND held_until <= " + (table.now - STEP)))
                        .as(statement)
                        .isEqualTo(1);
                table.clear();
            }
        });
    }

    @Test
    void aReleasedLeaseIsFree() throws Exception {
        String name = fresh("back");
        Lease guarded = here().lock(name + "guarded").tryAcquire().orElseThrow();
        guarded.inTransaction(pool(), tx -> {});
        for (Lease lease : List.of(
                guarded,
                here().lock(name + "plain").tryAcquire().orElseThrow(),
                here().lock(name + "long")
                        .holdAtLeast(Duration.ofMillis(1))
                        .tryAcquire()
                        .orElseThrow(),
                here().semaphore(name, 1).tryAcquire().orElseThrow(),
                here().readWriteLock(name).write().tryAcquire().orElseThrow())) {
            lease.close();
        }
        NamedLocks both = here().lockAll(List.of(name + "one", name + "two"));
        both.tryAcquire().orElseThrow().close();
        here().readWriteLock(name + "read").read().tryAcquire().orElseThrow().close();
        assertThat(there().lock(name + "broken").tryAcquire()).isPresent();
        here().admin().breakLock(name + "broken");
        assertThat(here().lock(name + "closed").tryAcquire()).isPresent();
        here().close();
        for (String table : List.of("dibs_lock", "dibs_permit", "dibs_gate")) {
            setBack(table, name);
        }
        for (String free : List.of("guarded", "plain", "long", "one", "two", "broken", "closed")) {
            assertThat(there().lock(name + free).tryAcquire()).as(free).isPresent();
        }
        assertThat(there().semaphore(name, 1).tryAcquire()).isPresent();
        assertThat(there().readWriteLock(name).write().tryAcquire()).isPresent();
        assertThat(there().readWriteLock(name + "read").write().tryAcquire()).isPresent();
    }

    @Test
    void breakFreesALockThatIsHeldBack() {
        String name = fresh("held");
        NamedLock lock = here().lock(name).holdAtLeast(LONG);
        lock.tryAcquire().orElseThrow().close();
        assertThat(lock.tryAcquire()).isEmpty();
        assertThat(here().admin().breakLock(name)).as("it has no holder").isEmpty();
        assertThat(lock.tryAcquire()).isPresent();
    }

    /** A row that is deleted too early forgets its fence, and a clock that was set back may repeat it. */
    @Test
    void aPurgeCountsFromTheLastAcquisition() throws Exception {
        LeaseTable.each(this, Stream.concat(KINDS.stream(), Stream.of("reader")).toList(), table -> {
            String purge = "purge_" + table.kind + "s";
            for (long until : new long[] {0, table.now - 2 * HOUR}) {
                table.insert("used", "a", until);
                table.set("acquired_at", table.now - HOUR / 2);
                table.hit(purge, "used", "a");
                assertThat(table.rows()).as(purge).hasSize(1);
                table.set("acquired_at", table.now - 3 * HOUR);
                table.hit(purge, "used", "a");
                assertThat(table.rows()).as(purge).isEmpty();
            }
        });
    }
}
