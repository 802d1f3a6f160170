package dev.dibs.conformance;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Several clients and Java do the same thing again and again; two more clients are killed in the meantime. */
final class Race {

    /** So many clients are killed: of each one thing may have happened and not been reported. */
    static final int KILLS = 2;

    static final Duration WAIT = Duration.ofSeconds(10);
    static final Duration INSIDE = Duration.ofMillis(10);

    private static final int CLIENTS = 3;
    private static final Duration LENGTH = Duration.ofSeconds(8);

    private Race() {}

    /** A round of a client. Returns how often it has added one to the counter. */
    interface ClientRound {
        int go(Client client) throws CheckFailed, NotOffered, SQLException;
    }

    /** A round of Java. */
    interface JavaRound {
        int go() throws CheckFailed, SQLException, InterruptedException;
    }

    /** A round of a client or of Java. */
    private interface Round {
        int go() throws CheckFailed, NotOffered, SQLException, InterruptedException;
    }

    /** Adds one to the counter under the lock. */
    static int add(Arena arena, Client client, String lock) throws CheckFailed, NotOffered {
        if (!client.acquire(lock, arena.lease(), WAIT).got()) {
            return 0;
        }
        boolean added = client.add(arena.referee().counterTable(), INSIDE);
        client.release();
        return added ? 1 : 0;
    }

    /** The same in Java. */
    static int addInJava(Arena arena, String lock) throws SQLException, InterruptedException {
        return arena.referee().add(lock, arena.lease(), WAIT, INSIDE) ? 1 : 0;
    }

    /** Runs it, and requires that the counter has the reported sum. */
    static void run(Arena arena, ClientRound inClient, JavaRound inJava)
            throws CheckFailed, NotOffered, IOException, SQLException, InterruptedException {
        long before = arena.referee().count();
        List<Client> clients = arena.clients(CLIENTS + KILLS);
        long end = System.nanoTime() + LENGTH.toNanos();
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            List<Future<Integer>> counts = new ArrayList<>();
            for (Client client : clients.subList(KILLS, clients.size())) {
                counts.add(threads.submit(() -> until(end, () -> inClient.go(client))));
            }
            counts.add(threads.submit(() -> until(end, inJava::go)));
            for (Client victim : clients.subList(0, KILLS)) {
                counts.add(threads.submit(() -> untilKilled(end, () -> inClient.go(victim))));
                Thread.sleep(LENGTH.toMillis() / (KILLS + 2));
                victim.kill();
            }
            long reported = 0;
            for (Future<Integer> one : counts) {
                reported += get(one);
            }
            long done = arena.referee().count() - before;
            CheckFailed.unless(
                    done >= reported && done <= reported + KILLS,
                    reported + " additions were reported, and " + done + " are there");
            CheckFailed.unless(reported > 0, "no client has added anything");
        } finally {
            threads.shutdownNow();
        }
    }

    private static int until(long end, Round round) throws CheckFailed, NotOffered, SQLException, InterruptedException {
        int added = 0;
        while (System.nanoTime() < end) {
            added += round.go();
        }
        return added;
    }

    private static int untilKilled(long end, Round round) throws NotOffered, SQLException, InterruptedException {
        int added = 0;
        try {
            while (System.nanoTime() < end) {
                added += round.go();
            }
        } catch (CheckFailed e) {
            return added;
        }
        return added;
    }

    private static int get(Future<Integer> one) throws CheckFailed, NotOffered, InterruptedException {
        try {
            return one.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof CheckFailed failed) {
                throw failed;
            }
            if (e.getCause() instanceof NotOffered notOffered) {
                throw notOffered;
            }
            throw new CheckFailed(String.valueOf(e.getCause()));
        }
    }
}
