package dev.dibs.cdi;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Finds the key of a lock in an argument. */
final class KeyPath {

    private static final Pattern STEPS = Pattern.compile("([\\p{L}_$][\\w$]*(\\.[\\p{L}_$][\\w$]*)*)?");
    private static final Pattern DOT = Pattern.compile("\\.");

    private KeyPath() {}

    static boolean isValid(String path) {
        return STEPS.matcher(path).matches();
    }

    /**
     * The key.
     *
     * @param place the annotated method, for messages
     * @param path the properties from the argument to the key; empty if the argument is the key
     * @throws IllegalArgumentException if there is none
     */
    static Object key(String place, String path, @Nullable Object argument) {
        String which = place + ": the key" + (path.isEmpty() ? "" : " '" + path + "'");
        Object key = argument;
        if (!path.isEmpty()) {
            for (String step : DOT.split(path, -1)) {
                if (key == null) {
                    throw new IllegalArgumentException(
                            which + " cannot be computed: what '" + step + "' is read from is null");
                }
                key = read(which, key, step);
            }
        }
        if (key == null) {
            throw new IllegalArgumentException(which + " is null");
        }
        return key;
    }

    private static @Nullable Object read(String which, Object owner, String property) {
        try {
            Method method = accessor(owner.getClass(), property);
            // The class may be private to its package.
            method.setAccessible(true);
            return method.invoke(owner);
        } catch (InvocationTargetException e) {
            throw new IllegalArgumentException(which + " cannot be computed: " + e.getCause(), e);
        } catch (ReflectiveOperationException | RuntimeException e) {
            throw new IllegalArgumentException(
                    which + " cannot be computed: " + owner.getClass().getName() + " has no public method " + property
                            + "() or " + getter(property) + "() that can be called",
                    e);
        }
    }

    private static Method accessor(Class<?> type, String property) throws NoSuchMethodException {
        try {
            return type.getMethod(property);
        } catch (NoSuchMethodException e) {
            return type.getMethod(getter(property));
        }
    }

    private static String getter(String property) {
        return "get" + property.substring(0, 1).toUpperCase(Locale.ROOT) + property.substring(1);
    }
}
