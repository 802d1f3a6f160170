package dev.dibs.contract.locks.process;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.LeaseInfo;
import dev.dibs.contract.locks.lease.LossContract;
import dev.dibs.contract.support.Fixture;
import dev.dibs.database.FullTest;
import dev.dibs.database.Trait;
import dev.dibs.process.ChildJvm;
import dev.dibs.process.Faketime;
import dev.dibs.process.HolderMain;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;

/** Holders in other processes: killed, stopped for too long, in another time zone, with a wrong clock. */
@Tag("process")
class ProcessContract extends Fixture {

    static final Duration PATIENCE = Duration.ofMinutes(1);
    static final Predicate<String> HELD = line -> line.startsWith("HELD");

    private ChildJvm holder(List<String> options, Map<String, String> environment, String name, Duration lease) {
        return ChildJvm.start(
                options,
                environment,
                HolderMain.class,
                database().url(),
                database().user(),
                database().password(),
                name,
                String.valueOf(lease.toMillis()));
    }

    @FullTest(except = "postgresql")
    void aKilledHolderIsSucceededWhenItsLeaseIsOver() throws Exception {
        String name = fresh("killed");
        Duration lease = Duration.ofSeconds(2);
        ChildJvm holder = closing(holder(List.of(), Map.of(), name, lease));
        holder.awaitLine(HELD, PATIENCE);
        holder.kill();
        // It may be over by now, and then it is not listed.
        Instant end = heldUntil(name);
        Lease successor = here().lock(name).acquire(SOON);
        // By the database's clock alone: from the end of one lease to the beginning of the next.
        LossContract.assertStale(successor.takeover().orElseThrow(), successor);
        // Later if the database had a renewal to do that the killed process had sent.
        assertThat(successor.takeover().orElseThrow().from().until()).isAfterOrEqualTo(end);
    }

    /** It has no lease that others would have to wait for. */
    @FullTest(except = "postgresql")
    void aKilledTransactionFreesItsLockAtOnce() throws Exception {
        assumeRowLocks();
        String name = fresh("transaction");
        ChildJvm holder = closing(holder(List.of(), Map.of(), name, LONG));
        holder.awaitLine(HELD, PATIENCE);
        holder.send("release");
        holder.awaitLine("RELEASED"::equals, PATIENCE);
        holder.send("transaction");
        holder.awaitLine("TRANSACTION true"::equals, PATIENCE);
        assertThat(here().lock(name).tryAcquire()).isEmpty();
        holder.kill();
        here().lock(name).acquire(SOON).close();
    }

    private Instant heldUntil(String name) throws SQLException {
        return Instant.ofEpochMilli(sql().number("SELECT held_until FROM dibs_lock WHERE name = ?", name));
    }

    @FullTest(except = "postgresql")
    void aHolderThatIsStoppedTooLongFindsOutBeforeItWrites() throws Exception {
        String name = fresh("paused");
        Duration lease = Duration.ofSeconds(1);
        ChildJvm holder = closing(holder(List.of(), Map.of(), name, lease));
        holder.awaitLine(HELD, PATIENCE);
        holder.pause();
        Lease successor = here().lock(name).acquire(SOON);
        holder.send("valid");
        holder.send("guard");
        holder.resume();
        assertThat(holder.awaitLine(line -> line.startsWith("VALID"), PATIENCE)).isEqualTo("VALID false");
        assertThat(holder.awaitLine(line -> line.startsWith("GUARD"), PATIENCE)).isEqualTo("GUARD refused");
        successor.check();
    }

    @FullTest(except = "postgresql")
    void anotherTimeZoneAndAWrongClockChangeNothing() throws Exception {
        String name = fresh("clock");
        Optional<Faketime> faketime = Faketime.find();
        if (faketime.isEmpty()) {
            System.out.println(Faketime.MISSING);
        }
        // Where there is no server, each process reads the clock of the machine, as the database does.
        Map<String, String> anHourAhead = database().has(Trait.HAS_CLOCK)
                ? faketime.map(found -> found.shifted("+1h")).orElse(Map.of())
                : Map.of();
        ChildJvm holder = closing(holder(List.of("-Duser.timezone=Pacific/Kiritimati"), anHourAhead, name, LONG));
        assertItIsSeenRight(here(), name, holder, LONG);
    }

    private void assertItIsSeenRight(Dibs dibs, String name, ChildJvm holder, Duration lease) throws Exception {
        String held = holder.awaitLine(HELD, PATIENCE);
        LeaseInfo seen = holder(dibs, name).orElseThrow();
        assertThat(held).isEqualTo("HELD " + seen.fencingToken());
        assertThat(Duration.between(seen.since(), seen.until())).isBetween(lease, lease.multipliedBy(2));
        assertThat(Duration.between(seen.since(), Instant.now()).abs())
                .as("this machine is the database's")
                .isLessThan(Duration.ofMinutes(1));
        assertThat(dibs.lock(name).tryAcquire()).isEmpty();
        holder.send("valid");
        assertThat(holder.awaitLine(line -> line.startsWith("VALID"), PATIENCE)).isEqualTo("VALID true");
        holder.send("guard");
        assertThat(holder.awaitLine(line -> line.startsWith("GUARD"), PATIENCE)).isEqualTo("GUARD committed");
        holder.send("release");
        holder.awaitLine("RELEASED"::equals, PATIENCE);
        try (Lease next = dibs.lock(name).acquire(SOON)) {
            assertThat(next.fencingToken()).isGreaterThan(seen.fencingToken());
        }
    }
}
