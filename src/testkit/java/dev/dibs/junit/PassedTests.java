package dev.dibs.junit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestTag;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Writes down which tests {@code mvn verify} has passed, so that {@code mvn -Pall verify} need not run them again on the same classes: with
 * {@code -Ddibs.passed=skip}, as in {@code .ci/run}. It runs again what does more there: races, which get the second compiler, and classes
 * that have asked for a larger size.
 */
public final class PassedTests implements TestExecutionListener, ExecutionCondition {

    private static final boolean SKIPS = "skip".equals(System.getProperty("dibs.passed"));
    private static final Path FILE = SlowestTests.TARGET.resolve("passed-tests.txt");
    private static final TestTag RACE = TestTag.create("race");
    private static final Set<String> LARGER = ConcurrentHashMap.newKeySet();

    private final Queue<TestIdentifier> passed = new ConcurrentLinkedQueue<>();
    private final Set<String> skipped = SKIPS ? read() : Set.of();

    /** The class does more with {@code -Pall} than without. */
    public static void doesMore(Class<?> tests) {
        LARGER.add(tests.getName());
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (test.isTest() && result.getStatus() == TestExecutionResult.Status.SUCCESSFUL) {
            passed.add(test);
        }
    }

    @Override
    public void testPlanExecutionFinished(TestPlan finished) {
        if (Boolean.getBoolean("dibs.full") || passed.isEmpty() || Boolean.getBoolean(SlowestTests.AGAIN)) {
            return;
        }
        try {
            Files.write(
                    FILE,
                    passed.stream()
                            .filter(test -> !test.getTags().contains(RACE))
                            .filter(test -> test.getSource()
                                    .filter(MethodSource.class::isInstance)
                                    .map(MethodSource.class::cast)
                                    .filter(source -> !LARGER.contains(source.getClassName()))
                                    .isPresent())
                            .map(TestIdentifier::getUniqueId)
                            .toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Set<String> read() {
        try {
            return Files.exists(FILE) ? Set.copyOf(Files.readAllLines(FILE)) : Set.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        return skipped.contains(context.getUniqueId())
                ? ConditionEvaluationResult.disabled("passed in mvn verify")
                : ConditionEvaluationResult.enabled("not passed before");
    }
}
