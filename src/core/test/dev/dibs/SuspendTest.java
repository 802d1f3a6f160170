package dev.dibs;

import static org.awaitility.Awaitility.await;

import dev.dibs.claims.Claim;
import dev.dibs.claims.RowKey;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.H2Database;
import dev.dibs.database.TestDatabase;
import dev.dibs.database.UsesDatabase;
import dev.dibs.internal.lease.HeldLease;
import dev.dibs.internal.time.Term;
import dev.dibs.junit.Closing;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A suspended laptop: nanoTime stood still, the wall clock went on, and another process may have the lease. */
@Tag("contract")
@UsesDatabase(H2Database.class)
class SuspendTest extends Closing {

    private final JumpingClock clock = new JumpingClock();

    @Test
    void validityWaitsForTheDatabaseAndComesBackIfTheLeaseIsStillOurs(TestDatabase database) {
        FaultyDataSource faulty = new FaultyDataSource(database.dataSource());
        Dibs dibs = closing(dibs(faulty));
        Lease lease = closing(dibs.lock("suspend-1").tryAcquire().orElseThrow());
        faulty.on(sql -> true).always().fail("08006", 0);
        clock.slept.set(3_600_000);
        assertThat(lease.isValid()).isFalse();
        assertThat(lease.remaining()).isZero();
        assertThatThrownBy(lease::check).as("nobody can confirm it").isInstanceOf(DatabaseFailureException.class);
        faulty.heal();
        lease.check();
        assertThat(lease.isValid()).isTrue();
        clock.slept.set(7_200_000);
        assertThat(lease.isValid()).isFalse();
        await().until(lease::isValid);
    }

    /** The other tests have locks in the same table. */
    private static Instant until(Dibs dibs, Lease lease) {
        return dibs.admin().locks().stream()
                .filter(held -> held.name().equals(lease.name()))
                .findAny()
                .orElseThrow()
                .until();
    }

    /** The database confirms it, without a renewal. */
    @Test
    void aTimedLeaseIsLookedUpUntilTheDatabaseAnswers(TestDatabase database) {
        FaultyDataSource faulty = new FaultyDataSource(database.dataSource());
        Dibs dibs = closing(dibs(faulty));
        TimedLease lease = closing(dibs.lock("suspend-6")
                .atMost(Duration.ofMinutes(10))
                .tryAcquire()
                .orElseThrow());
        Instant until = until(dibs, lease);
        faulty.on(sql -> true).time(1).fail("08006", 0);
        clock.slept.set(3_600_000);
        assertThat(lease.isValid()).isFalse();
        await().until(lease::isValid);
        assertThat(faulty.struck()).hasSize(1);
        assertThat(lease.remaining()).isGreaterThan(Duration.ofMinutes(9));
        clock.slept.set(7_200_000);
        lease.check();
        assertThat(until(dibs, lease)).isEqualTo(until);
    }

    @Test
    void aClockThatIsSetBackEndsNoDoubt(TestDatabase database) {
        FaultyDataSource faulty = new FaultyDataSource(database.dataSource());
        Dibs dibs = closing(dibs(faulty));
        Lease lease = closing(dibs.lock("suspend-0").tryAcquire().orElseThrow());
        faulty.on(sql -> true).always().fail("08006", 0);
        clock.slept.set(3_600_000);
        assertThat(lease.isValid()).isFalse();
        clock.slept.set(0);
        assertThat(lease.isValid()).isFalse();
        assertThatThrownBy(lease::check).as("nobody can confirm it").isInstanceOf(DatabaseFailureException.class);
        faulty.heal();
        lease.check();
        assertThat(lease.isValid()).isTrue();
    }

