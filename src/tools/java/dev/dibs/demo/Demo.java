package dev.dibs.demo;

import com.zaxxer.hikari.pool.HikariPool;
import dev.dibs.Dibs;
import dev.dibs.DibsException;
import dev.dibs.demo.FileSearch.Item;
import dev.dibs.runs.Run;
import dev.dibs.runs.RunStatus;
import dev.dibs.server.ConsoleServer;
import dev.dibs.text.KnownSecrets;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * A run over the jars of the local Maven repository. Three processes work through the table while one of them is killed, the run is paused
 * and resumed, and one is paused past its lease. At the end, the database shows the result.
 */
public final class Demo {

    private static final int KEPT = 0;
    private static final int BROKEN = 1;
    private static final int NOT_RUN = 2;

    /** How long the incidents take besides the work, on a slow machine. */
    private static final Duration BREAKS = Duration.ofSeconds(20);

    /** How long they may take before rows are skipped that some incidents need. */
    private static final Duration LONGEST_BREAKS = Duration.ofMinutes(1);

    private static final Duration OVERTIME = Duration.ofMinutes(2);
    private static final long REDRAW_MILLIS = 250;
    private static final int BATCHES = 60;
    private static final int LARGEST_BATCH = 20;

    private final Settings settings;
    private final Sample sample;
    private final DemoDatabase database;
    private final Progress progress;

    private Demo(Settings settings, Sample sample, DemoDatabase database, Progress progress) {
        this.settings = settings;
        this.sample = sample;
        this.database = database;
        this.progress = progress;
    }

    /** Has no arguments: see {@code docs/lab/demo.md} for the settings. Exit code 1 means that a promise was broken. */
    public static void main(String[] args) {
        System.exit(run(Map.of()));
    }

    /**
     * Runs, and prints its progress.
     *
     * @param given settings by name, as in {@code demo.seconds}; the others are read from properties and variables
     * @return the exit code: 1 if a promise was broken, 2 if it could not run
     */
    public static int run(Map<String, String> given) {
        try {
            return run(Settings.read(given), System.out, Terminal.detect());
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            return NOT_RUN;
        }
    }

    static int run(Settings settings, PrintStream out, Terminal terminal) {
        Progress progress = new Progress(out, terminal);
        try {
            return find(settings, progress);
        } catch (IOException | SQLException | RuntimeException e) {
            progress.line("The demo could not run: " + masked(settings, reason(e)));
            return NOT_RUN;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return NOT_RUN;
        }
    }

    /** The message of an exception of others; an error of the demo itself with its class name. */
    private static String reason(Exception e) {
        boolean explained = e instanceof DibsException
                || e instanceof SQLException
                || e instanceof IllegalArgumentException
                || e instanceof HikariPool.PoolInitializationException;
        return explained ? String.valueOf(e.getMessage()) : e.toString();
    }

    private static String masked(Settings settings, String text) {
        KnownSecrets secrets = new KnownSecrets();
        secrets.learn(settings.url(), settings.password());
        return secrets.mask(text);
    }

    private static int find(Settings settings, Progress progress)
            throws IOException, SQLException, InterruptedException {
        Sample sample = Sample.choose(settings, new SecureRandom());
        if (!sample.isEnough()) {
            progress.line(sample.root() + " has " + sample.files().size() + " of the " + Sample.FEWEST
                    + " files that the demo needs");
            return NOT_RUN;
        }
        try (Cleanup cleanup = Cleanup.atExit(progress)) {
            DemoDatabase database = cleanup.add(DemoDatabase.open(settings));
            return new Demo(settings, sample, database, progress).perform(cleanup);
        }
    }

    private int perform(Cleanup cleanup) throws IOException, SQLException, InterruptedException {
        Path planted = PlantedJar.write(database.home());
        database.tables().fill(sample.files().stream().map(Item::path).toList(), planted.toString());
        WorkerArguments first = firstWorker();
        introduce(first);
        try (Dibs dibs = Dibs.builder(database.pool())
                .tablePrefix(database.prefix())
                .holder("the demo")
                .build()) {
            Run run = dibs.run(Job.RUN);
            openConsole(dibs, cleanup);
            progress.line("");
            try (Crew crew = cleanup.add(Crew.start(database, settings, first))) {
                work(crew, run);
            }
            return conclude(run);
        }
    }

