package dev.dibs.database;

import dev.dibs.junit.PassedTests;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/** Skips the tests that only {@code mvn -Pall verify} runs. */
public final class FullRunCondition implements ExecutionCondition {

    static final boolean FULL = Boolean.getBoolean("dibs.full");

    /** Whether this is {@code mvn -Pall verify}, for a class of tests that then does more. */
    public static boolean isFullFor(Class<?> tests) {
        PassedTests.doesMore(tests);
        return FULL;
    }

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        Optional<String> database = EachDatabase.of(context).map(TestDatabase::name);
        boolean decidedByDatabase = database.isEmpty() && isTemplate(context);
        if (FULL || decidedByDatabase || isExcepted(context, database.orElse(""))) {
            return ConditionEvaluationResult.enabled("in this run");
        }
        return ConditionEvaluationResult.disabled("in mvn -Pall verify");
    }

    private static boolean isTemplate(ExtensionContext context) {
        return AnnotationSupport.isAnnotated(context.getTestClass(), OnEachDatabase.class);
    }

    private static boolean isExcepted(ExtensionContext context, String database) {
        return AnnotationSupport.findAnnotation(context.getTestMethod(), FullTest.class)
                .map(FullTest::except)
                .or(() -> AnnotationSupport.findAnnotation(context.getTestMethod(), FullRun.class)
                        .or(() -> AnnotationSupport.findAnnotation(context.getTestClass(), FullRun.class))
                        .map(FullRun::except))
                .map(except -> Arrays.asList(except).contains(database))
                .orElse(true);
    }
}
