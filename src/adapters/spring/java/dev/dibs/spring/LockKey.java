package dev.dibs.spring;

import dev.dibs.Dibs;
import dev.dibs.NamedLock;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/** The expression for the key of a lock. */
record LockKey(String place, Expression expression, Method method) {

    private static final SpelExpressionParser PARSER = new SpelExpressionParser();
    private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

    /**
     * Reads the expression.
     *
     * @throws IllegalStateException if it is none, or names arguments whose names are not known
     */
    static LockKey parse(String place, String expression, Method method) {
        if (method.getParameterCount() > 0 && NAMES.getParameterNames(method) == null) {
            throw new IllegalStateException(place + ": the names of the method's arguments are not in its class file."
                    + " Compile with -parameters, or write #p0 for the first one");
        }
        try {
            return new LockKey(place, PARSER.parseExpression(expression), method);
        } catch (ParseException e) {
            throw new IllegalStateException(
                    place + ": the key '" + expression + "' is no expression: " + e.getMessage(), e);
        }
    }

    /** The lock for these arguments. */
    NamedLock of(Dibs dibs, String kind, @Nullable Object bean, Object[] arguments) {
        Object root = bean == null ? method : bean;
        Object key;
        try {
            key = expression.getValue(new MethodBasedEvaluationContext(root, method, arguments, NAMES));
        } catch (EvaluationException e) {
            throw new IllegalArgumentException(
                    place + ": the key '" + text() + "' cannot be computed: " + e.getMessage(), e);
        }
        if (key == null) {
            throw new IllegalArgumentException(place + ": the key '" + text() + "' is null");
        }
        try {
            return dibs.lock(kind, key);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(place + ": '" + text() + "': " + e.getMessage(), e);
        }
    }

    private String text() {
        return expression.getExpressionString();
    }
}
