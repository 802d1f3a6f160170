package dev.dibs.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.database.FullRun;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Readers and writers keep apart in every reachable state of src/lab/model/Shared.tla, and each of its rules is needed. */
@Tag("model")
class SharedModelTest {

    private static final Tlc SHARED = new Tlc("Shared");
    private static final Duration MINUTES = Duration.ofMinutes(20);

    /** The floor is just below the counted number. */
    @Test
    @FullRun
    void promises_hold_and_every_step_is_taken() throws Exception {
        Tlc.Run run = SHARED.run("shared", Tlc.config("shared"), MINUTES, "-coverage", "1");

        assertThat(run.holds()).as(run::tail).isTrue();
        assertThat(run.states()).as(run::tail).isGreaterThanOrEqualTo(400_000);
        // A long run prints this more than once.
        assertThat(run.idleSteps())
                .filteredOn(step -> !run.takenSteps().contains(step))
                .as(run::tail)
                .containsOnly("Adopt");
    }

    @ParameterizedTest(name = "{0}: {1}")
    @FullRun
    @CsvSource({
        "no look,               ManyReadOrOneWrites",
        "no look for readers,   ManyReadOrOneWrites",
        "adopt,                 ManyReadOrOneWrites",
        "a passed gate is open, GuardedWriterIsAlone",
        "a passed reader is gone, GuardedReaderMeetsNoWriter",
        "sweep under guard,     GuardedReaderMeetsNoWriter",
        "release under guard,   GuardedWriterIsAlone",
        "free under guard,      GuardedWriterIsAlone",
    })
    void no_rule_can_be_left_out(String weakness, String promise) throws Exception {
        String world = Tlc.replace(Tlc.config("shared"), "    Weak = {}", "    Weak = {\"" + weakness + "\"}");
        Tlc.Run run = SHARED.run(weakness, Tlc.only(world, promise), MINUTES);

        assertThat(run.refuted()).as(run::tail).isEqualTo(promise);
    }
}
