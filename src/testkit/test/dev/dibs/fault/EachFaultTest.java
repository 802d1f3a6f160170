package dev.dibs.fault;

import dev.dibs.fault.FaultPlan.Pace;
import java.time.Duration;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Each fault once, on PostgreSQL: no promise is broken. The lab has other databases, and longer runs. The longest test, so it comes first. */
@Tag("fault")
@Order(Order.DEFAULT - 1)
class EachFaultTest {

    @Test
    @Tag("slow")
    void noPromiseIsBrokenByAnyFault() throws Exception {
        DatabaseUnderTest database = new PostgresUnderTest();
        database.database().assumeAvailable();
        new FaultScenario(database, FaultScenario.seed()).run(database.faults(), Pace.SHORT, Duration.ZERO);
    }
}
