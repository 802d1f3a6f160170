package dev.dibs.conformance;

import dev.dibs.conformance.Client.Acquired;
import dev.dibs.conformance.CuttingProxy.Delayed;
import dev.dibs.conformance.Referee.Row;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** For how long a client believes in a lease: levels 1 and 2 of docs/lab/protocol.md. */
final class DeadlineChecks {

    private static final int LEASES_FOR_A_DECISION = 150;
    private static final Duration LONGEST_LEASE = Duration.ofSeconds(30);

    private DeadlineChecks() {}

    static List<Check> all() {
        return List.of(
                new Check(1, "deadline", DeadlineChecks::deadline),
                new Check(1, "late-grant", DeadlineChecks::lateGrant),
                new Check(1, "loss-after-a-pause", DeadlineChecks::lossAfterPause),
                new Check(2, "late-renewal", DeadlineChecks::lateRenewal),
                new Check(2, "loss-after-a-break", DeadlineChecks::lossAfterBreak),
                new Check(2, "loss-without-database", DeadlineChecks::lossWithoutDatabase));
    }

    /** Whether a client believes in its lease. */
    interface Belief {
        boolean isThere() throws CheckFailed, NotOffered;
    }

    /** The answer is late, but not too late. The lease counts from the request all the same. */
    private static void deadline(Arena arena)
            throws CheckFailed, CheckVoid, NotOffered, IOException, InterruptedException {
        Client client = arena.client();
        Held.once(client, arena);
        // The first renewal is due only after that.
        client.proxy().delay(arena.lease().dividedBy(8));
        Held unused = Held.by(client, arena, arena.name());
        requireEnd(arena, client, client::isValid);
    }

    /**
     * The client was given one late answer, and nothing reaches it from here on. A client that counts from the answer, or keeps no margin,
     * believes for longer than it may.
     */
    static void requireEnd(Arena arena, Client client, Belief belief)
            throws CheckFailed, CheckVoid, NotOffered, InterruptedException {
        client.proxy().refuse(true);
        Delayed late = client.proxy().lastDelayed();
        CheckFailed.unless(late != null, "the client was granted something without a request");
        Duration lease = arena.lease();
        long end = late.requested() + lease.minus(Arena.margin(lease)).toNanos();
        Arena.sleepUntil(end);
        CheckFailed.unless(
                !belief.isThere(),
                "the client believes in a lease of " + lease.toMillis() + " ms for longer than that less the margin,"
                        + " from before it was asked for: the answer came "
                        + Duration.ofNanos(late.answered() - late.requested()).toMillis() + " ms later");
        Duration over = Duration.ofNanos(System.nanoTime() - end);
        if (over.compareTo(Duration.ofNanos(late.answered() - late.requested())) >= 0) {
            throw new CheckVoid(lease, "an answer took " + over.toMillis() + " ms");
        }
    }

    /** The answer comes within the margin: a grant that is answered after its own deadline is not used. */
    private static void lateGrant(Arena arena)
            throws CheckFailed, CheckVoid, NotOffered, IOException, SQLException, InterruptedException {
        String name = arena.name();
        Client client = arena.client();
        Held.once(client, arena);
        Duration lease = arena.lease().multipliedBy(2);
        Duration margin = Arena.margin(lease);
        // Early in the margin, so that a client that keeps none has the rest of it to believe in the grant.
        client.proxy().delayNext(lease.minus(margin.multipliedBy(4).dividedBy(5)));
        client.sendAcquire(name, lease, Duration.ZERO);
        long fence = awaitRow(arena, name, lease).fence();
        Delayed late = client.proxy().awaitDelayed(lease.multipliedBy(2));
        Acquired acquired = client.acquired(lease.multipliedBy(2));
        long told = System.nanoTime();
        CheckFailed.unless(
                !acquired.got() || acquired.fence() != fence,
                "a grant was used that was answered after its own deadline");
        if (late == null || told - late.requested() > lease.toNanos()) {
            throw new CheckVoid(
                    late == null ? lease : leaseFor(Duration.ofNanos(told - late.answered())),
                    "the client was meant to decide before the end of a lease, and came after it");
        }
    }

