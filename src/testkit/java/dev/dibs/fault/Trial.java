package dev.dibs.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.fault.FaultPlan.Pace;
import dev.dibs.fault.history.Effects;
import dev.dibs.fault.history.History;
import dev.dibs.fault.history.HistoryChecker;
import dev.dibs.fault.worker.Tables;
import dev.dibs.fault.worker.Vitals;
import dev.dibs.fault.worker.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Workers on a ground, their faults, and the check of their history. */
final class Trial {
    private static final long LINES_A_MINUTE = 60;

    private final Ground ground;
    private final long seed;

    Trial(Ground ground, long seed) {
        this.ground = ground;
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
        FaultReport report = new FaultReport(ground, seed);
        System.out.println("faults on " + ground + ": -Dfaults.seed=" + seed + ", histories in " + folder);
        ground.database().url();
        try (Site site = new Site(ground, folder, seed)) {
            FaultRun run =
                    new FaultRun(site, new FaultPlan(faults, site.workers().size(), pace, seed));
            try {
                run.run(time);
                List<Vitals> ends = site.end();
                assertNothingLeaks(run, ends);
                assertQuiet(site, report);
            } catch (AssertionError e) {
                // This matters more than the first error.
                site.killWorkers();
                assertNoPromiseIsBroken(site, report);
                throw e;
            } finally {
                report.tell(site, run);
            }
            assertNoPromiseIsBroken(site, report);
        } finally {
            ground.database().kill();
            report.write(folder.resolve("report.txt"));
        }
    }

    private void assertNoPromiseIsBroken(Site site, FaultReport report) throws Exception {
        Map<String, Long> counts = site.lastPass();
        History history = History.read(site.histories());
        Effects effects;
        try (Connection admin = site.ground().admin()) {
            effects = Tables.read(admin, counts);
        }
        report.tell(history, effects);
        HistoryChecker checker = new HistoryChecker(Workload.SEMAPHORES, Workload.HELD_LOCKS, Workload.PERIOD);
        assertThat(checker.broken(history, effects)).as("seed " + seed).isEmpty();
    }

    private static void assertNothingLeaks(FaultRun run, List<Vitals> ends) {
        assertThat(run.after()).as("no more than " + run.before()).matches(after -> after.isNoMoreThan(run.before()));
        assertThat(ends).allMatch(end -> end.active() == 0 && end.threads() == 0);
    }

    private static void assertQuiet(Site site, FaultReport report) {
        for (WorkerProcess worker : site.workers()) {
            worker.log().requireGood();
            assertThat(worker.log().count())
                    .as("lines of " + worker)
                    .isLessThan(
                            Math.toIntExact(LINES_A_MINUTE * (1 + report.age().toMinutes())));
        }
    }

    private Path folder() throws IOException {
        Path folder = Path.of("target", "faults", ground + "-" + seed).toAbsolutePath();
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
