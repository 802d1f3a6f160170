package dev.dibs.fault;

import dev.dibs.database.FullRun;
import dev.dibs.fault.FaultPlan.Pace;
import java.time.Duration;
import java.util.Collections;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * A primary dies, and its synchronous standby takes over: no promise is broken, and all workers work again by themselves. {@code
 * -Dfailovers=10} repeats it ten times.
 */
@Tag("fault")
@Isolated("workers must get enough of the machine to be held to their time")
@FullRun
class FailoverTest {
    private static final int TIMES = Integer.getInteger("failovers", 1);
    /** Up to two seconds of work, then up to a second without a primary, and then a calm. */
    private static final Pace PACE = new Pace(2_000, 100, 1_000, 1);

    @Test
    void noPromiseIsBrokenByAFailover() throws Exception {
        PostgresPairUnderTest pair = new PostgresPairUnderTest();
        pair.database().assumeAvailable();
        new FaultScenario(pair, FaultScenario.seed())
                .run(Collections.nCopies(TIMES, pair.failover()), PACE, Duration.ZERO);
    }
}
