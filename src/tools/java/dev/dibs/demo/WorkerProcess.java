package dev.dibs.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.Consumer;

/** A worker's JVM, for the demo. */
final class WorkerProcess {

    /** The demo is over before the JVM's second compiler would pay. */
    private static final List<String> SMALL =
            List.of("-Xmx192m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto");

    private static final int LINES_KEPT = 15;

    private final int number;
    private final Process process;
    private final Thread reader;
    private final Deque<String> lastLines = new ConcurrentLinkedDeque<>();
    private volatile boolean killed;

    private WorkerProcess(int number, Process process, Consumer<Message> listener) {
        this.number = number;
        this.process = process;
        reader = new Thread(() -> read(listener), "output of " + name());
        reader.setDaemon(true);
        reader.start();
    }

    /**
     * Starts a JVM with the class path of this one.
     *
     * @param environment values for it that other users of the machine must not see
     * @param listener gets each message, on a thread of its own
     */
    static WorkerProcess start(WorkerArguments arguments, Map<String, String> environment, Consumer<Message> listener) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(SMALL);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Worker.class.getName()));
        command.addAll(arguments.list());
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        try {
            return new WorkerProcess(arguments.number(), builder.start(), listener);
        } catch (IOException e) {
            throw new UncheckedIOException("no further JVM could be started", e);
        }
    }

    int number() {
        return number;
    }

    String name() {
        return WorkerArguments.nameOf(number);
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Whether it has ended with an error that we have not caused. */
    boolean fellByItself() {
        return !killed && !process.isAlive() && process.exitValue() != 0;
    }

    /** Sends a line to its standard input; a process that has ended does not read it. */
    void send(String order) {
        try {
            Writer input = process.outputWriter(StandardCharsets.US_ASCII);
            input.write(order + "\n");
            input.flush();
        } catch (IOException e) {
            // It has ended: the next look at it will show that.
        }
    }

    /** Like kill -9. Returns when it has ended and all its messages were read. */
    void kill() {
        killed = true;
        process.destroyForcibly();
        process.onExit().join();
        try {
            reader.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The last lines that were no messages: warnings, or why it failed. */
    String lastWords() {
        return String.join("\n", lastLines);
    }

    private void read(Consumer<Message> listener) {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                Message.parse(number, line).ifPresentOrElse(listener, remember(line));
            }
        } catch (IOException e) {
            remember(e.toString()).run();
        }
    }

    private Runnable remember(String line) {
        return () -> {
            lastLines.add(line);
            if (lastLines.size() > LINES_KEPT) {
                lastLines.remove();
            }
        };
    }
}
