package dev.dibs.bench;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.DibsBuilder;
import dev.dibs.NotAcquiredException;
import dev.dibs.process.ChildPool;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Another process with waiters. It reads names of locks, one a line. All of its threads wait for the lock until one acquires it and prints
 * that. Then the others give up.
 */
final class WaiterMain {
    static final String READY = "READY";
    /** Followed by the time of that, by the monotonic clock, which all processes of a Linux machine share. */
    static final String GOT = "GOT ";

    static final String DONE = "DONE";

    private final List<Dibs> instances = new ArrayList<>();
    private final int waiters;

    private WaiterMain(HikariDataSource pool, int instances, int waiters, boolean listen) {
        for (int i = 0; i < instances; i++) {
            DibsBuilder builder = Dibs.builder(pool);
            this.instances.add((listen ? builder.wakeByNotify() : builder).build());
        }
        this.waiters = waiters;
    }

    /** Arguments: url, user, password, how many instances of Dibs, how many waiting threads over all of them, whether they listen. */
    public static void main(String[] args) throws Exception {
        boolean listen = Boolean.parseBoolean(args[5]);
        int instances = Integer.parseInt(args[3]);
        try (HikariDataSource pool = ChildPool.open(args, BenchDatabase.POOL + (listen ? instances : 0))) {
            WaiterMain main = new WaiterMain(pool, instances, Integer.parseInt(args[4]), listen);
            System.out.println(READY);
            main.serve();
            main.instances.forEach(Dibs::close);
        }
    }

    private void serve() throws IOException, InterruptedException {
        BufferedReader names = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String name = names.readLine(); name != null; name = names.readLine()) {
            waitFor(name);
            System.out.println(DONE);
        }
    }

    private void waitFor(String name) throws InterruptedException {
        AtomicBoolean over = new AtomicBoolean();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < waiters; i++) {
            Dibs dibs = instances.get(i % instances.size());
            threads.add(new Thread(() -> {
                if (acquired(dibs, name, over)) {
                    threads.forEach(Thread::interrupt);
                }
            }));
        }
        threads.forEach(Thread::start);
        System.out.println(READY);
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static boolean acquired(Dibs dibs, String name, AtomicBoolean over) {
        try {
            dibs.lock(name).run(Duration.ofMinutes(1), lease -> {
                long now = System.nanoTime();
                if (over.compareAndSet(false, true)) {
                    System.out.println(GOT + now);
                }
            });
            return true;
        } catch (NotAcquiredException e) {
            return false;
        }
    }
}
