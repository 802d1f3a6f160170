package dev.dibs.contract.locks.acquire;

import static dev.dibs.contract.support.LeaseStatements.FAR;
import static dev.dibs.contract.support.LeaseStatements.OWNER;
import static dev.dibs.contract.support.LeaseStatements.STRANGER;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.NamedLock;
import dev.dibs.NotAcquiredException;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.LeaseStatements;
import dev.dibs.contract.support.LeaseTable;
import dev.dibs.database.CountingDataSource;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullTest;
import dev.dibs.internal.sql.errors.SqlFailure;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

/** A process that comes back to a lock that it has released acquires it in a shorter way if it is free, and gets the same answer if not. */
class RetakeContract extends ContractFixture {

    @Test
    void onlyARowThatIsAsItWasGivenBackIsRetaken() throws Exception {
        assumeRetakes();
        LeaseTable.each(this, List.of("lock"), table -> {
            table.insert("free", null, false);
            assertThat(table.ask("retake_lock", List.of("free"), STRANGER)).isTrue();
            assertThat(table.rows()).containsExactly("free " + STRANGER + " changed");
            assertThat(table.fences())
                    .singleElement(InstanceOfAssertFactories.LONG)
                    .isGreaterThan(LeaseTable.FENCE);
            table.clear();
            table.insert("held", OWNER, true);
            table.insert("held-back", null, true);
            table.insert("stale", OWNER, false);
            assertNoneIsRetaken(table, "held", "held-back", "stale", "new");
            table.clear();
            table.insert("had-by-another-one", null, false);
            table.fence(LeaseTable.FENCE + 1);
            assertNoneIsRetaken(table, "had-by-another-one");
        });
    }

    private void assumeRetakes() {
        assumeTrue(database().runs("retake_lock"), "this dialect never sends a retake");
    }

    private static void assertNoneIsRetaken(LeaseTable table, String... names) throws Exception {
        List<String> before = table.rows();
        for (String name : names) {
            assertThat(table.ask("retake_lock", List.of(name), STRANGER))
                    .as(name)
                    .isFalse();
        }
        assertThat(table.rows()).isEqualTo(before);
    }

    @Test
    void ofAListThoseThatAreAsTheyWereGivenBackAreRetaken() throws Exception {
        assumeTrue(database().runs("retake_each_lock"), "each lock is retaken alone here");
        LeaseTable.each(this, List.of("lock"), table -> {
            table.insert("free", null, false);
            table.insert("free-too", null, false);
            table.insert("had-by-another-one", null, false);
            table.insert("held", OWNER, true);
            table.insert("held-back", null, true);
            table.insert("stale", OWNER, false);
            Map<String, Long> known = new LinkedHashMap<>();
            for (String name : List.of("stale", "held-back", "free", "held", "free-too", "had-by-another-one", "new")) {
                known.put(name, LeaseTable.FENCE - (name.equals("had-by-another-one") ? 1 : 0));
            }
            Map<String, Long> retaken = table.retakeEach(known, STRANGER);
            assertThat(retaken).containsOnlyKeys("free", "free-too");
            assertThat(retaken.values()).allMatch(fence -> fence > LeaseTable.FENCE);
            assertThat(table.rows())
                    .containsExactly(
                            "free " + STRANGER + " changed",
                            "free-too " + STRANGER + " changed",
                            "had-by-another-one null expired",
                            "held " + OWNER + " held",
                            "held-back null held",
                            "stale " + OWNER + " expired");
            table.clear();
            table.insert("free", null, false);
            table.fence(FAR);
            assertThat(table.retakeEach(Map.of("free", FAR), STRANGER)).containsOnly(Map.entry("free", FAR + 1));
        });
    }

