package dev.dibs.rules;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import javax.sql.DataSource;

/** Counts the bytes that a driver and its pool allocate on the thread that made this, and those of the counting itself. */
final class DriverBytes {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final List<Class<?>> COUNTED =
            List.of(PreparedStatement.class, Statement.class, ResultSet.class, Connection.class);

    private static final int ALIGNED = 8;
    private static final int HEADER = 16;
    private static final int REFERENCE = 4;
    private static final int BOXED_LONG = 24;

    private final Thread caller = Thread.currentThread();
    private long counted;

    /** Its connections, their statements and results are counted. */
    DataSource around(DataSource pool) {
        return proxy(DataSource.class, pool);
    }

    /** What this thread has allocated so far outside of the driver. */
    long own() {
        return THREADS.getCurrentThreadAllocatedBytes() - counted;
    }

    private <T> T proxy(Class<T> type, Object target) {
        return type.cast(Proxy.newProxyInstance(
                DriverBytes.class.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> call(target, method, arguments)));
    }

    private Object call(Object target, Method method, Object[] arguments) throws Throwable {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        try {
            Object result = method.invoke(target, arguments);
            for (Class<?> type : COUNTED) {
                if (type.isInstance(result)) {
                    return proxy(type, result);
                }
            }
            return result;
        } catch (InvocationTargetException e) {
            throw e.getCause();
        } finally {
            if (Thread.currentThread().equals(caller)) {
                counted += THREADS.getCurrentThreadAllocatedBytes() - before + size(arguments);
            }
        }
    }

    /** Of the array that a proxy makes, with the numbers in it. */
    private static long size(Object[] arguments) {
        if (arguments == null) {
            return 0;
        }
        long size = (HEADER + (long) REFERENCE * arguments.length + ALIGNED - 1) / ALIGNED * ALIGNED;
        for (Object argument : arguments) {
            if (argument instanceof Long number && number != number.byteValue()) {
                size += BOXED_LONG;
            }
        }
        return size;
    }
}
