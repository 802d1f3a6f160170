package dev.dibs.internal.guarded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The connections of guarded transactions. */
@Tag("unit")
class FreeConnectionsTest {

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    /** A pool would have one less for ever. */
    @Test
    void aConnectionThatIsBrokenIsReturned() {
        AtomicBoolean returned = new AtomicBoolean();
        Connection broken = proxy(Connection.class, (self, method, arguments) -> {
            if (method.getName().equals("close")) {
                returned.set(true);
                return null;
            }
            throw new SQLException("the server is gone", "08006");
        });
        DataSource pool = proxy(DataSource.class, (self, method, arguments) -> broken);
        FreeConnections connections = new FreeConnections(Runnable::run, connection -> false);
        assertThatThrownBy(() -> connections.get(pool, "a guard")).isInstanceOf(SQLException.class);
        assertThat(returned).isTrue();
    }
}
