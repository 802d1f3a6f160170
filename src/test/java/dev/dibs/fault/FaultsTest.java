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
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * No promise is broken, whatever goes wrong. By default each fault strikes once; {@code mvn -Pfaults verify -Dfaults.minutes=10} goes on
 * for longer. {@code -Dfaults.database=postgresql} chooses a database, {@code -Dfaults.seed=1} repeats an order of faults.
 */
@Isolated("workers must get enough of the machine to be held to their time")
class FaultsTest {
    private static final String DATABASE = System.getProperty("faults.database", "");
    private static final Duration TIME =
            Duration.ofSeconds(Math.round(60 * Double.parseDouble(property("minutes", "0"))));
    private static final Pace PACE = TIME.isZero() ? Pace.SHORT : Pace.LONG;
    private static final long SEED = Long.parseLong(property("seed", Long.toString(System.nanoTime() % 1_000_000)));
    private static final long LINES_A_MINUTE = 60;

    private static String property(String name, String otherwise) {
        String value = System.getProperty("faults." + name, "");
        return value.isEmpty() ? otherwise : value;
    }

    static Stream<Ground> grounds() {
        Stream<Supplier<Ground>> all = Stream.of(PostgresGround::new, MariaDbGround::new, H2Ground::new);
        return all.map(Supplier::get)
                .filter(ground -> DATABASE.isEmpty() || ground.name().equals(DATABASE));
    }

    @ParameterizedTest
    @MethodSource("grounds")
    void noPromiseIsBroken(Ground ground) throws Exception {
        Assumptions.assumeTrue(
                ground.database().available(),
                () -> ground.database().whyUnavailable().orElse(""));
        Path folder = folder(ground);
        FaultReport report = new FaultReport(ground, SEED);
        System.out.println("faults on " + ground + ": -Dfaults.seed=" + SEED + ", histories in " + folder);
        try (Site site = new Site(ground, folder, SEED)) {
            FaultRun run =
                    new FaultRun(site, new FaultPlan(faults(), site.workers().size(), PACE, SEED));
            try {
                run.run(TIME);
                List<Vitals> ends = site.end();
                assertNothingLeaks(run, ends);
                assertQuiet(site, report);
            } catch (AssertionError e) {
                // Matters more than what was seen first.
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

    static List<Fault> faults() {
        return Stream.of(ServerFaults.all(), NetworkFaults.all(), WorkerFaults.all(), Tampering.all())
                .flatMap(List::stream)
                .toList();
    }

    private static void assertNoPromiseIsBroken(Site site, FaultReport report) throws Exception {
        History history = History.read(site.histories());
        Effects effects;
        try (Connection admin = site.ground().admin()) {
            effects = Tables.read(admin);
        }
        report.tell(history, effects);
        HistoryChecker checker = new HistoryChecker(Workload.SEMAPHORES, Workload.PERIOD);
        assertThat(checker.broken(history, effects)).as("seed " + SEED).isEmpty();
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

    private static Path folder(Ground ground) throws IOException {
        Path folder = Path.of(System.getProperty("basedir", ""), "target", "faults", ground + "-" + SEED)
                .toAbsolutePath();
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
