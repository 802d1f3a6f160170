package dev.dibs.demo;

import dev.dibs.demo.Message.Word;
import dev.dibs.runs.Run;
import dev.dibs.runs.RunStatus;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** The incidents of the run: a worker is killed, the run is paused and resumed, a worker is paused past its lease. */
final class Story implements Callable<Void> {

    private static final double KILL_AT = 0.15;
    private static final double BREAK_AT = 0.4;
    private static final double PAUSE_AT = 0.55;
    private static final double SLACK = 1.6;
    private static final Duration START = Duration.ofMinutes(1);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration BREAK = Duration.ofSeconds(2);
    private static final long LOOK_MILLIS = 200;
    private static final double THOUSAND = 1_000.0;
    private static final String REASON = "a look at the disk";

    private final Crew crew;
    private final Run run;
    private final Store store;
    private final Progress progress;
    private final Duration time;
    private long readyAt;

    /**
     * For one use.
     *
     * @param run the run, for a process that does not work on it
     * @param time how long the work is to take
     */
    Story(Crew crew, Run run, Store store, Progress progress, Duration time) {
        this.crew = crew;
        this.run = run;
        this.store = store;
        this.progress = progress;
        this.time = time;
    }

    /** Returns after the last incident, or when no worker is left. */
    @Override
    public @Nullable Void call() throws InterruptedException, SQLException, IOException {
        for (WorkerProcess worker : crew.workers()) {
            crew.await(message -> message.is(Word.READY) && message.worker() == worker.number(), START);
        }
        readyAt = System.nanoTime();
        awaitShare(KILL_AT);
        kill();
        awaitShare(BREAK_AT);
        pauseRun();
        awaitShare(PAUSE_AT);
        if (Pause.isPossible()) {
            pauseReporter();
        } else {
            progress.event("No process is paused: there is no kill -STOP on this system");
        }
        return null;
    }

    /** Waits until this share is done; on a slow machine, until long after the expected time. */
    private void awaitShare(double share) throws InterruptedException {
        long latest = readyAt + Math.round(share * SLACK * time.toNanos());
        while (crew.anyAlive() && System.nanoTime() - latest < 0) {
            Optional<RunStatus> status = run.status();
            if (status.isPresent() && status.get().total().isPresent()) {
                long total = status.get().total().getAsLong();
                if (status.get().done() >= share * total) {
                    return;
                }
            }
            Thread.sleep(LOOK_MILLIS);
        }
    }

    private void kill() throws InterruptedException, SQLException {
        Optional<Message> held = crew.hold(message -> true, PATIENCE);
        if (held.isEmpty()) {
            return;
        }
        WorkerProcess victim = crew.worker(held.get().worker());
        Optional<Message> report = reportOf(victim);
        long at = System.currentTimeMillis();
        victim.kill();
        progress.struck(victim.number(), "killed");
        progress.event("kill -9 " + victim.pid() + ": " + victim.name() + " is dead" + holding(held.get(), report));
        record("killed", held.get(), report, at);
        awaitSuccessor(held.get(), at, "kill");
    }

    /** By the run's row in the database, as any process with access can. */
    private void pauseRun() throws InterruptedException, SQLException {
        if (!crew.anyAlive()) {
            return;
        }
        run.pause(REASON);
        progress.event("run.pause(\"" + REASON + "\") by another process: each worker stops before its next batch");
        if (!awaitStillness()) {
            run.resume(REASON);
            progress.event("Nobody would stop within " + PATIENCE.toSeconds() + " s");
            return;
        }
        long stillAt = System.currentTimeMillis();
        Thread.sleep(BREAK.toMillis());
        long resumedAt = System.currentTimeMillis();
        run.resume("seen enough");
        store.update("add_break", stillAt, resumedAt, REASON);
        progress.event("run.resume(..): all had stood still for " + seconds(resumedAt - stillAt));
    }

    /** Looks twice: a worker may be claiming rows at the moment of the first look, before it finds the run paused. */
    private boolean awaitStillness() throws InterruptedException, SQLException {
        long start = System.nanoTime();
        int looks = 0;
        while (looks < 2) {
            Thread.sleep(LOOK_MILLIS);
            looks = inHands() == 0 ? looks + 1 : 0;
            if (System.nanoTime() - start > PATIENCE.toNanos()) {
                return false;
            }
        }
        return true;
    }

    private long inHands() throws SQLException {
        long now = run.status().orElseThrow().at().toEpochMilli();
        return store.query("count_in_hands", row -> row.getLong(1), now).get(0);
    }

