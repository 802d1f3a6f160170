package dev.dibs.cdi;

import dev.dibs.Dibs;
import dev.dibs.NamedLock;
import jakarta.interceptor.InvocationContext;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import org.jspecify.annotations.Nullable;

/**
 * An annotated method that is called.
 *
 * @param locked its annotation, or null
 * @param oncePer its annotation, or null
 */
record ExclusiveMethod(
        Method method, @Nullable Locked locked, @Nullable OncePer oncePer) {

    static ExclusiveMethod of(InvocationContext call) {
        Method method = call.getMethod();
        ExclusiveMethod exclusive =
                new ExclusiveMethod(method, method.getAnnotation(Locked.class), method.getAnnotation(OncePer.class));
        if (exclusive.locked == null && exclusive.oncePer == null) {
            throw new IllegalStateException(
                    "The method " + exclusive.name()
                            + "() has neither @Locked nor @OncePer. Write one at the method: another annotation cannot stand for it");
        }
        return exclusive;
    }

    /** The annotation and the method, for messages. */
    String place() {
        return (locked == null ? "@OncePer" : "@Locked") + " at " + name() + "()";
    }

    /** The names of the bean's class and the method: several beans may inherit one method. */
    String name(InvocationContext call) {
        Class<?> bean = call.getTarget().getClass();
        // The container's own subclass.
        while (bean.isSynthetic()) {
            bean = bean.getSuperclass();
        }
        return bean.getName() + "." + method.getName();
    }

    private String name() {
        return method.getDeclaringClass().getName() + "." + method.getName();
    }

    /** Whether the method asks for a transaction. */
    boolean isTransactional(InvocationContext call) {
        return isTransactional(method.getAnnotations())
                || isTransactional(method.getDeclaringClass().getAnnotations())
                || (call.getTarget() != null
                        && isTransactional(call.getTarget().getClass().getAnnotations()));
    }

    /** By its name: an application without transactions need not have that class. */
    private static boolean isTransactional(Annotation... annotations) {
        for (Annotation annotation : annotations) {
            if (annotation.annotationType().getName().equals(MethodRules.TRANSACTIONAL)) {
                return true;
            }
        }
        return false;
    }

    /** The lock for these arguments. */
    NamedLock lock(Dibs dibs, Locked annotation, Object[] arguments) {
        Parameter[] parameters = method.getParameters();
        for (int i = 0; i < parameters.length; i++) {
            LockKey key = parameters[i].getAnnotation(LockKey.class);
            if (key != null) {
                return lock(dibs, annotation.value(), KeyPath.key(place(), key.value(), arguments[i]));
            }
        }
        return dibs.lock(annotation.value());
    }

    private NamedLock lock(Dibs dibs, String kind, Object key) {
        try {
            return dibs.lock(kind, key);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(place() + ": " + e.getMessage(), e);
        }
    }
}
