package dev.dibs.database;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/** Skips or provides the database that {@link UsesDatabase} names. */
final class UsesDatabaseExtension implements ExecutionCondition, ParameterResolver {
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
        return database(context);
    }

    private static TestDatabase database(ExtensionContext context) {
        UsesDatabase uses = AnnotationSupport.findAnnotation(
                        context.getRequiredTestClass(), UsesDatabase.class, context.getEnclosingTestClasses())
                .orElseThrow();
        return TestDatabases.get(uses.value());
    }
}
