package dev.dibs.process;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * Ties a process to this JVM: however the JVM ends, even by {@code kill -9}, the process gets a signal.
 *
 * <p>A small shell reads from a pipe whose other end only this JVM has. An end of file means that the JVM has ended; a line means that the
 * process was untied.
 */
public final class Leash {
    private static final String WATCH = "trap '' HUP INT TERM; read -r line || kill -\"$1\" \"$2\"";
    /** PostgreSQL first waits for its children. */
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private static final Set<Leash> LIVE = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> LIVE.forEach(Leash::kill), "leashes"));
    }

    private final long pid;
    private final Process watcher;

    private Leash(long pid, Process watcher) {
        this.pid = pid;
        this.watcher = watcher;
    }

    /** The signal is KILL for most; PostgreSQL cleans up after QUIT. */
    public static Leash on(long pid, String signal) throws IOException {
        Process watcher = new ProcessBuilder("sh", "-c", WATCH, "leash", signal, Long.toString(pid))
                .redirectOutput(Redirect.DISCARD)
                .redirectError(Redirect.DISCARD)
                .start();
        Leash leash = new Leash(pid, watcher);
        LIVE.add(leash);
        return leash;
    }

    /** Sends the signal now and waits until the process has ended. */
    public void kill() {
        if (LIVE.remove(this)) {
            hangUp("");
            awaitEnd();
        }
    }

    /** The process has ended by itself: its id may soon belong to another one. */
    public void letGo() {
        if (LIVE.remove(this)) {
            hangUp("\n");
        }
    }

    private void hangUp(String lastWord) {
        try (OutputStream pipe = watcher.getOutputStream()) {
            pipe.write(lastWord.getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        watcher.onExit().join();
    }

    private void awaitEnd() {
        long start = System.nanoTime();
        while (runs(pid) && System.nanoTime() - start < PATIENCE.toNanos()) {
            LockSupport.parkNanos(5_000_000);
        }
    }

    /** A zombie whose parent never waits for it counts as ended. */
    static boolean runs(long pid) {
        if (ProcessHandle.of(pid).isEmpty()) {
            return false;
        }
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
        } catch (IOException e) {
            return ProcessHandle.of(pid).isPresent();
        }
    }
}
