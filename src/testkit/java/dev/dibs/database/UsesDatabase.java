package dev.dibs.database;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Runs the tests of a class on one database: they may have a {@link TestDatabase} as a parameter. If the database is not available, the
 * class is skipped, and the report shows what is missing.
 */
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(UsesDatabase.Extension.class)
public @interface UsesDatabase {
    Class<? extends TestDatabase> value();

    /** Skips, or lends the database that {@link UsesDatabase} names. */
    final class Extension implements ExecutionCondition, ParameterResolver {
        private static final Namespace NAMESPACE = Namespace.create(UsesDatabase.class);

        private record Lent(TestDatabase from, TestDatabase database) implements AutoCloseable {
            @Override
            public void close() {
                from.takeBack(database);
            }
        }

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            return database(context)
                    .whyUnavailable()
                    .map(ConditionEvaluationResult::disabled)
                    .orElseGet(() -> ConditionEvaluationResult.enabled("available"));
        }

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType().isInstance(database(context));
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            TestDatabase database = database(context);
            return context.getStore(NAMESPACE)
                    .computeIfAbsent(Lent.class, key -> new Lent(database, database.lend()), Lent.class)
                    .database();
        }

        private static TestDatabase database(ExtensionContext context) {
            UsesDatabase uses = AnnotationSupport.findAnnotation(
                            context.getRequiredTestClass(), UsesDatabase.class, context.getEnclosingTestClasses())
                    .orElseThrow();
            return TestDatabases.get(uses.value());
        }
    }
}
