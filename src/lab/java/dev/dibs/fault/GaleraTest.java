package dev.dibs.fault;

import dev.dibs.database.FullRun;
import dev.dibs.fault.FaultPlan.Pace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Each worker writes to another node of a cluster, of which nodes die. {@code -Dgalera.times=4} repeats each fault four times. */
@Tag("fault")
@Isolated("workers must get enough of the machine to be held to their time")
@FullRun
class GaleraTest {
    private static final int TIMES = Integer.getInteger("galera.times", 1);
    private static final Pace PACE = new Pace(2_000, 500, 2_500, 1);

    @Test
    void noPromiseIsBrokenOnSeveralNodes() throws Exception {
        GaleraUnderTest galera = new GaleraUnderTest();
        galera.database().assumeAvailable();
        List<Fault> faults = new ArrayList<>();
        for (int time = 0; time < TIMES; time++) {
            faults.addAll(galera.ownFaults());
        }
        new FaultScenario(galera, FaultScenario.seed()).run(faults, PACE, Duration.ZERO);
    }
}
