package dev.dibs.junit;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestTag;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Measures the tests of a run: prints the ten slowest, writes the times of all to {@code target/test-times.tsv}, and checks the rule of
 * {@code mvn verify} that a test takes at most five seconds on its own. Many run at once. So a test that took longer is run again alone
 * before it is blamed, unless other programs keep the machine busy. Its findings are in {@code target/slow-tests.txt}; if that file exists,
 * the build fails.
 */
public final class SlowestTests implements TestExecutionListener {

    /** A test with this tag may take longer. */
    public static final String MAY_BE_SLOW = "slow";

    private static final long LIMIT_MILLIS = 5_000;
    private static final int SHOWN = 10;
    /** On a busy machine nearly all take longer; those that are slow on their own are among the first. */
    private static final int SUSPECTS = 3;

    private static final int TRIES = 4;

    /** The share of the processors' time above which a test does not run alone. */
    private static final double BUSY = 0.5;

    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    static final String AGAIN = "dibs.again";
    /** Of the module. */
    static final Path TARGET = Path.of(System.getProperty("basedir", "."), "target");

    private final Map<UniqueId, Long> begun = new ConcurrentHashMap<>();
    private final Queue<Time> times = new ConcurrentLinkedQueue<>();
    private TestPlan plan;

    private record Time(TestIdentifier test, String name, long millis) {}

    @Override
    public void testPlanExecutionStarted(TestPlan started) {
        plan = started;
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        begun.put(test.getUniqueIdObject(), System.nanoTime());
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        Long start = begun.remove(test.getUniqueIdObject());
        if (test.isTest() && start != null) {
            Time time = new Time(test, name(test), (System.nanoTime() - start) / 1_000_000);
            boolean again = Boolean.getBoolean(AGAIN);
            if (!again || result.getStatus() == TestExecutionResult.Status.SUCCESSFUL) {
                times.add(time);
            }
            if (result.getStatus() == TestExecutionResult.Status.FAILED) {
                System.out.println("Red: " + time.name());
            }
        }
    }

    /** Class and method, the arguments of a test that has some, and the database. */
    private String name(TestIdentifier test) {
        if (!(test.getSource().orElse(null) instanceof MethodSource source)) {
            return test.getDisplayName();
        }
        String arguments = "";
        Optional<TestIdentifier> parent = plan.getParent(test);
        if (parent.isPresent() && parent.get().getSource().orElse(null) instanceof MethodSource) {
            arguments = " " + test.getDisplayName();
            parent = plan.getParent(parent.get());
        }
        String className = source.getClassName().replaceAll(".*[.$]", "");
        String between = parent.map(TestIdentifier::getDisplayName)
                .filter(name -> !name.equals(className))
                .map(name -> " on " + name)
                .orElse("");
        return className + "." + source.getMethodName() + arguments + between;
    }

    @Override
    public void testPlanExecutionFinished(TestPlan finished) {
        if (Boolean.getBoolean(AGAIN) || times.isEmpty()) {
            return;
        }
        List<Time> slowest = times.stream()
                .sorted(Comparator.comparingLong(Time::millis).reversed())
                .toList();
        System.out.println("The slowest of " + slowest.size() + " tests:");
        slowest.stream().limit(SHOWN).forEach(time -> System.out.println(line(time)));
        try {
            Files.createDirectories(TARGET);
            Files.write(
                    TARGET.resolve("test-times.tsv"),
                    slowest.stream()
                            .map(time -> time.millis() + "\t" + time.name())
                            .toList());
            hold(slowest);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String line(Time time) {
        return String.format(Locale.ROOT, "  %6.1f s  %s", time.millis() / 1000.0, time.name());
    }

    private void hold(List<Time> slowest) throws IOException {
        Path file = TARGET.resolve("slow-tests.txt");
        Files.deleteIfExists(file);
        List<Time> suspects = slowest.stream()
                .filter(time -> time.millis() > LIMIT_MILLIS && !mayBeSlow(time.test()))
                .limit(SUSPECTS)
                .toList();
        if (Boolean.getBoolean("dibs.full") || suspects.isEmpty()) {
            return;
        }
        if (isKeptBusyByOthers()) {
            System.out.println("Other programs keep this machine busy, so no test is blamed for taking long.");
            return;
        }
        List<String> slow = alone(suspects);
        if (!slow.isEmpty()) {
            Files.write(file, slow);
        }
    }

    /** The tests have ended: the processors' present work belongs to other programs. */
    private static boolean isKeptBusyByOthers() {
        OperatingSystemMXBean machine = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        double unused = machine.getCpuLoad();
        LockSupport.parkNanos(LOOK_NANOS);
        return machine.getCpuLoad() > BUSY;
    }

    private boolean mayBeSlow(TestIdentifier test) {
        return test.getTags().contains(TestTag.create(MAY_BE_SLOW));
    }

    /** Those that also take too long alone, each time: the machine may stand still during one. */
    private static List<String> alone(List<Time> suspects) {
        Map<String, Time> ids = suspects.stream()
                .collect(Collectors.toMap(time -> time.test().getUniqueId(), time -> time, (a, b) -> a, TreeMap::new));
        List<String> slow = new ArrayList<>();
        System.setProperty(AGAIN, "true");
        try {
            for (String id : ids.keySet()) {
                LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                        .selectors(DiscoverySelectors.selectUniqueId(id))
                        .configurationParameter("junit.jupiter.execution.parallel.enabled", "false")
                        .build();
                List<Time> taken = List.of();
                for (int i = 0; i < TRIES && (taken.isEmpty() || isSlow(taken)); i++) {
                    SlowestTests again = new SlowestTests();
                    LauncherFactory.create().execute(request, again);
                    taken = List.copyOf(again.times);
                }
                taken.stream()
                        .filter(time -> isSlow(List.of(time)))
                        .map(SlowestTests::line)
                        .forEach(slow::add);
            }
        } finally {
            System.clearProperty(AGAIN);
        }
        return slow;
    }

    private static boolean isSlow(List<Time> times) {
        return times.stream().anyMatch(time -> time.millis() > LIMIT_MILLIS);
    }
}
