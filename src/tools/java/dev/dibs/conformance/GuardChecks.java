package dev.dibs.conformance;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** How a client guards its transactions: level 1 of docs/lab/protocol.md. */
final class GuardChecks {

    /** Sent over a connection, they leave it without a transaction. */
    static final List<List<String>> OUTSIDE =
            List.of(List.of(), List.of("BEGIN", "COMMIT"), List.of("BEGIN", "ROLLBACK"));

    private GuardChecks() {}

    static List<Check> all() {
        return List.of(
                new Check(1, "guard", GuardChecks::guard),
                new Check(1, "guard-after-break", GuardChecks::afterBreak),
                new Check(1, "guard-after-the-end", GuardChecks::afterTheEnd),
                new Check(1, "guard-to-the-commit", GuardChecks::toTheCommit),
                new Check(1, "guard-outside", GuardChecks::outside),
                new Check(1, "transaction", GuardChecks::transaction),
                new Check(1, "transaction-to-the-commit", GuardChecks::transactionToTheCommit));
    }

    private static boolean add(Arena arena, Client client) throws CheckFailed, NotOffered {
        return client.add(arena.referee().counterTable(), Duration.ZERO);
    }

    private static void guard(Arena arena) throws CheckFailed, CheckVoid, NotOffered, IOException, SQLException {
        Client client = arena.client();
        Held held = Held.by(client, arena, arena.name());
        requireAdded(arena, client, held);
    }

    private static void requireAdded(Arena arena, Client client, Held held)
            throws CheckFailed, CheckVoid, NotOffered, SQLException {
        long before = arena.referee().count();
        boolean added = add(arena, client);
        held.requireInTime();
        CheckFailed.unless(added, "a guarded transaction of the holder failed");
        CheckFailed.unless(
                arena.referee().count() == before + 1, "a guarded transaction was reported done and is not there");
    }

    private static void requireRefused(Arena arena, Client client, Held held, String what)
            throws CheckFailed, CheckVoid, NotOffered, SQLException {
        long before = arena.referee().count();
        boolean added = add(arena, client);
        held.requireInTime();
        CheckFailed.unless(!added && arena.referee().count() == before, "a transaction went through under " + what);
    }

    private static void afterBreak(Arena arena) throws CheckFailed, CheckVoid, NotOffered, IOException, SQLException {
        String name = arena.name();
        List<Client> two = arena.clients(2);
        Held.once(two.get(1), arena);
        Held held = Held.by(two.get(0), arena, name);
        arena.referee().breakLock(name);
        Held unused = Held.by(two.get(1), arena, name);
        requireRefused(arena, two.get(0), held, "a lease that another client has");
    }

    /** The row still has the owner token, as when the database's clock has jumped forward. */
    private static void afterTheEnd(Arena arena) throws CheckFailed, CheckVoid, NotOffered, IOException, SQLException {
        String name = arena.name();
        Client client = arena.client();
        Held held = Held.by(client, arena, name);
        arena.referee().endLease(name);
        requireRefused(arena, client, held, "a lease that has expired by the database's clock");
    }

    /** If the guard came too late for the pause, it refuses, and nothing is proved. */
    private static void toTheCommit(Arena arena)
            throws CheckFailed, CheckVoid, NotOffered, IOException, SQLException, InterruptedException {
        String name = arena.name();
        Duration lease = arena.lease();
        List<Client> two = arena.clients(2);
        Client client = two.get(0);
        Held unused = Held.by(client, arena, name);
        long before = arena.referee().count();
        long sent = System.nanoTime();
        client.sendAdd(arena.referee().counterTable(), lease);
        Thread.sleep(lease.dividedBy(2).toMillis());
        client.pause();
        if (System.nanoTime() - sent >= lease.toNanos()) {
            throw new CheckVoid(
                    lease, "the client was not stopped within its transaction of " + lease.toMillis() + " ms");
        }
        boolean taken = Held.isGot(two.get(1), arena, name, lease.multipliedBy(2));
        client.resume();
        boolean added = client.added(lease);
        CheckFailed.unless(
                arena.referee().count() == before + (added ? 1 : 0),
                "the client reports " + (added ? "a commit" : "no commit") + ", which is not so");
        CheckFailed.unless(!taken || !added, "a lock was got while a guarded transaction of its holder was open");
        if (taken) {
            throw new CheckVoid(lease, "the guard was not sent within half a lease of " + lease.toMillis() + " ms");
        }
        Held last = Held.by(two.get(1), arena, name, lease.multipliedBy(4));
        CheckFailed.unless(last.fence() > 0, "the fence is " + last.fence());
    }

    /** Without a transaction a guard holds nothing: it would be over before the next statement. */
    private static void outside(Arena arena) throws CheckFailed, CheckVoid, NotOffered, IOException, SQLException {
        Client client = arena.client();
        Held held = Held.by(client, arena, arena.name());
        for (List<String> statements : OUTSIDE) {
            CheckFailed.unless(
                    client.refusesToGuardAfter(statements),
                    "a guard passed on a connection without a transaction, after " + statements);
        }
        requireAdded(arena, client, held);
    }

    private static boolean addFree(Arena arena, Client client, String name) throws CheckFailed, NotOffered {
        return client.addFree(name, arena.referee().counterTable());
    }

    private static void transaction(Arena arena) throws CheckFailed, CheckVoid, NotOffered, IOException, SQLException {
        String name = arena.name();
        List<Client> two = arena.clients(2);
        Client client = two.get(0);
        long before = arena.referee().count();
        CheckFailed.unless(addFree(arena, client, name), "a transaction did not lock a new name");
        Held held = Held.by(two.get(1), arena, name);
        boolean tooEarly = addFree(arena, client, name);
        held.requireInTime();
        CheckFailed.unless(!tooEarly, "a transaction locked a name that has a lease");
        arena.referee().endLease(name);
        boolean added = addFree(arena, client, name);
        String owner = arena.referee().row(name).owner();
        held.requireInTime();
        CheckFailed.unless(added, "a transaction did not lock a name whose lease has expired");
        CheckFailed.unless(owner == null, "the expired lease, whose lock a transaction has taken, keeps its owner");
        CheckFailed.unless(arena.referee().count() == before + 2, "a transaction was reported done and is not there");
    }

    private static void transactionToTheCommit(Arena arena)
            throws CheckFailed, CheckVoid, NotOffered, IOException, SQLException, InterruptedException {
        arena.requireRowLocks();
        String name = arena.name();
        Duration length = arena.lease();
        List<Client> two = arena.clients(2);
        CheckFailed.unless(addFree(arena, two.get(0), name), "a transaction did not lock a new name");
        Held.once(two.get(1), arena);
        two.get(0).sendAddFree(name, arena.referee().counterTable(), length);
        Thread.sleep(length.dividedBy(3).toMillis());
        boolean taken = Held.isGot(two.get(1), arena, name, length.dividedBy(3));
        boolean added = two.get(0).added(length);
        CheckFailed.unless(!taken || !added, "a lock was got while a transaction had it");
        if (taken) {
            throw new CheckVoid(length, "the transaction did not begin within " + length.toMillis() / 3 + " ms");
        }
        CheckFailed.unless(added, "a transaction did not lock a free name");
        Held unused = Held.by(two.get(1), arena, name);
    }
}
