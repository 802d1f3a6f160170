package dev.dibs.contract.claims;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** A pool that runs an action between two transactions: before it gives the second connection from now on. */
final class Interruption {

    /** An action that may fail. */
    interface Event {
        void happen() throws SQLException;
    }

    private final DataSource pool;
    private final AtomicInteger left = new AtomicInteger();
    private volatile Event event = () -> {};

    Interruption(DataSource pool) {
        this.pool = pool;
    }

    void beforeSecond(Event event) {
        this.event = event;
        left.set(2);
    }

    DataSource dataSource() {
        return (DataSource) Proxy.newProxyInstance(
                Interruption.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, args) -> {
                    if (method.getName().equals("getConnection") && left.decrementAndGet() == 0) {
                        event.happen();
                    }
                    try {
                        return method.invoke(pool, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
