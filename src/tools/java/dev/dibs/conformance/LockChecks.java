package dev.dibs.conformance;

import dev.dibs.conformance.Client.Acquired;
import dev.dibs.conformance.CuttingProxy.Cut;
import dev.dibs.conformance.Referee.Row;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/** What a client of locks must keep to: levels 1 to 4 of docs/protocol.md. */
final class LockChecks {

    private static final Duration LEASE = Duration.ofMillis(1500);
    private static final Duration NONE = Duration.ZERO;
    private static final Duration PAUSE = Duration.ofMillis(50);
    private static final Duration LONG = LEASE.multipliedBy(4);

    private LockChecks() {}

    static List<Check> all() {
        return List.of(
                new Check(1, "acquire", LockChecks::acquire),
                new Check(1, "busy", LockChecks::busy),
                new Check(1, "fresh-tokens", LockChecks::freshTokens),
                new Check(1, "names", LockChecks::names),
                new Check(1, "guard", LockChecks::guard),
                new Check(1, "guard-after-break", LockChecks::guardAfterBreak),
                new Check(1, "guard-to-the-commit", LockChecks::guardToTheCommit),
                new Check(2, "renewal", LockChecks::renewal),
                new Check(2, "loss-after-a-pause", LockChecks::lossAfterPause),
                new Check(2, "loss-after-a-break", LockChecks::lossAfterBreak),
                new Check(2, "loss-without-database", LockChecks::lossWithoutDatabase),
                new Check(2, "killed", LockChecks::killed),
                new Check(3, "lost-request", arena -> lostOnTheWay(arena, Cut.REQUEST)),
                new Check(3, "lost-answer", arena -> lostOnTheWay(arena, Cut.ANSWER)),
                new Check(4, "wait", LockChecks::waitForRelease));
    }

    private static long hold(Client client, String name) throws CheckFailed, NotOffered {
        return hold(client, name, NONE);
    }

    /** Asks again and again, so that the client need not know how to wait. */
    private static long hold(Client client, String name, Duration within) throws CheckFailed, NotOffered {
        long end = System.nanoTime() + within.toNanos();
        Acquired acquired = client.acquire(name, LEASE, NONE);
        while (!acquired.got() && System.nanoTime() < end) {
            LockSupport.parkNanos(PAUSE.toNanos());
            acquired = client.acquire(name, LEASE, NONE);
        }
        CheckFailed.unless(
                acquired.got(),
                "a lock that was free, or to be free soon, was not got within " + within.toMillis() + " ms"
                        + (acquired.error() == null ? "" : ": " + acquired.error()));
        return acquired.fence();
    }

    private static void refuse(Client client, String name, Duration during, String why) throws CheckFailed, NotOffered {
        long end = System.nanoTime() + during.toNanos();
        do {
            CheckFailed.unless(!client.acquire(name, LEASE, NONE).got(), "a lock was got " + why);
            LockSupport.parkNanos(PAUSE.toNanos());
        } while (System.nanoTime() < end);
    }

    private static void acquire(Arena arena) throws CheckFailed, NotOffered, IOException, SQLException {
        String name = arena.name();
        long fence = hold(arena.client(), name);
        Row row = arena.referee().row(name);
        String owner = Objects.requireNonNullElse(row.owner(), "");
        CheckFailed.unless(
                owner.matches("[0-9a-f]{32}"), "the owner is '" + owner + "', and not 32 hexadecimal digits");
        CheckFailed.unless(
                fence == row.fence(), "the fence is " + row.fence() + ", and the client says that it is " + fence);
        long length = row.heldUntil() - row.acquiredAt();
        CheckFailed.unless(
                Math.abs(length - LEASE.toMillis()) <= 100,
                "the lease was to be " + LEASE.toMillis() + " ms long, and is " + length);
    }