    /** Only a renewal ends it. */
    @Test
    void aClockThatIsSetBackEndsNoDoubtOfAClaim(TestDatabase database) throws Exception {
        Dibs dibs = closing(dibs(new FaultyDataSource(database.dataSource())));
        Connection connection = closing(database.dataSource().getConnection());
        Statement sql = closing(connection.createStatement());
        sql.execute("CREATE TABLE asleep (id bigint NOT NULL PRIMARY KEY, token varchar(32), until_ms bigint)");
        sql.execute("INSERT INTO asleep (id) VALUES (1)");
        try (Claim<RowKey> claim = dibs.claims("asleep")
                .key("id")
                .token("token")
                .until("until_ms")
                .build()
                .claim(1)) {
            clock.slept.set(3_600_000);
            assertThat(claim.isHeld(RowKey.of(1))).isFalse();
            clock.slept.set(0);
            assertThat(claim.isHeld(RowKey.of(1))).isFalse();
            assertThat(claim.isValid()).isFalse();
            assertThat(claim.renew().isComplete()).isTrue();
            assertThat(claim.isHeld(RowKey.of(1))).isTrue();
        }
        sql.execute("DROP TABLE asleep");
    }

    @Test
    void aSuspendedLeaseIsLostIfAnotherHoldsIt(TestDatabase database) {
        Dibs dibs = closing(dibs(new FaultyDataSource(database.dataSource())));
        Dibs there = closing(Dibs.on(database.dataSource()));
        Lease lease = dibs.lock("suspend-2").tryAcquire().orElseThrow();
        there.admin().breakLock("suspend-2");
        assertThat(lease.isValid()).as("it cannot know yet").isTrue();
        clock.slept.set(3_600_000);
        assertThatThrownBy(lease::check).isInstanceOf(LeaseLostException.class);
    }

    /** Its row cannot be renewed, and shows how long others wait: longer than the holder may rely on it. */
    @Test
    void theHolderDoesNotUseTheTolerance(TestDatabase database) throws Exception {
        String of = " WHERE name = 'suspend-5'";
        Dibs dibs = closing(dibs(new FaultyDataSource(database.dataSource()), Duration.ofMinutes(1)));
        Lease lease = closing(dibs.lock("suspend-5").tryAcquire().orElseThrow());
        Connection other = closing(database.dataSource().getConnection());
        Statement sql = closing(other.createStatement());
        int byHalfOfIt = 10 * 60_000 + 30_000;
        sql.executeUpdate("UPDATE dibs_lock SET held_until = held_until - " + byHalfOfIt + of);
        other.setAutoCommit(false);
        sql.executeQuery("SELECT fence FROM dibs_lock" + of + " FOR UPDATE");
        clock.slept.set(3_600_000);
        assertThatThrownBy(lease::check).isInstanceOf(LeaseLostException.class);
        other.rollback();
    }

    @Test
    void anAnswerThatComesAfterTheDeadlineRevivesNothing(TestDatabase database) {
        Dibs dibs = closing(dibs(new FaultyDataSource(database.dataSource())));
        HeldLease lease = (HeldLease) dibs.lock("suspend-3").tryAcquire().orElseThrow();
        Term late = Term.from(clock, lease.length() * 10);
        clock.paused.set(Duration.ofMinutes(10).toNanos());
        // No check has run yet: the answer itself must notice that it is too late.
        lease.extend(late);
        assertThat(lease.isValid()).isFalse();
    }

    @Test
    void anAnswerThatWasOvertakenChangesNothing(TestDatabase database) {
        Dibs dibs = closing(dibs(new FaultyDataSource(database.dataSource())));
        HeldLease lease =
                closing((HeldLease) dibs.lock("suspend-4").tryAcquire().orElseThrow());
        Term early = Term.from(clock, lease.length());
        clock.paused.set(Duration.ofMinutes(1).toNanos());
        lease.extend(Term.from(clock, lease.length()));
        Duration remaining = lease.remaining();
        lease.extend(early);
        assertThat(lease.remaining()).isGreaterThan(remaining.minusSeconds(30));
    }

    private Dibs dibs(FaultyDataSource dataSource) {
        return dibs(dataSource, Duration.ZERO);
    }

    private Dibs dibs(FaultyDataSource dataSource, Duration tolerance) {
        Dibs dibs = Dibs.builder(dataSource)
                .leaseLength(Duration.ofMinutes(10))
                .clockTolerance(tolerance)
                .clock(clock)
                .build();
        dibs.admin().createSchema();
        return dibs;
    }
}