    /** The clock may have been set back, or the row may come from a backup. */
    @Test
    void aFenceGrowsByOneWhereTheClockIsBehindIt() throws Exception {
        assumeRetakes();
        LeaseTable.each(this, List.of("lock"), table -> {
            table.insert("free", null, false);
            table.fence(FAR);
            assertThat(table.retake("free", STRANGER, FAR)).containsExactly(FAR + 1);
            assertThat(table.fences()).containsExactly(FAR + 1);
            assertThat(table.retake("free", OWNER, FAR))
                    .as("the same fence again")
                    .isEmpty();
        });
    }

    @Test
    void noRetakeWaitsForALockedRow() throws Exception {
        assumeRowLocks();
        assumeRetakes();
        HikariDataSource impatient = impatient();
        Connection other = connection();
        LeaseTable.each(this, impatient, List.of("lock"), table -> {
            table.insert("free", null, false);
            table.insert("locked", null, false);
            other.setAutoCommit(false);
            table.lock(other, "locked");
            try {
                assertThat(table.retake("locked", STRANGER, LeaseTable.FENCE)).isEmpty();
            } catch (SqlFailure e) {
                assertThat(LeaseStatements.failsSoon(impatient, "retake_lock", e))
                        .as(e.getMessage())
                        .isTrue();
            }
            if (database().runs("retake_each_lock")) {
                Map<String, Long> known = Map.of("free", LeaseTable.FENCE, "locked", LeaseTable.FENCE);
                try {
                    assertThat(table.retakeEach(known, STRANGER)).containsOnlyKeys("free");
                } catch (SqlFailure e) {
                    assertThat(LeaseStatements.failsSoon(impatient, "retake_each_lock", e))
                            .as(e.getMessage())
                            .isTrue();
                }
            }
            other.rollback();
            other.setAutoCommit(true);
        });
    }

    /** From its own program, and from another one that had the lock before. */
    @Test
    void aGuardThatOutlivesItsLeaseKeepsTheLock() throws Exception {
        for (boolean own : new boolean[] {true, false}) {
            String name = fresh("guarded");
            here().lock(name).tryAcquire().orElseThrow().close();
            Lease guarded = (own ? here() : there()).lock(name).tryAcquire().orElseThrow();
            Connection business = transaction();
            guarded.guard(business);
            guarded.close();
            assertKeptUntilTheCommit(here().lock(name), business);
        }
    }

    private static void assertKeptUntilTheCommit(NamedLock lock, Connection business) throws SQLException {
        assertThat(lock.tryAcquire()).isEmpty();
        business.commit();
        business.setAutoCommit(true);
        assertThat(lock.tryAcquire(SOON)).isPresent();
    }

    /** As a command under {@code dibs lock} guards: see docs/lab/protocol.md. */
    @Test
    void aGuardByTheFenceKeepsTheLockFromItsOwnProgram() throws Exception {
        String name = fresh("guard-by-fence");
        Connection business = connection();
        PreparedStatement guard = closing(business.prepareStatement(database().guardByFence()));
        Lease lease = here().lock(name).tryAcquire().orElseThrow();
        business.setAutoCommit(false);
        guard.setString(1, name);
        guard.setLong(2, lease.fencingToken());
        try (ResultSet guarded = guard.executeQuery()) {
            assertThat(guarded.next()).isTrue();
        }
        lease.close();
        assertKeptUntilTheCommit(here().lock(name), business);
    }

    @Test
    void aRetakeAfterAnotherHolderIsAnAcquire() throws Exception {
        String name = fresh("passed-on");
        here().lock(name).tryAcquire().orElseThrow().close();
        Lease theirs = there().lock(name).tryAcquire().orElseThrow();
        theirs.close();
        Lease ours = here().lock(name).tryAcquire().orElseThrow();
        assertThat(ours.fencingToken()).isGreaterThan(theirs.fencingToken());
        ours.close();
        Lease broken = there().lock(name).tryAcquire().orElseThrow();
        here().admin().breakLock(name);
        Lease again = here().lock(name).tryAcquire().orElseThrow();
        assertThat(again.fencingToken()).isGreaterThan(broken.fencingToken());
        again.check();
    }