    private static void busy(Arena arena) throws CheckFailed, NotOffered, IOException, SQLException {
        String name = arena.name();
        hold(arena.client(), name);
        Row before = arena.referee().row(name);
        refuse(arena.client(), name, NONE, "that another client holds");
        CheckFailed.unless(
                Objects.equals(before.owner(), arena.referee().row(name).owner()),
                "a try on a held lock has changed its owner");
    }

    private static void freshTokens(Arena arena) throws CheckFailed, NotOffered, IOException, SQLException {
        String name = arena.name();
        Client client = arena.client();
        Set<String> owners = new HashSet<>();
        long last = 0;
        for (int i = 0; i < 5; i++) {
            long fence = hold(client, name);
            CheckFailed.unless(fence > last, "the fence " + fence + " came after " + last);
            last = fence;
            String owner = Objects.requireNonNullElse(arena.referee().row(name).owner(), "");
            CheckFailed.unless(owners.add(owner), "the owner token " + owner + " was used for a second acquire");
            CheckFailed.unless(client.release(), "the client says that a release did not release");
            CheckFailed.unless(arena.referee().row(name).owner() == null, "a released lock still has an owner");
        }
    }

    private static void names(Arena arena) throws CheckFailed, NotOffered, IOException, SQLException {
        String name = arena.name();
        Client client = arena.client();
        for (String other : List.of(name, name.toUpperCase(Locale.ROOT), name + " ", name + "\u00e9\uD83D\uDE80")) {
            hold(client, other);
            CheckFailed.unless(arena.referee().row(other).owner() != null, "'" + other + "' has no owner");
        }
    }

    private static void guard(Arena arena) throws CheckFailed, NotOffered, IOException, SQLException {
        Client client = arena.client();
        hold(client, arena.name());
        long before = arena.referee().count();
        CheckFailed.unless(
                client.add(arena.referee().counterTable(), NONE), "a guarded transaction of the holder failed");
        CheckFailed.unless(
                arena.referee().count() == before + 1, "a guarded transaction was reported done and is not there");
    }

    private static void guardAfterBreak(Arena arena) throws CheckFailed, NotOffered, IOException, SQLException {
        String name = arena.name();
        Client client = arena.client();
        Client other = arena.client();
        hold(client, name);
        arena.referee().breakLock(name);
        hold(other, name);
        long before = arena.referee().count();
        boolean added = client.add(arena.referee().counterTable(), NONE);
        CheckFailed.unless(
                !added && arena.referee().count() == before,
                "a transaction went through under a lease that another client has");
    }

    private static void guardToTheCommit(Arena arena)
            throws CheckFailed, NotOffered, IOException, SQLException, InterruptedException {
        String name = arena.name();
        Client client = arena.client();
        Client other = arena.client();
        hold(client, name);
        long before = arena.referee().count();
        client.sendAdd(arena.referee().counterTable(), LEASE);
        Thread.sleep(LEASE.dividedBy(2).toMillis());
        client.pause();
        refuse(other, name, LEASE.multipliedBy(2), "while a guarded transaction of its holder was open");
        client.resume();
        boolean added = client.added(LEASE);
        CheckFailed.unless(
                arena.referee().count() == before + (added ? 1 : 0),
                "the client reports " + (added ? "a commit" : "no commit") + ", which is not so");
        hold(other, name, LONG);
    }

    private static void renewal(Arena arena)
            throws CheckFailed, NotOffered, IOException, SQLException, InterruptedException {
        String name = arena.name();
        Client client = arena.client();
        Client other = arena.client();
        hold(client, name);
        String owner = arena.referee().row(name).owner();
        refuse(other, name, LEASE.multipliedBy(2), "whose holder lives");
        CheckFailed.unless(
                Objects.equals(owner, arena.referee().row(name).owner()), "the holder's lease was not renewed");
        CheckFailed.unless(client.isValid(), "the holder does not believe in a lease that was renewed");
    }

