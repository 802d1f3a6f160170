package dev.dibs.database;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ClassTemplateInvocationContext;
import org.junit.jupiter.api.extension.ClassTemplateInvocationContextProvider;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.TestInstancePostProcessor;
import org.junit.platform.commons.support.AnnotationSupport;

/** Runs a class of tests once for each database: see {@link OnEachDatabase}. */
final class EachDatabase
        implements ClassTemplateInvocationContextProvider, ExecutionCondition, TestInstancePostProcessor {

    private static final Namespace NAMESPACE = Namespace.create(EachDatabase.class);

    @Override
    public boolean supportsClassTemplate(ExtensionContext context) {
        return true;
    }

    @Override
    public boolean mayReturnZeroClassTemplateInvocationContexts(ExtensionContext context) {
        return true;
    }

    @Override
    public Stream<? extends ClassTemplateInvocationContext> provideClassTemplateInvocationContexts(
            ExtensionContext context) {
        OnEachDatabase each = AnnotationSupport.findAnnotation(context.getTestClass(), OnEachDatabase.class)
                .orElseThrow();
        List<Class<? extends TestDatabase>> only = Arrays.asList(each.value());
        return TestDatabases.wanted().stream()
                .filter(database -> only.isEmpty() || only.contains(database.getClass()))
                .map(database -> new Invocation(each.ownServer() && !database.isGiven() ? database.own() : database));
    }

    /** The database of the running class, if it has one for each database. */
    static Optional<TestDatabase> of(ExtensionContext context) {
        return Optional.ofNullable(context.getStore(NAMESPACE).get(TestDatabase.class, TestDatabase.class));
    }

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        Optional<TestDatabase> database = of(context);
        if (database.map(one -> one.has(Trait.ONLY_CORE)).orElse(false) && !isInThisRun(context)) {
            return ConditionEvaluationResult.disabled("in mvn -Pall verify");
        }
        return database.flatMap(TestDatabase::whyUnavailable)
                .map(ConditionEvaluationResult::disabled)
                .orElseGet(() -> ConditionEvaluationResult.enabled("available"));
    }

    private static boolean isInThisRun(ExtensionContext context) {
        return FullRunCondition.FULL
                || TestDatabases.areNamed()
                || AnnotationSupport.isAnnotated(context.getTestClass(), Core.class);
    }

    /** The scope of the method: a database that is lent to a test is taken back at the test's end. */
    @Override
    public ExtensionContextScope getTestInstantiationExtensionContextScope(ExtensionContext rootContext) {
        return ExtensionContextScope.TEST_METHOD;
    }

    @Override
    public void postProcessTestInstance(Object test, ExtensionContext context) {
        TestDatabase database = of(context).orElseThrow();
        // The instance is created before the condition is checked.
        if (test instanceof DatabaseUser user && database.available()) {
            TestDatabase lent = isAlone(context) ? database : database.lend();
            context.getStore(NAMESPACE).put("lent", (AutoCloseable) () -> database.takeBack(lent));
            user.use(lent);
        }
    }

    /** On a server of its own, a test has all of it. */
    private static boolean isAlone(ExtensionContext context) {
        return AnnotationSupport.findAnnotation(context.getTestClass(), OnEachDatabase.class)
                .map(OnEachDatabase::ownServer)
                .orElse(false);
    }

    private record Invocation(TestDatabase database) implements ClassTemplateInvocationContext {

        @Override
        public String getDisplayName(int index) {
            return database.name();
        }

        @Override
        public void prepareInvocation(ExtensionContext context) {
            context.getStore(NAMESPACE).put(TestDatabase.class, database);
        }
    }
}
