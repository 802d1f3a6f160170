package dev.dibs.fault.worker;

import com.google.gson.Gson;
import com.zaxxer.hikari.HikariDataSource;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The resources of a process while its threads are paused: a resource that grows is a leak.
 *
 * @param threads those whose name begins with dibs
 * @param active connections that are in use
 * @param files open ones, sockets included
 * @param heap bytes in use after a collection
 */
public record WorkerStats(int threads, int active, int connections, int files, long heap) {

    private static final int TRIES = 3_000;
    /** Normal variation: idle threads, connections that are being opened or closed, caches. */
    private static final int NOISE = 16;

    private static final long HEAP_NOISE = 16 << 20;

    static WorkerStats of(HikariDataSource pool) {
        int active = active(pool);
        System.gc();
        return new WorkerStats(
                threadsOfDibs(),
                active,
                pool.getHikariPoolMXBean().getTotalConnections(),
                openFiles(),
                ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
    }

    /** Whether nothing has grown since then. */
    public boolean isNoMoreThan(WorkerStats before) {
        return active == 0
                && threads <= before.threads + NOISE
                && files <= before.files + NOISE
                && heap <= before.heap + HEAP_NOISE;
    }

    /** Background work of Dibs uses a connection for a moment; a leaked one stays in use. */
    private static int active(HikariDataSource pool) {
        int active = pool.getHikariPoolMXBean().getActiveConnections();
        for (int tries = 0; tries < TRIES && active > 0; tries++) {
            WorkerContext.sleep(Duration.ofMillis(10));
            active = pool.getHikariPoolMXBean().getActiveConnections();
        }
        if (active > 0) {
            Thread.getAllStackTraces().forEach(WorkerStats::tell);
        }
        return active;
    }

    private static int threadsOfDibs() {
        return Math.toIntExact(Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("dibs"))
                .count());
    }

    /** After a close; they may need a moment. */
    static void awaitEndOfThreads() {
        for (int tries = 0; tries < TRIES && threadsOfDibs() > 0; tries++) {
            WorkerContext.sleep(Duration.ofMillis(10));
        }
        if (threadsOfDibs() > 0) {
            Thread.getAllStackTraces().forEach(WorkerStats::tell);
        }
    }

    /** To find out which thread keeps a connection. */
    private static void tell(Thread thread, StackTraceElement[] stack) {
        String frames = Stream.of(stack)
                .filter(frame -> frame.getClassName().startsWith("dev.dibs."))
                .map(frame -> frame.getClassName() + "." + frame.getMethodName() + ":" + frame.getLineNumber())
                .collect(Collectors.joining(" < "));
        if (!frames.isEmpty()) {
            System.out.println("BUSY " + thread.getName() + " " + frames);
        }
    }

    private static int openFiles() {
        String[] open = Path.of("/proc/self/fd").toFile().list();
        return open == null ? 0 : open.length;
    }

    String toJson() {
        return new Gson().toJson(this);
    }

    /** As a worker prints it. */
    public static WorkerStats of(String json) {
        return new Gson().fromJson(json, WorkerStats.class);
    }
}