    /** The work takes about the same time for every number of rows, in tens of batches. */
    private WorkerArguments firstWorker() {
        int rows = sample.files().size() + 1;
        int batch = Math.min(LARGEST_BATCH, Math.max(1, rows / BATCHES));
        double rate = (double) rows / settings.time().toSeconds();
        return new WorkerArguments(1, database.prefix(), settings.lease().toMillis(), batch, rate, sample.root());
    }

    private void introduce(WorkerArguments first) throws SQLException {
        if (!sample.note().isEmpty()) {
            progress.line(sample.note());
        }
        progress.line("A run over " + sample.describe() + " of " + sample.root() + ":");
        progress.line(String.format(
                "a row each in a table of %s, and one broken jar that the demo has planted among them.",
                database.product()));
        progress.line(String.format(
                "%d processes claim up to %d rows at a time, for %d s unless renewed, and commit what they find in a file",
                Crew.SIZE, first.batch(), settings.lease().toSeconds()));
        progress.line(String.format(
                "together with the completion of its row. The run's rate limit spreads this over %d s.",
                settings.time().toSeconds()));
        // If Maven started the demo, there is no jar from which the command could be run.
        String jar = System.getProperty("java.class.path", "");
        if (jar.endsWith(".jar") && !jar.contains(File.pathSeparator)) {
            progress.line("Watch it from another terminal: java -jar " + jar + " run status " + Job.RUN + " --watch "
                    + database.options());
        }
    }

    /** Without a console, the demo goes on. */
    private void openConsole(Dibs dibs, Cleanup cleanup) {
        try {
            ConsoleServer console = ConsoleServer.start(dibs, 0, "you", true, "demo");
            Cleanup.Resource end = console::close;
            cleanup.add(end);
            progress.line("Watch it in a browser until it ends, where you can press Pause, too: " + console.link());
        } catch (IOException e) {
            progress.line("There is no console to watch it in: " + reason(e));
        }
    }

    /** Shows the progress until the workers end, while incidents happen to them. */
    private void work(Crew crew, Run run) throws SQLException, InterruptedException {
        FutureTask<Void> story = new FutureTask<>(new Story(crew, run, database.store(), progress, settings.time()));
        Thread thread = new Thread(story, "story");
        thread.setDaemon(true);
        thread.start();
        long start = System.nanoTime();
        // The time until the processes have started is not counted as working time.
        long begun = start;
        boolean inTime = true;
        while (crew.anyAlive() && since(start).compareTo(settings.time().plus(OVERTIME)) < 0) {
            Optional<RunStatus> status = run.status();
            if (status.isPresent() && status.get().total().isPresent()) {
                progress.show(status.get(), crew);
            } else {
                begun = System.nanoTime();
            }
            Thread.sleep(REDRAW_MILLIS);
            if (inTime && isTimeUp(since(begun), story.isDone())) {
                inTime = false;
                progress.event("Time is up: rows that no worker has begun are left out");
                database.store().update("leave_out");
            }
        }
        crew.workers().stream().filter(WorkerProcess::fellByItself).forEach(this::lament);
        try {
            story.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("not all could be staged: " + e.getCause(), e.getCause());
        }
    }

    /** The incidents need rows, but nothing is waited for too long. */
    private boolean isTimeUp(Duration since, boolean allHasHappened) {
        Duration late = since.minus(settings.time());
        return late.compareTo(allHasHappened ? BREAKS : LONGEST_BREAKS) > 0;
    }

    private static Duration since(long start) {
        return Duration.ofNanos(System.nanoTime() - start);
    }

    private void lament(WorkerProcess worker) {
        progress.event(worker.name() + " ended by itself; its last words:");
        progress.line(worker.lastWords());
    }

    private int conclude(Run run) throws SQLException {
        progress.line("");
        progress.line("What the database says:");
        Summary.of(database.store(), run).forEach(progress::line);
        progress.line("");
        List<String> broken = Promises.broken(database.store(), Pause.isPossible() ? 2 : 1);
        broken.forEach(line -> progress.line("BROKEN PROMISE: " + line));
        if (broken.isEmpty()) {
            progress.line(
                    "Every promise was kept: each row's work took effect exactly once and none was lost, nothing");
            progress.line("was done while the run was paused, nothing by a worker whose claim or lease had ended.");
        }
        if (settings.keep()) {
            progress.line("Kept for you to look at: " + database.place());
        }
        return broken.isEmpty() ? KEPT : BROKEN;
    }
}
