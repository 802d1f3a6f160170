package dev.dibs.bench;

import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Threads that all do the same. */
final class Crew {

    private Crew() {}

    /** Returns the seconds until all have ended. */
    static double seconds(int threads, Operation work) throws Exception {
        Callable<Boolean> task = () -> {
            work.run();
            return true;
        };
        List<Callable<Boolean>> tasks = Collections.nCopies(threads, task);
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            long start = System.nanoTime();
            for (Future<Boolean> ended : pool.invokeAll(tasks)) {
                ended.get();
            }
            return (System.nanoTime() - start) / 1e9;
        } finally {
            pool.shutdownNow();
        }
    }
}
