package dev.dibs.fault;

import dev.dibs.fault.worker.FaultWorkerMain;
import dev.dibs.fault.worker.WorkerStats;
import dev.dibs.process.ChildJvm;
import dev.dibs.process.Faketime;
import dev.dibs.process.Shell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** One worker behind a network of its own. If it is killed, another process takes its place. */
final class WorkerProcess implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final long DUMP_MILLIS = 1_000;
    private static final long DUMP_NANOS = TimeUnit.MILLISECONDS.toNanos(DUMP_MILLIS);
    /** One line an entry; an exception follows below. */
    private static final String LOG_FORMAT = "-Djava.util.logging.SimpleFormatter.format=LOG %4$s %3$s %5$s%6$s%n";

    private final DatabaseUnderTest database;
    private final int number;
    private final Path folder;
    private final long seed;
    private final List<TcpProxy> networks = new ArrayList<>();
    private final Path clock;
    private final List<Path> histories = new ArrayList<>();
    private final LogLines log;

    private ChildJvm process;
    private final Map<Integer, Long> did = new HashMap<>();
    private String answer;
    private boolean ready;
    private long pausedAt;
    private long resumedAt;

    /** A worker with an odd number has a wall clock of its own, if that is possible. */
    WorkerProcess(DatabaseUnderTest database, int number, Path folder, long seed) throws IOException {
        this.database = database;
        this.number = number;
        this.folder = folder;
        this.seed = seed;
        this.clock = folder.resolve("clock-" + number);
        this.log = new LogLines(folder.resolve("worker-" + number + ".log"));
        for (int port : database.ports()) {
            networks.add(TcpProxy.to(port));
        }
    }

    /** One to each server. */
    List<TcpProxy> networks() {
        return networks;
    }

    LogLines log() {
        return log;
    }

    List<Path> histories() {
        return histories;
    }

    /** Whether its clock can be set. */
    boolean hasClock() {
        return number % 2 == 1
                && !database.isHostedByWorkers()
                && Faketime.find().isPresent();
    }

    /** From now on its wall clock is wrong by this. */
    void setClock(String shift) throws IOException {
        Files.writeString(clock, shift);
    }

    /** Starts it, and returns at once. */
    void start() throws IOException {
        int incarnation = histories.size();
        Path history = folder.resolve("worker-" + number + "-" + incarnation + ".history");
        Map<String, String> environment = Map.of();
        if (hasClock()) {
            setClock("+1h");
            environment = Faketime.find().orElseThrow().shiftedBy(clock);
        }
        histories.add(history);
        List<String> options = new ArrayList<>(database.options());
        options.add(LOG_FORMAT);
        forget();
        process = ChildJvm.start(
                options,
                environment,
                FaultWorkerMain.class,
                database.url(number, networks.stream().map(TcpProxy::port).toList()),
                database.user(),
                database.password(),
                history.toString(),
                "w" + number + "." + incarnation,
                Long.toString(seed + 1000L * number + incarnation));
        process.listen(this::heard);
    }

    /** Returns when it works; at once, if it does already. */
    synchronized void awaitStart() throws InterruptedException {
        if (!ready) {
            await("READY", PATIENCE);
            ready = true;
        }
    }

    private synchronized void forget() {
        ready = false;
        did.clear();
        answer = null;
    }

    private synchronized void heard(String line) {
        String[] words = line.split(" ", 2);
        switch (words[0]) {
            case "DID" -> {
                String[] numbers = words[1].split(" ", 2);
                did.put(Integer.parseInt(numbers[0]), Long.parseLong(numbers[1]));
            }
            case "READY", "RESTS", "ENDED" -> answer = line;
            default -> log.add(line);
        }
        notifyAll();
    }

    private synchronized String await(String word, Duration patience) throws InterruptedException {
        long end = System.nanoTime() + patience.toNanos();
        while (answer == null || !answer.startsWith(word)) {
            long left = end - System.nanoTime();
            if (left <= 0) {
                throw new AssertionError(this + " does not say " + word + " within " + patience + whatItIsAt());
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        String said = answer.substring(word.length()).strip();
        answer = null;
        return said;
    }

    /** The reason is in its threads: they are dumped into its log. */
    private synchronized String whatItIsAt() throws InterruptedException {
        if (!process.isAlive()) {
            return "; it has ended: " + log.tail();
        }
        try {
            Shell.signal("QUIT", process.pid());
        } catch (IOException e) {
            return "; its threads could not be dumped: " + e;
        }
        for (long end = System.nanoTime() + DUMP_NANOS; System.nanoTime() < end; ) {
            TimeUnit.NANOSECONDS.timedWait(this, DUMP_NANOS);
        }
        return "; its threads: " + log.tail();
    }

    /** Whether each of its threads has finished an operation that it began after that time. */
    synchronized boolean hasWorkedSince(long nanos) {
        return did.size() == FaultWorkerMain.THREADS && did.values().stream().allMatch(begun -> begun > nanos);
    }

    /** A killed worker gets no order. */
    void order(String order) {
        if (process.isAlive()) {
            process.send(order);
        }
    }

    /** Pauses its threads, and returns its resources meanwhile. */
    WorkerStats rest() throws InterruptedException {
        order("rest");
        return WorkerStats.of(await("RESTS", PATIENCE));
    }

    /** Ends it normally, and returns its leftovers. */
    WorkerStats end() throws InterruptedException {
        order("end");
        return WorkerStats.of(await("ENDED", PATIENCE));
    }

    void kill() {
        process.kill();
    }

    /** Makes it print the stack of each thread into its log. */
    void dumpThreads() throws IOException, InterruptedException {
        Shell.signal("QUIT", process.pid());
        Thread.sleep(DUMP_MILLIS);
    }

    void pause() {
        pausedAt = System.nanoTime();
        process.pause();
    }

    void resume() {
        process.resume();
        resumedAt = System.nanoTime();
    }

    /** How long it was paused, if that was recently. */
    Duration standstill(Duration recently) {
        boolean isRecent = resumedAt > 0 && System.nanoTime() - resumedAt < recently.toNanos();
        return isRecent ? Duration.ofNanos(resumedAt - pausedAt) : Duration.ZERO;
    }

    @Override
    public void close() throws IOException {
        if (process != null) {
            process.close();
        }
        for (TcpProxy network : networks) {
            network.close();
        }
    }

    @Override
    public String toString() {
        return "worker " + number;
    }
}
