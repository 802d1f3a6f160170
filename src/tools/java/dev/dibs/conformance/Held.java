package dev.dibs.conformance;

import dev.dibs.conformance.Client.Acquired;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * A lock that a client has, and how the checks get or refuse one.
 *
 * @param since before its acquire was sent, by {@link System#nanoTime()}
 */
record Held(Arena arena, long fence, long since) {

    private static final Duration PAUSE = Duration.ofMillis(50);

    /** The client gets a lock that is free. */
    static Held by(Client client, Arena arena, String name) throws CheckFailed, NotOffered {
        return by(client, arena, name, Duration.ZERO);
    }

    /** The client gets a lock that is free within that time. It is asked again and again, so that it need not know how to wait. */
    static Held by(Client client, Arena arena, String name, Duration within) throws CheckFailed, NotOffered {
        long end = System.nanoTime() + within.toNanos();
        long since = System.nanoTime();
        Acquired acquired = client.acquire(name, arena.lease(), Duration.ZERO);
        // The last try begins after the end, even if this process stood still before.
        while (!acquired.got() && since < end) {
            LockSupport.parkNanos(PAUSE.toNanos());
            since = System.nanoTime();
            acquired = client.acquire(name, arena.lease(), Duration.ZERO);
        }
        CheckFailed.unless(
                acquired.got(),
                "a lock that was free, or to be free soon, was not got within " + within.toMillis() + " ms"
                        + (acquired.error() == null ? "" : ": " + acquired.error()));
        return new Held(arena, acquired.fence(), since);
    }

    /** Opens the client's connection, so that it sends next only the statements of the request. */
    static void once(Client client, Arena arena) throws CheckFailed, NotOffered {
        Held unused = by(client, arena, arena.name());
        client.release();
    }

    /** The client gets no lock of that name for so long. */
    static void byNobody(Client client, Arena arena, String name, Duration during, String why)
            throws CheckFailed, NotOffered {
        CheckFailed.unless(!isGot(client, arena, name, during), "a lock was got " + why);
    }

    /** Whether the client gets the lock within that time. As above, the last try begins after its end. */
    static boolean isGot(Client client, Arena arena, String name, Duration during) throws CheckFailed, NotOffered {
        long end = System.nanoTime() + during.toNanos();
        long tried = System.nanoTime();
        boolean got = client.acquire(name, arena.lease(), Duration.ZERO).got();
        while (!got && tried < end) {
            LockSupport.parkNanos(PAUSE.toNanos());
            tried = System.nanoTime();
            got = client.acquire(name, arena.lease(), Duration.ZERO).got();
        }
        return got;
    }

    /** All tries up to now came before the holder could renew the lease, or doubt it. */
    void requireInTime() throws CheckVoid {
        Duration taken = Duration.ofNanos(System.nanoTime() - since);
        Duration lease = arena.lease();
        if (taken.compareTo(lease.dividedBy(3)) >= 0) {
            throw new CheckVoid(
                    taken.multipliedBy(4),
                    "it took " + taken.toMillis() + " ms, which is too much of a lease of " + lease.toMillis() + " ms");
        }
    }
}
