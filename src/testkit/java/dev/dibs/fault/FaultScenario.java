package dev.dibs.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.fault.FaultPlan.Pace;
import dev.dibs.fault.history.Effects;
import dev.dibs.fault.history.History;
import dev.dibs.fault.history.HistoryChecker;
import dev.dibs.fault.worker.Tables;
import dev.dibs.fault.worker.WorkerStats;
import dev.dibs.fault.worker.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Workers on a database, their faults, and the check of their history. */
final class FaultScenario {
    private static final long LINES_A_MINUTE = 60;

    private final DatabaseUnderTest database;
    private final long seed;

    FaultScenario(DatabaseUnderTest database, long seed) {
        this.database = database;
        this.seed = seed;
    }

    /** The seed of {@code -Dfaults.seed}, or another one each time. */
    static long seed() {
        String asked = System.getProperty("faults.seed", "");
        return asked.isEmpty() ? System.nanoTime() % 1_000_000 : Long.parseLong(asked);
    }

    /** Lets each of the faults occur once, and more of them until the time is over; then no promise may be broken. */
    void run(List<Fault> faults, Pace pace, Duration time) throws Exception {
        Path folder = folder();
        FaultReport report = new FaultReport(database, seed);
        System.out.println("faults on " + database + ": -Dfaults.seed=" + seed + ", histories in " + folder);
        database.database().url();
        try (FaultSetup setup = new FaultSetup(database, folder, seed)) {
            FaultRun run =
                    new FaultRun(setup, new FaultPlan(faults, setup.workers().size(), pace, seed));
            try {
                run.run(time);
                List<WorkerStats> ends = setup.end();
                assertNothingLeaks(run, ends);
                assertQuiet(setup, report);
            } catch (AssertionError e) {
                // This matters more than the first error.
                setup.killWorkers();
                assertNoPromiseIsBroken(setup, report);
                throw e;
            } finally {
                report.tell(setup, run);
            }
            assertNoPromiseIsBroken(setup, report);
        } finally {
            database.database().kill();
            report.write(folder.resolve("report.txt"));
        }
    }

    private void assertNoPromiseIsBroken(FaultSetup setup, FaultReport report) throws Exception {
        Map<String, Long> counts = setup.lastPass();
        History history = History.read(setup.histories());
        Effects effects;
        try (Connection admin = setup.database().admin()) {
            effects = Tables.read(admin, counts);
        }
        report.tell(history, effects);
        HistoryChecker checker = new HistoryChecker(Workload.SEMAPHORES, Workload.HELD_LOCKS, Workload.PERIOD);
        assertThat(checker.broken(history, effects)).as("seed " + seed).isEmpty();
    }

    private static void assertNothingLeaks(FaultRun run, List<WorkerStats> ends) {
        assertThat(run.after()).as("no more than " + run.before()).matches(after -> after.isNoMoreThan(run.before()));
        assertThat(ends).allMatch(end -> end.active() == 0 && end.threads() == 0);
    }

    private static void assertQuiet(FaultSetup setup, FaultReport report) {
        for (WorkerProcess worker : setup.workers()) {
            worker.log().requireGood();
            assertThat(worker.log().count())
                    .as("lines of " + worker)
                    .isLessThan(
                            Math.toIntExact(LINES_A_MINUTE * (1 + report.age().toMinutes())));
        }
    }

    private Path folder() throws IOException {
        Path folder = Path.of("target", "faults", database + "-" + seed).toAbsolutePath();
        if (Files.isDirectory(folder)) {
            try (Stream<Path> old = Files.list(folder)) {
                for (Path file : old.toList()) {
                    Files.delete(file);
                }
            }
        }
        return Files.createDirectories(folder);
    }
}