    @Test
    void aLeaseThatWasBrokenIsNotRemembered() throws Exception {
        String name = fresh("broken");
        CountingDataSource counting = new CountingDataSource(pool());
        Dibs dibs = dibs(counting);
        Lease broken = dibs.lock(name).tryAcquire().orElseThrow();
        here().admin().breakLock(name);
        broken.close();
        counting.reset();
        dibs.lock(name).tryAcquire().orElseThrow().close();
        assertThat(counting.statements()).noneMatch(sql -> sql.contains("owner IS NULL"));
    }

    @Test
    void aLockThatWasGivenBackComesAgainByTheShorterWay() {
        String name = fresh("again");
        CountingDataSource counting = new CountingDataSource(pool());
        Dibs dibs = dibs(counting);
        // By another instance, since adding a row requests a purge.
        here().lock(name).tryAcquire().orElseThrow().close();
        Lease first = dibs.lock(name).tryAcquire().orElseThrow();
        first.close();
        counting.reset();
        Lease again = dibs.lock(name).tryAcquire().orElseThrow();
        assertThat(counting.statements()).hasSize(1);
        assertThat(again.fencingToken()).isGreaterThan(first.fencingToken());
        assertThat(again.takeover()).isEmpty();
        counting.reset();
        assertThat(dibs.lock(name).tryAcquire())
                .as("it is not asked for that way while it is held here")
                .isEmpty();
        assertThat(counting.statements()).hasSize(1);
        again.close();
    }

    @Test
    void aRefusedRetakeNamesTheHolderAndATakeoverTheFormerHolder() throws Exception {
        String name = fresh("meanwhile");
        Dibs other = closing(builder(pool()).holder("somebody else").build());
        here().lock(name).tryAcquire().orElseThrow().close();
        try (Lease theirs = other.lock(name).tryAcquire().orElseThrow()) {
            assertThat(here().lock(name).tryAcquire()).isEmpty();
            here().lock(name + "-2").tryAcquire().orElseThrow().close();
            Lease second = other.lock(name + "-2").tryAcquire().orElseThrow();
            NotAcquiredException busy = assertThrows(
                    NotAcquiredException.class, () -> here().lock(name + "-2").acquire(Duration.ZERO));
            assertThat(busy.holder())
                    .hasValueSatisfying(holder -> assertThat(holder.holder()).isEqualTo("somebody else"));
            assertThat(theirs.isValid()).isTrue();
            second.close();
        }
        here().lock(name).tryAcquire().orElseThrow().close();
        vanished(name);
        Lease taken = await().until(() -> here().lock(name).tryAcquire(), Optional::isPresent)
                .orElseThrow();
        assertThat(taken.takeover())
                .hasValueSatisfying(past -> assertThat(past.from().holder()).isEqualTo("vanished"));
        taken.close();
    }

    /** Like a holder that acquired it since, and died. */
    private void vanished(String name) throws SQLException {
        sql().run("UPDATE dibs_lock SET owner = '" + OWNER + "', holder = 'vanished' WHERE name = '" + name + "'");
    }

    @FullTest(except = "postgresql")
    void aRetakeWhoseAnswerWasLostIsFoundAgain() throws Exception {
        String name = fresh("answer");
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Dibs dibs = closing(oftenRenewed(faulty).build());
        Dibs there = dibs();
        dibs.lock(name).tryAcquire().orElseThrow().close();
        faulty.on(ANY).time(1).loseAnswer();
        try (Lease lease = dibs.lock(name).tryAcquire().orElseThrow()) {
            assertThat(faulty.struck()).hasSize(1);
            assertThat(there.lock(name).tryAcquire()).isEmpty();
            awaitRenewal(there, name);
            lease.check();
        }
        // A release that meets a renewal is done in the background.
        assertThat(there.lock(name).tryAcquire(SOON)).isPresent();
    }
}
