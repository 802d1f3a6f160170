package dev.dibs.database;

import dev.dibs.process.Shell;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/**
 * The directories of the tests' databases, below {@code target/databases}. Programs are unpacked there once and shared by all JVMs. Data
 * belongs to one JVM ({@code run-<pid>}) and is deleted by a later one, so that it can be examined after a failure.
 *
 * <p>Data is in memory if there is enough ({@code /dev/shm}, as on Linux), until this JVM has ended. Databases write it at each commit as
 * usual, and writes of a killed one stay. On a shared disk, a commit took longer than some leases. {@code -Ddibs.memory=false} keeps the
 * data below {@code target}, to examine it.
 */
final class Workspace {
    /** Below the ports of outgoing connections: one of these could take a port that was free, before its server listens. */
    private static final int FIRST_PORT = 15_000;

    private static final int LAST_PORT = 32_000;
    private static final Set<Integer> PORTS = ConcurrentHashMap.newKeySet();

    private static final Path ROOT = Path.of("target", "databases").toAbsolutePath();
    private static final String RUN = "run-";
    /** A file lock belongs to the whole JVM. */
    private static final Map<String, ReentrantLock> INSTALLING = new ConcurrentHashMap<>();

    private static final Path MEMORY = Path.of("/dev/shm");
    private static final long ENOUGH = 8L << 30;
    /** The runs of all JVMs on this machine. */
    private static final Path RUNS = hasMemory() ? MEMORY.resolve("dibs-tests") : ROOT;

    private static final Path MINE = RUNS.resolve(RUN + ProcessHandle.current().pid());

    /** Its input ends when this JVM does, however it ends. Servers that end with it may still write for a moment. */
    private static final String SWEEPER =
            "trap '' HUP INT TERM; read -r line; for try in 1 2 3 4 5; do sleep 1; rm -rf \"$1\" && exit; done";

    static {
        sweep();
        if (!RUNS.equals(ROOT)) {
            leaveNothing();
        }
    }

    private Workspace() {}

    private static void leaveNothing() {
        try {
            Process sweeper = new ProcessBuilder("sh", "-c", SWEEPER, "sweeper", MINE.toString())
                    .redirectOutput(Redirect.DISCARD)
                    .redirectError(Redirect.DISCARD)
                    .start();
            // Also keeps its pipe open until then: a process without references loses it.
            Runtime.getRuntime().addShutdownHook(new Thread(sweeper::destroy, "sweeper"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean hasMemory() {
        try {
            return !System.getProperty("dibs.memory", "").equals("false")
                    && Files.isWritable(MEMORY)
                    && Files.getFileStore(MEMORY).getUsableSpace() >= ENOUGH;
        } catch (IOException e) {
            return false;
        }
    }

    /** Fills an empty directory. */
    interface Installation {
        void into(Path directory) throws Exception;
    }

    /** An empty directory of this JVM. */
    static Path fresh(String name) throws IOException {
        Path directory = MINE.resolve(name);
        delete(directory);
        return Files.createDirectories(directory);
    }

    /** Installs something that all JVMs share: the first one does it, the others wait. */
    static Path once(String name, Installation installation) throws Exception {
        Path directory = Files.createDirectories(ROOT).resolve(name);
        Path complete = ROOT.resolve(name + ".complete");
        ReentrantLock here = INSTALLING.computeIfAbsent(name, key -> new ReentrantLock());
        here.lock();
        try (FileChannel channel = FileChannel.open(
                        ROOT.resolve(name + ".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock ignored = channel.lock()) {
            if (!Files.exists(complete)) {
                delete(directory);
                installation.into(Files.createDirectory(directory));
                Files.createFile(complete);
            }
        } finally {
            here.unlock();
        }
        return directory;
    }

    static void copy(Path from, Path to) throws IOException {
        Shell.run(List.of("cp", "-R", from.toString(), to.toString()));
    }

    static int freePort() throws IOException {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(FIRST_PORT, LAST_PORT);
            if (PORTS.add(port)) {
                try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                    return socket.getLocalPort();
                } catch (BindException e) {
                    // It is in use.
                }
            }
        }
    }

    private static void sweep() {
        if (!Files.isDirectory(RUNS)) {
            return;
        }
        try (Stream<Path> runs = Files.list(RUNS)) {
            for (Path run : runs.filter(Workspace::abandoned).toList()) {
                sweep(run);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void sweep(Path run) throws IOException {
        try {
            delete(run);
        } catch (NoSuchFileException | UncheckedIOException e) {
            // Another JVM that starts just now deletes it, too. What is left goes at the next start.
        }
    }

    private static boolean abandoned(Path path) {
        String name = path.getFileName().toString();
        return name.startsWith(RUN)
                && ProcessHandle.of(Long.parseLong(name.substring(RUN.length())))
                        .isEmpty();
    }

    private static void delete(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        List<Path> deepestFirst;
        try (Stream<Path> paths = Files.walk(directory)) {
            deepestFirst = paths.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : deepestFirst) {
            Files.deleteIfExists(path);
        }
    }
}
