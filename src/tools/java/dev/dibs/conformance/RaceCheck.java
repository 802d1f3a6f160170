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

/** Several clients and Java count in one row, read first and written later, each under the lock; two more clients are killed. */
final class RaceCheck {

    private static final Duration LEASE = Duration.ofSeconds(1);
    private static final Duration WAIT = Duration.ofSeconds(10);
    private static final Duration INSIDE = Duration.ofMillis(10);
    private static final int CLIENTS = 3;
    private static final int KILLS = 2;
    private static final Duration LENGTH = Duration.ofSeconds(8);

    private RaceCheck() {}

    static List<Check> all() {
        return List.of(new Check(4, "race", RaceCheck::run));
    }

    private static void run(Arena arena)
            throws CheckFailed, NotOffered, IOException, SQLException, InterruptedException {
        String name = arena.name();
        long before = arena.referee().count();
        long end = System.nanoTime() + LENGTH.toNanos();
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            List<Future<Integer>> counts = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                Client client = arena.client();
                counts.add(threads.submit(() -> count(arena, client, name, end)));
            }
            counts.add(threads.submit(() -> countInJava(arena.referee(), name, end)));
            for (int i = 0; i < KILLS; i++) {
                Client victim = arena.client();
                counts.add(threads.submit(() -> countUntilKilled(arena, victim, name, end)));
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

    private static int count(Arena arena, Client client, String name, long end) throws CheckFailed, NotOffered {
        int added = 0;
        while (System.nanoTime() < end) {
            if (client.acquire(name, LEASE, WAIT).got()) {
                added += client.add(arena.referee().counterTable(), INSIDE) ? 1 : 0;
                client.release();
            }
        }
        return added;
    }

    private static int countInJava(Referee referee, String name, long end) throws SQLException, InterruptedException {
        int added = 0;
        while (System.nanoTime() < end) {
            added += referee.add(name, LEASE, WAIT, INSIDE) ? 1 : 0;
        }
        return added;
    }

    /** One addition of it may be there and not be reported. */
    private static int countUntilKilled(Arena arena, Client client, String name, long end) throws NotOffered {
        int added = 0;
        try {
            while (System.nanoTime() < end) {
                if (client.acquire(name, LEASE, WAIT).got()) {
                    added += client.add(arena.referee().counterTable(), INSIDE) ? 1 : 0;
                    client.release();
                }
            }
        } catch (CheckFailed e) {
            return added;
        }
        return added;
    }
}