    /** Its margin, a hundredth of twice the lease, is a few times as long as the client has taken to decide. */
    private static Duration leaseFor(Duration decision) {
        Duration enough = decision.multipliedBy(LEASES_FOR_A_DECISION);
        return enough.compareTo(LONGEST_LEASE) < 0 ? enough : LONGEST_LEASE;
    }

    /** The database has granted the lock; the client does not know yet. */
    private static Row awaitRow(Arena arena, String name, Duration within)
            throws CheckFailed, SQLException, InterruptedException {
        long end = System.nanoTime() + within.toNanos();
        Optional<Row> row = arena.referee().find(name);
        while (row.isEmpty() && System.nanoTime() < end) {
            Thread.sleep(5);
            row = arena.referee().find(name);
        }
        return row.orElseThrow(() -> new CheckFailed("no acquire came within " + within.toMillis() + " ms"));
    }

    private static void lossAfterPause(Arena arena) throws CheckFailed, NotOffered, IOException, SQLException {
        String name = arena.name();
        List<Client> two = arena.clients(2);
        Client client = two.get(0);
        Held unused = Held.by(client, arena, name);
        client.pause();
        Held next = Held.by(two.get(1), arena, name, arena.lease().multipliedBy(4));
        client.resume();
        CheckFailed.unless(
                !client.isValid(), "a holder that was stopped for a lease still believes in it, and another has it");
        long before = arena.referee().count();
        CheckFailed.unless(
                !client.add(arena.referee().counterTable(), Duration.ZERO)
                        && arena.referee().count() == before,
                "a transaction went through under a lease that was lost in a pause");
        CheckFailed.unless(!client.release(), "the client says that it has released a lease that it had lost");
        Row row = arena.referee().row(name);
        CheckFailed.unless(
                row.owner() != null && row.fence() == next.fence(),
                "the release of a lost lease has taken the lock from its holder");
    }

    /** The answers to the first renewal are late. */
    private static void lateRenewal(Arena arena)
            throws CheckFailed, CheckVoid, NotOffered, IOException, SQLException, InterruptedException {
        String name = arena.name();
        Client client = arena.client();
        Held unused = Held.by(client, arena, name);
        long before = arena.referee().row(name).heldUntil();
        long end = System.nanoTime() + arena.lease().toNanos();
        // A client may give up a renewal that takes as long as the time between two of them.
        client.proxy().delay(arena.lease().dividedBy(8));
        while (arena.referee().row(name).heldUntil() == before) {
            if (System.nanoTime() > end) {
                throw new CheckVoid(arena.lease(), "no renewal came within a lease");
            }
            Thread.sleep(5);
        }
        // After the step that has changed the row, another one may ask for the owners.
        Thread.sleep(arena.lease().dividedBy(4).toMillis());
        requireEnd(arena, client, client::isValid);
    }

    private static void lossAfterBreak(Arena arena) throws CheckFailed, NotOffered, IOException, InterruptedException {
        String name = arena.name();
        Client client = arena.client();
        Held unused = Held.by(client, arena, name);
        arena.referee().breakLock(name);
        CheckFailed.unless(
                isOver(arena, client::isValid), "a lease that was broken is believed in for longer than its length");
    }

    private static void lossWithoutDatabase(Arena arena)
            throws CheckFailed, NotOffered, IOException, InterruptedException {
        Client client = arena.client();
        Held unused = Held.by(client, arena, arena.name());
        client.proxy().refuse(true);
        CheckFailed.unless(
                isOver(arena, client::isValid),
                "no renewal got through for a lease, and the holder still believes in it");
    }

    /** Within one lease, and a little for the question and its answer. */
    static boolean isOver(Arena arena, Belief belief) throws CheckFailed, NotOffered, InterruptedException {
        long end = System.nanoTime() + arena.lease().toNanos();
        while (System.nanoTime() < end) {
            if (!belief.isThere()) {
                return true;
            }
            Thread.sleep(20);
        }
        return !belief.isThere();
    }
}
