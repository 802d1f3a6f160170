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

/** How a client acquires, renews and releases locks: levels 1 to 4 of docs/lab/protocol.md. */
final class LockChecks {

    private LockChecks() {}

    static List<Check> all() {
        return List.of(
                new Check(1, "acquire", LockChecks::acquire),
                new Check(1, "busy", LockChecks::busy),
                new Check(1, "fresh-tokens", LockChecks::freshTokens),
                new Check(1, "names", LockChecks::names),
                new Check(1, "release-after-break", LockChecks::releaseAfterBreak),
                new Check(2, "renewal", LockChecks::renewal).confirmed(),
                new Check(2, "killed", LockChecks::killed),
                new Check(3, "lost-request", arena -> lostOnTheWay(arena, Cut.REQUEST)),
                new Check(3, "lost-answer", arena -> lostOnTheWay(arena, Cut.ANSWER)),
                new Check(4, "wait", LockChecks::waitForRelease).confirmed());
    }

    private static void acquire(Arena arena) throws CheckFailed, CheckVoid, NotOffered, IOException, SQLException {
        String name = arena.name();
        Held held = Held.by(arena.client(), arena, name);
        Row row = arena.referee().row(name);
        held.requireInTime();
        String owner = Objects.requireNonNullElse(row.owner(), "");
        CheckFailed.unless(
                owner.matches("[0-9a-f]{32}"), "the owner is '" + owner + "', and not 32 hexadecimal digits");
        CheckFailed.unless(
                held.fence() == row.fence(),
                "the fence is " + row.fence() + ", and the client says that it is " + held.fence());
        long length = row.heldUntil() - row.acquiredAt();
        long wanted = arena.lease().toMillis();
        CheckFailed.unless(
                Math.abs(length - wanted) <= 100, "the lease was to be " + wanted + " ms long, and is " + length);
    }

    private static void busy(Arena arena) throws CheckFailed, CheckVoid, NotOffered, IOException, SQLException {
        String name = arena.name();
        List<Client> two = arena.clients(2);
        Held held = Held.by(two.get(0), arena, name);
        Row before = arena.referee().row(name);
        boolean got = Held.isGot(two.get(1), arena, name, Duration.ZERO);
        Row after = arena.referee().row(name);
        held.requireInTime();
        CheckFailed.unless(!got, "a lock was got that another client holds");
        CheckFailed.unless(Objects.equals(before.owner(), after.owner()), "a try on a held lock has changed its owner");
    }

    private static void freshTokens(Arena arena) throws CheckFailed, CheckVoid, NotOffered, IOException, SQLException {
        String name = arena.name();
        Client client = arena.client();
        Set<String> owners = new HashSet<>();
        long last = 0;
        for (int i = 0; i < 5; i++) {
            Held held = Held.by(client, arena, name);
            CheckFailed.unless(held.fence() > last, "the fence " + held.fence() + " came after " + last);
            last = held.fence();
            String owner = Objects.requireNonNullElse(arena.referee().row(name).owner(), "");
            boolean released = client.release();
            held.requireInTime();
            CheckFailed.unless(owners.add(owner), "the owner token " + owner + " was used for a second acquire");
            CheckFailed.unless(released, "the client says that a release did not release");
            CheckFailed.unless(arena.referee().row(name).owner() == null, "a released lock still has an owner");
        }
    }

    /** The client is not told that its lock was taken away. */
    private static void releaseAfterBreak(Arena arena)
            throws CheckFailed, CheckVoid, NotOffered, IOException, SQLException {
        String name = arena.name();
        List<Client> two = arena.clients(2);
        Held.once(two.get(1), arena);
        Held held = Held.by(two.get(0), arena, name);
        arena.referee().breakLock(name);
        Held next = Held.by(two.get(1), arena, name);
        boolean released = two.get(0).release();
        Row row = arena.referee().row(name);
        held.requireInTime();
        CheckFailed.unless(
                row.owner() != null && row.fence() == next.fence(), "a release has taken the lock from another client");
        CheckFailed.unless(!released, "the client says that it has released a lock that another client has");
    }

    private static void names(Arena arena) throws CheckFailed, NotOffered, IOException, SQLException {
        String name = arena.name();
        Client client = arena.client();
        for (String other : List.of(name, name.toUpperCase(Locale.ROOT), name + " ", name + "\u00e9\uD83D\uDE80")) {
            Held unused = Held.by(client, arena, other);
            CheckFailed.unless(arena.referee().row(other).owner() != null, "'" + other + "' has no owner");
        }
    }

    private static void renewal(Arena arena) throws CheckFailed, NotOffered, IOException, SQLException {
        String name = arena.name();
        List<Client> two = arena.clients(2);
        Held unused = Held.by(two.get(0), arena, name);
        String owner = arena.referee().row(name).owner();
        Held.byNobody(two.get(1), arena, name, arena.lease().multipliedBy(2), "whose holder lives");
        CheckFailed.unless(
                Objects.equals(owner, arena.referee().row(name).owner()), "the holder's lease was not renewed");
        CheckFailed.unless(two.get(0).isValid(), "the holder does not believe in a lease that was renewed");
    }

    private static void killed(Arena arena) throws CheckFailed, NotOffered, IOException {
        String name = arena.name();
        List<Client> two = arena.clients(2);
        Held first = Held.by(two.get(0), arena, name);
        two.get(0).kill();
        Held second = Held.by(two.get(1), arena, name, arena.lease().multipliedBy(4));
        CheckFailed.unless(second.fence() > first.fence(), "the fence of a takeover is not greater");
    }

    /** For any answer of the client, the lock is its own, or free again within a lease. */
    private static void lostOnTheWay(Arena arena, Cut cut) throws CheckFailed, NotOffered, IOException, SQLException {
        List<Client> two = arena.clients(2);
        Client client = two.get(0);
        for (int i = 0; i < 3; i++) {
            Held.once(client, arena);
            String name = arena.name();
            client.proxy().cut(cut);
            Acquired acquired = client.acquire(name, arena.lease(), Duration.ZERO);
            if (acquired.got()) {
                Row row = arena.referee().row(name);
                CheckFailed.unless(
                        row.owner() != null && row.fence() == acquired.fence(),
                        "the client believes in a lock that it has not got");
                CheckFailed.unless(client.release(), "a lock whose answer was lost could not be released");
            } else {
                Held unused = Held.by(two.get(1), arena, name, arena.lease().plusSeconds(1));
                two.get(1).release();
            }
        }
    }

    private static void waitForRelease(Arena arena)
            throws CheckFailed, CheckVoid, NotOffered, IOException, InterruptedException {
        String name = arena.name();
        Duration patience = arena.lease().multipliedBy(4);
        List<Client> two = arena.clients(2);
        Held held = Held.by(two.get(0), arena, name);
        two.get(1).sendAcquire(name, arena.lease(), patience);
        Thread.sleep(300);
        boolean wasReleased = two.get(0).release();
        held.requireInTime();
        CheckFailed.unless(wasReleased, "the client says that a release did not release");
        long released = System.nanoTime();
        CheckFailed.unless(two.get(1).acquired(patience).got(), "a waiter did not get a lock that was released");
        long late = (System.nanoTime() - released) / 1_000_000;
        // Shows how quick it is when it need not wait.
        two.get(1).release();
        // A second, and longer for a longer lease: then the machine is slow.
        CheckFailed.unless(
                late < arena.lease().multipliedBy(2).dividedBy(3).toMillis(),
                "a waiter got the lock only " + late + " ms after its release");
    }
}
