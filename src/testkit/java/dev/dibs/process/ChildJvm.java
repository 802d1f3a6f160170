package dev.dibs.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Another JVM with the class path of this one, to be watched, paused and killed. It never outlives this one. */
public final class ChildJvm implements AutoCloseable {
    /** Tuned for a quick start: two cores may have to run several. */
    private static final List<String> QUICK =
            List.of("-XX:TieredStopAtLevel=1", "-Xshare:auto", "-XX:+UseSerialGC", "-Xmx256m");

    private static final long LAST_WORDS = TimeUnit.SECONDS.toNanos(10);
    private static final long LONGEST_STOP = TimeUnit.SECONDS.toNanos(10);
    private static final long MOMENT = TimeUnit.MILLISECONDS.toNanos(1);

    private final Process process;
    private final Leash leash;
    private final List<String> lines = new ArrayList<>();
    /** Lines before this one were already awaited. */
    private int next;

    private boolean silent;
    private Consumer<String> listener;

    private ChildJvm(Process process) throws IOException {
        this.process = process;
        leash = Leash.on(process.pid(), "KILL");
        Thread reader = new Thread(this::read, "output of " + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    public static ChildJvm start(Class<?> main, String... arguments) {
        return start(List.of(), Map.of(), main, arguments);
    }

    public static ChildJvm start(
            List<String> options, Map<String, String> environment, Class<?> main, String... arguments) {
        return start(List.of(), SharedClasses.classPath(), options, environment, main, arguments);
    }

    /** With exactly the class path of this one: directories of classes stay directories, and can be listed. */
    public static ChildJvm startAsHere(
            List<String> options, Map<String, String> environment, Class<?> main, String... arguments) {
        List<String> classPath = List.of("-cp", System.getProperty("java.class.path"));
        return start(List.of(), classPath, options, environment, main, arguments);
    }

    /** With low priority: for long computations beside tests whose leases must be renewed in time. */
    public static ChildJvm startBehindOthers(List<String> options, Class<?> main, String... arguments) {
        return start(List.of("nice", "-n", "15"), SharedClasses.classPath(), options, Map.of(), main, arguments);
    }

    /** With another class path. */
    public static ChildJvm startOn(String classPath, Class<?> main, String... arguments) {
        return startOn(classPath, List.of(), main, arguments);
    }

    public static ChildJvm startOn(String classPath, List<String> options, Class<?> main, String... arguments) {
        return start(List.of(), List.of("-cp", classPath), options, Map.of(), main, arguments);
    }

    /** The words of a command that starts a JVM with the class path of this one, for a shell that starts several. */
    public static List<String> command(Class<?> main) {
        return command(SharedClasses.classPath(), List.of(), main);
    }

    private static List<String> command(List<String> classPath, List<String> options, Class<?> main) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(QUICK);
        command.addAll(options);
        command.addAll(classPath);
        command.add(main.getName());
        return command;
    }

    private static ChildJvm start(
            List<String> before,
            List<String> classPath,
            List<String> options,
            Map<String, String> environment,
            Class<?> main,
            String... arguments) {
        List<String> command = new ArrayList<>(before);
        command.addAll(command(classPath, options, main));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        try {
            return new ChildJvm(builder.start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** All of its output so far, errors included. */
    public synchronized List<String> lines() {
        return List.copyOf(lines);
    }

    /** The next line that matches, after the one that was awaited before; lines between are skipped. */
    public synchronized String awaitLine(Predicate<String> matches, Duration patience) throws InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (true) {
            while (next < lines.size()) {
                String line = lines.get(next++);
                if (matches.test(line)) {
                    return line;
                }
            }
            long left = deadline - System.nanoTime();
            if (silent || left <= 0) {
                throw new AssertionError("No such line" + (silent ? ", and it has ended: " : ": ") + lines);
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
    }

    /** Passes its output to a consumer, which must be quick, instead of keeping it. */
    public synchronized void listen(Consumer<String> to) {
        lines.forEach(to);
        lines.clear();
        listener = to;
    }

    /** Writes a line to its standard input. */
    public void send(String line) {
        try {
            Writer input = process.outputWriter(StandardCharsets.UTF_8);
            input.write(line + "\n");
            input.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Stops all of its threads where they are, as a long pause of the machine would, and waits until they have stopped. */
    public void pause() {
        signal("STOP");
        Path threads = Path.of("/proc", String.valueOf(pid()), "task");
        // On a busy machine it takes a while until the thread runs that stops the others.
        for (long end = System.nanoTime() + LONGEST_STOP; System.nanoTime() < end && isSomeoneMoving(threads); ) {
            LockSupport.parkNanos(MOMENT);
        }
    }

    /** As Linux reports; elsewhere no thread seems to move. */
    private static boolean isSomeoneMoving(Path threads) {
        try (Stream<Path> all = Files.list(threads)) {
            return all.anyMatch(thread -> !isStopped(thread));
        } catch (IOException e) {
            return false;
        }
    }

    /** The state stands behind the name, which is in parentheses. */
    private static boolean isStopped(Path thread) {
        try {
            String stat = Files.readString(thread.resolve("stat"));
            return stat.startsWith("T", stat.lastIndexOf(')') + 2);
        } catch (IOException e) {
            return true;
        }
    }

    public void resume() {
        signal("CONT");
    }

    /** It gets no chance to clean up. */
    public void kill() {
        process.destroyForcibly();
        process.onExit().join();
    }

    /** Also waits until all of its output has been read, unless a child of its own goes on printing. */
    public int exitCode(Duration patience) throws InterruptedException {
        if (!process.waitFor(patience.toNanos(), TimeUnit.NANOSECONDS)) {
            throw new AssertionError("It still runs: " + lines());
        }
        awaitSilence(System.nanoTime() + LAST_WORDS);
        return process.exitValue();
    }

    private synchronized void awaitSilence(long deadline) throws InterruptedException {
        for (long left = LAST_WORDS; !silent && left > 0; left = deadline - System.nanoTime()) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
    }

    @Override
    public void close() {
        kill();
    }

    private void signal(String signal) {
        try {
            Shell.signal(signal, pid());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void read() {
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                take(line);
            }
        } catch (IOException e) {
            take(e.toString());
        } finally {
            ended();
            process.onExit().join();
            leash.letGo();
        }
    }

    /** A listener that fails for one line still gets the next ones. */
    private void take(String line) {
        try {
            heard(line);
        } catch (RuntimeException e) {
            System.out.println("A line of " + pid() + " was not understood: " + line + ": " + e);
        }
    }

    private synchronized void heard(String line) {
        if (listener == null) {
            lines.add(line);
            notifyAll();
        } else {
            listener.accept(line);
        }
    }

    private synchronized void ended() {
        silent = true;
        notifyAll();
    }
}
