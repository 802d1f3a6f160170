package dev.dibs.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.fault.FaultPlan.Pace;
import dev.dibs.fault.FaultPlan.Step;
import dev.dibs.fault.worker.Workload;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class FaultPlanTest {

    private static List<Step> steps(long seed, int count) {
        FaultPlan plan = new FaultPlan(new PostgresUnderTest().faults(), 3, Pace.LONG, seed);
        return Stream.generate(plan::next).limit(count).toList();
    }

    @Test
    void aSeedGivesTheSameStepsAgain() {
        assertThat(steps(7, 100).toString()).isEqualTo(steps(7, 100).toString());
        assertThat(steps(7, 100).toString()).isNotEqualTo(steps(8, 100).toString());
    }

    @Test
    void eachFaultComesEquallyOften() {
        int faults = new PostgresUnderTest().faults().size();
        assertThat(steps(7, 3 * faults).stream()
                        .collect(Collectors.groupingBy(step -> step.fault().name(), Collectors.counting()))
                        .values())
                .hasSize(faults)
                .containsOnly(3L);
    }

    @Test
    void aPauseIsLongerThanALease() {
        assertThat(steps(7, 300))
                .filteredOn(step -> step.fault().name().contains("paused"))
                .isNotEmpty()
                .allMatch(step -> step.length().compareTo(Workload.LEASE) > 0);
    }
}
