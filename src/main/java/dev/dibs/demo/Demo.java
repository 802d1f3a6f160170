package dev.dibs.demo;

import com.zaxxer.hikari.pool.HikariPool;
import dev.dibs.DibsException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Verifies the local Maven repository with three processes, one of which is killed and one paused past its lease, and ends
 * with what the database says came of it.
 */
public final class Demo {

    private static final int KEPT = 0;
    private static final int BROKEN = 1;
    private static final int NOT_RUN = 2;

    private static final Duration SEARCH = Duration.ofSeconds(8);
    private static final Duration OVERTIME = Duration.ofMinutes(2);
    private static final long REDRAW_MILLIS = 250;

    private final Settings settings;
    private final Choice choice;
    private final DemoDatabase database;
    private final Progress progress;

    private Demo(Settings settings, Choice choice, DemoDatabase database, Progress progress) {
        this.settings = settings;
        this.choice = choice;
        this.database = database;
        this.progress = progress;
    }

    /** Takes no arguments: see {@code docs/demo.md} for the settings. Exit code 1 says that a promise was broken. */
    public static void main(String[] args) {
        System.exit(run());
    }

    /** Runs with the settings of the environment; returns the exit code. */
    public static int run() {
        try {
            return run(Settings.read(), System.out, Terminal.detect());
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
            progress.line("The demo could not run: " + reason(e));
            return NOT_RUN;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return NOT_RUN;
        }
    }

    /** What others say for themselves; an error of the demo's own with its name. */
    private static String reason(Exception e) {
        boolean explained = e instanceof DibsException
                || e instanceof SQLException
                || e instanceof HikariPool.PoolInitializationException;
        return explained ? String.valueOf(e.getMessage()) : e.toString();
    }

    private static int find(Settings settings, Progress progress)
            throws IOException, SQLException, InterruptedException {
        if (!Files.isDirectory(settings.repository())) {
            progress.line("There is no Maven repository at " + settings.repository()
                    + "; name yours with -Ddemo.repository=..");
            return NOT_RUN;
        }
        Choice choice = Choice.of(Artifacts.find(settings.repository(), SEARCH), settings.time(), new SecureRandom());
        if (!choice.isEnough()) {
            progress.line(settings.repository() + " has jars in " + choice.all() + " directories; the demo needs "
                    + Choice.FEWEST);
            return NOT_RUN;
        }
        try (Cleanup cleanup = Cleanup.atExit(progress)) {
            DemoDatabase database = cleanup.add(DemoDatabase.open(settings));
            return new Demo(settings, choice, database, progress).perform(cleanup);
        }
    }

    private int perform(Cleanup cleanup) throws SQLException, InterruptedException {
        long seconds = settings.time().toSeconds();
        progress.line("Verifying " + settings.repository() + " with " + Crew.SIZE + " processes that share "
                + database.product() + ".");
        progress.line(choice.describe() + ".");
        progress.line("They are handed out one by one over " + seconds + " s, however fast they are done;");
        progress.line("what is not begun by then is left out.");
        progress.line("");
        database.tables().fill(choice.directories());
        Pace pace = new Pace(
                System.currentTimeMillis(),
                settings.time().toMillis(),
                choice.directories().size());
        try (Crew crew = cleanup.add(Crew.start(database, settings, pace))) {
            work(crew, pace);
        }
        return conclude();
    }

    /** Shows the progress until the workers end, while other things happen to them. */
    private void work(Crew crew, Pace pace) throws SQLException, InterruptedException {
        FutureTask<Void> faults = new FutureTask<>(new Faults(crew, pace, choice, database.store(), progress));
        Thread thread = new Thread(faults, "faults");
        thread.setDaemon(true);
        thread.start();
        long deadline = pace.at(1) + OVERTIME.toMillis();
        boolean handingOut = true;
        while (crew.anyAlive() && System.currentTimeMillis() < deadline) {
            progress.show(choice, database.store(), crew);
            Thread.sleep(REDRAW_MILLIS);
            if (handingOut && pace.allReleased()) {
                handingOut = false;
                endHandingOut();
            }
        }
        crew.workers().stream().filter(WorkerProcess::fellByItself).forEach(this::lament);
        try {
            faults.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("the faults could not be staged: " + e.getCause(), e.getCause());
        }
    }

    private void endHandingOut() throws SQLException {
        int left = database.tables().leaveOutTheRest();
        if (left > 0) {
            progress.event("Time is up: " + left + " directories are left out");
        }
    }

    private void lament(WorkerProcess worker) {
        progress.event(worker.name() + " ended by itself; its last words:");
        progress.line(worker.lastWords());
    }

    private int conclude() throws SQLException {
        progress.line("");
        progress.line("What the database says:");
        Summary.of(database.store()).forEach(progress::line);
        progress.line("");
        List<String> broken = Promises.broken(database.store(), Pause.isPossible() ? 2 : 1);
        broken.forEach(line -> progress.line("BROKEN PROMISE: " + line));
        if (broken.isEmpty()) {
            progress.line("Every promise was kept: each directory committed exactly once, no takeover before");
            progress.line("a lease's end, fences that grow, no write by a worker that had lost its lease.");
        }
        if (settings.keep()) {
            progress.line("Kept for you to look at: " + database.place());
        }
        return broken.isEmpty() ? KEPT : BROKEN;
    }
}