    /** The worker that has both a file in hand and the report's lock. */
    private void pauseReporter() throws InterruptedException, SQLException, IOException {
        Optional<Message> report = awaitReporter();
        if (report.isEmpty()) {
            return;
        }
        Optional<Message> held =
                crew.hold(message -> message.worker() == report.get().worker(), PATIENCE);
        if (held.isEmpty()) {
            return;
        }
        WorkerProcess victim = crew.worker(held.get().worker());
        long at = System.currentTimeMillis();
        Pause pause = Pause.of(victim.pid());
        try (pause) {
            progress.struck(victim.number(), "paused");
            progress.event("kill -STOP " + victim.pid() + ": " + victim.name() + " stands still"
                    + holding(held.get(), report));
            record("paused", held.get(), report, at);
            victim.send(Orders.GO_ON);
            awaitSuccessor(held.get(), at, "pause");
            awaitNewReporter(report.get());
        }
        progress.struck(victim.number(), "");
        progress.event("kill -CONT " + victim.pid() + ": " + victim.name() + " wakes up and goes on where it was");
        awaitLateWrites(held.get(), report.get());
    }

    private Optional<Message> awaitReporter() throws InterruptedException {
        crew.await(message -> crew.reporting().isPresent(), PATIENCE);
        return crew.reporting();
    }

    private Optional<Message> reportOf(WorkerProcess worker) {
        return crew.reporting().filter(message -> message.worker() == worker.number());
    }

    private String holding(Message held, Optional<Message> report) throws SQLException {
        return ", with " + nameOf(held) + " in hand" + (report.isPresent() ? " and the lock of the report" : "");
    }

    private void record(String kind, Message held, Optional<Message> report, long at) throws SQLException {
        Long fence = report.map(Message::fence).orElse(null);
        store.update("add_fault", kind, WorkerArguments.nameOf(held.worker()), held.file(), fence, at);
    }

    private void awaitSuccessor(Message held, long at, String since) throws InterruptedException, SQLException {
        long start = System.nanoTime();
        while (crew.anyAlive() && System.nanoTime() - start < PATIENCE.toNanos()) {
            Optional<String> by = doneBy(held);
            if (by.isPresent()) {
                String later = seconds(System.currentTimeMillis() - at);
                progress.event(by.get() + " has done " + nameOf(held) + ", " + later + " after the " + since
                        + ": the claim had ended by time");
                return;
            }
            Thread.sleep(LOOK_MILLIS);
        }
        progress.event("Nobody took over " + nameOf(held) + " within " + PATIENCE.toSeconds() + " s");
    }

    private void awaitNewReporter(Message old) throws InterruptedException {
        Optional<Message> next =
                crew.await(message -> message.is(Word.REPORTING) && message.fence() > old.fence(), PATIENCE);
        next.ifPresent(message -> progress.event(WorkerArguments.nameOf(message.worker())
                + " took over the lock of the report, " + seconds(message.staleMillis())
                + " after the lease had ended"));
    }

    private void awaitLateWrites(Message held, Message report) throws InterruptedException, SQLException {
        String name = WorkerArguments.nameOf(held.worker());
        Optional<Message> wrote = crew.await(
                message -> message.is(Word.WROTE) && message.worker() == held.worker() && message.file() == held.file(),
                PATIENCE);
        Optional<Message> refused =
                crew.await(message -> message.is(Word.REFUSED) && message.fence() == report.fence(), PATIENCE);
        if (wrote.isEmpty()) {
            progress.event(name + " did not come back within " + PATIENCE.toSeconds() + " s");
            return;
        }
        store.update("tried_late", held.file());
        boolean gotIn = doneBy(held).filter(name::equals).isPresent();
        progress.event(
                gotIn
                        ? "The late result of " + name + " GOT IN"
                        : "The late result of " + name + " was rolled back: the row was no longer its own");
        progress.event(
                refused.isPresent()
                        ? "The late report of " + name + " was refused by the guard"
                        : "The late report of " + name + " was NOT REFUSED");
    }

    /** The worker that has committed a result; if there are several, any of them. */
    private Optional<String> doneBy(Message held) throws SQLException {
        return store.query("find_result", row -> row.getString(1), held.file()).stream()
                .findFirst();
    }

    /** The file's name: its path would be longer than a line. */
    private String nameOf(Message held) throws SQLException {
        String path =
                store.query("find_path", row -> row.getString(1), held.file()).get(0);
        return path.substring(path.lastIndexOf('/') + 1);
    }

    private static String seconds(long millis) {
        return String.format(Locale.ROOT, "%.1f s", millis / THOUSAND);
    }
}
