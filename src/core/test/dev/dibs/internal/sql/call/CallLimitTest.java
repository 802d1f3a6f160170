package dev.dibs.internal.sql.call;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whatever a driver does when a statement is to be cancelled. */
@Tag("unit")
class CallLimitTest {

    private static Statement statement(Throwable failureOfCancel) {
        return (Statement) Proxy.newProxyInstance(
                CallLimitTest.class.getClassLoader(), new Class<?>[] {Statement.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("cancel")) {
                        throw failureOfCancel;
                    }
                    return null;
                });
    }

    /** Connector/J throws NullPointerException if the connection was closed meanwhile. */
    @Test
    void aCancelThatFailsHarmsNobody() throws SQLException {
        for (Throwable failure : List.of(new SQLException("planted"), new NullPointerException("planted"))) {
            CallLimit limit = new CallLimit(Duration.ofSeconds(7));
            limit.begin(statement(failure));
            assertThatCode(limit::cancel).doesNotThrowAnyException();
            limit.end();
            assertThatThrownBy(() -> limit.begin(statement(failure)))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("cancelled");
        }
    }
}