    private static void lossAfterPause(Arena arena) throws CheckFailed, NotOffered, IOException, SQLException {
        String name = arena.name();
        Client client = arena.client();
        Client other = arena.client();
        hold(client, name);
        client.pause();
        long fence = hold(other, name, LONG);
        client.resume();
        CheckFailed.unless(
                !client.isValid(), "a holder that was stopped for a lease still believes in it, and another has it");
        long before = arena.referee().count();
        CheckFailed.unless(
                !client.add(arena.referee().counterTable(), NONE)
                        && arena.referee().count() == before,
                "a transaction went through under a lease that was lost in a pause");
        CheckFailed.unless(!client.release(), "the client says that it has released a lease that it had lost");
        Row row = arena.referee().row(name);
        CheckFailed.unless(
                row.owner() != null && row.fence() == fence,
                "the release of a lost lease has taken the lock from its holder");
        CheckFailed.unless(other.isValid(), "the new holder does not believe in its lease");
    }

    private static void lossAfterBreak(Arena arena)
            throws CheckFailed, NotOffered, IOException, SQLException, InterruptedException {
        String name = arena.name();
        Client client = arena.client();
        hold(client, name);
        arena.referee().breakLock(name);
        CheckFailed.unless(becomesInvalid(client), "a lease that was broken is believed in for longer than its length");
    }

    private static void lossWithoutDatabase(Arena arena)
            throws CheckFailed, NotOffered, IOException, SQLException, InterruptedException {
        Client client = arena.client();
        hold(client, arena.name());
        client.proxy().refuse(true);
        CheckFailed.unless(
                becomesInvalid(client), "no renewal got through for a lease, and the holder still believes in it");
    }

    /** Within one lease, and a little for the question and its answer. */
    private static boolean becomesInvalid(Client client) throws CheckFailed, NotOffered, InterruptedException {
        long end = System.nanoTime() + LEASE.toNanos();
        while (System.nanoTime() < end) {
            if (!client.isValid()) {
                return true;
            }
            Thread.sleep(20);
        }
        return !client.isValid();
    }

    private static void killed(Arena arena) throws CheckFailed, NotOffered, IOException, SQLException {
        String name = arena.name();
        Client client = arena.client();
        Client other = arena.client();
        hold(client, name);
        client.kill();
        hold(other, name, LONG);
    }

    /** Whatever the client makes of it: the lock is its own, or free again within a lease. */
    private static void lostOnTheWay(Arena arena, Cut cut) throws CheckFailed, NotOffered, IOException, SQLException {
        Client client = arena.client();
        Client other = arena.client();
        for (int i = 0; i < 3; i++) {
            // Its connection is open, so that the next thing that it sends is the acquire.
            hold(client, arena.name());
            client.release();
            String name = arena.name();
            client.proxy().cut(cut);
            Acquired acquired = client.acquire(name, LEASE, NONE);
            if (acquired.got()) {
                Row row = arena.referee().row(name);
                CheckFailed.unless(
                        row.owner() != null && row.fence() == acquired.fence(),
                        "the client believes in a lock that it has not got");
                CheckFailed.unless(client.release(), "a lock whose answer was lost could not be released");
            } else {
                hold(other, name, LEASE.plusSeconds(1));
                other.release();
            }
        }
    }

    private static void waitForRelease(Arena arena)
            throws CheckFailed, NotOffered, IOException, SQLException, InterruptedException {
        String name = arena.name();
        Client client = arena.client();
        Client other = arena.client();
        hold(client, name);
        other.sendAcquire(name, LEASE, LONG);
        Thread.sleep(300);
        CheckFailed.unless(client.release(), "the client says that a release did not release");
        long released = System.nanoTime();
        CheckFailed.unless(other.acquired(LONG).got(), "a waiter did not get a lock that was released");
        long late = (System.nanoTime() - released) / 1_000_000;
        CheckFailed.unless(late < 1000, "a waiter got the lock only " + late + " ms after its release");
    }
}
