package dev.dibs.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.database.FullRun;
import dev.dibs.database.FullTest;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The protocols of leases and of read-write locks keep their promises in every reachable state of src/lab/model/Lease.tla and Shared.tla, and
 * each of their rules is needed. With the rule switched off, in a world where the whole protocol holds, TLC finds the broken promise.
 */
@Tag("model")
class ModelTest {
    private static final Tlc LEASE = new Tlc("Lease");
    private static final Tlc SHARED = new Tlc("Shared");
    private static final List<String> RETAKE_STEPS = List.of("Retake", "SendRetake", "HearReleased");
    private static final List<String> TRANSACTION_STEPS = List.of("Transaction", "EndTransaction");

    /** Some seconds of processor time for most worlds. But TLC runs behind all other tests. */
    private static final Duration MINUTES = Duration.ofMinutes(20);

    /** The floors are just below the counted numbers, so a model that lost a part of its steps does not pass. */
    @ParameterizedTest(name = "{0}")
    @FullRun
    @CsvSource({
        "plain,     55000",
        "break,    105000",
        "clock,    223000",
        "suspend,  200000",
        "database,  31000",
        "failover,  27000",
        "skew,     111000",
        "retake,   126000",
        "retake_failover, 178000",
        "transaction, 417000",
    })
    void promises_hold(String world, long floor) throws Exception {
        Tlc.Run run = LEASE.run(world, Tlc.config(world), MINUTES);

        assertThat(run.holds()).as(run::tail).isTrue();
        assertThat(run.states()).as(run::tail).isGreaterThanOrEqualTo(floor);
    }

    @FullTest
    void every_step_is_taken() throws Exception {
        Tlc.Run run = LEASE.run("alone", Tlc.config("alone"), MINUTES, "-coverage", "1");

        assertThat(run.holds()).as(run::tail).isTrue();
        assertThat(run.idleSteps())
                .as(run::tail)
                .containsExactlyInAnyOrderElementsOf(Stream.of(RETAKE_STEPS, TRANSACTION_STEPS)
                        .flatMap(List::stream)
                        .toList());
        assertThat(run.takenSteps())
                .containsExactlyInAnyOrder(("Init Acquire Renew Release Break Purge SendAcquire HearGrant Resolve"
                                + " SendRenew HearRenewed SendRelease Crash SecondLook Guard EndGuard Tick"
                                + " SetClock Suspend Flush Fail")
                        .split(" ", -1));
    }

    @FullTest
    void every_step_of_a_retake_is_taken() throws Exception {
        Tlc.Run run = LEASE.run("retake steps", Tlc.config("retake"), MINUTES, "-coverage", "1");

        assertThat(run.takenSteps()).as(run::tail).containsAll(RETAKE_STEPS);
    }

    @FullTest
    void every_step_of_a_transaction_is_taken() throws Exception {
        Tlc.Run run = LEASE.run("transaction steps", Tlc.config("transaction"), MINUTES, "-coverage", "1");

        assertThat(run.takenSteps()).as(run::tail).containsAll(TRANSACTION_STEPS);
    }

    @ParameterizedTest(name = "{0} ({1}): {2}")
    @FullRun
    @CsvSource({
        "renew without owner,      plain,    OneHolder",
        "release without owner,    plain,    OnlyOwnersTouch",
        "guard without owner,      plain,    GuardedInOrder",
        "guard without lock,       plain,    GuardedInOrder",
        "deadline from the answer, plain,    HolderKnowsFirst",
        "late answer revives,      plain,    LossIsFinal",
        "token sent twice,         plain,    GuardedInOrder",
        "no retention,             plain,    FencesGrow",
        "fence + 1,                plain,    FencesGrow",
        "fence + 1,                failover, FencesGrow",
        "asynchronous acquire,     database, OneHolder",
        "asynchronous acquire,     database, GuardExcludes",
        "asynchronous renew,       database, HolderKnowsFirst",
        "no second look,           suspend,  HolderKnowsFirst",
        "clock beyond margin,      clock,    HolderKnowsFirst",
        "release by the clock,     clock,    GoneForEver",
        "break keeps owner,        break,    GoneForEver",
        "retake without fence,     retake,   GuardExcludes",
        "retake after guard,       retake,   GuardExcludes",
        "retake fence + 1,         retake_failover, FencesGrow",
        "transaction without lock, transaction, TransactionExcludes",
        "transaction keeps owner,  transaction, GoneForEver",
    })
    void no_rule_can_be_left_out(String weakness, String world, String promise) throws Exception {
        String weakened =
                Tlc.only(Tlc.replace(Tlc.config(world), "Weak = {}", "Weak = {\"" + weakness + "\"}"), promise);
        Tlc.Run run = LEASE.run(weakness + " " + promise + " " + world, weakened, MINUTES);

        assertThat(run.refuted()).as(run::tail).isEqualTo(promise);
    }

    /** Cases that docs/reference/safety.md does not promise; if this fails, that page is too modest. */
    @ParameterizedTest(name = "{0} may break {1}")
    @FullRun
    @CsvSource({
        "failover, HolderKnowsFirst",
        "failover, GuardExcludes",
    })
    void a_failover_that_loses_commits_breaks(String fault, String promise) throws Exception {
        String world = Tlc.replace(Tlc.config("plain"), "Faults = {}", "Faults = {\"" + fault + "\"}");
        Tlc.Run run = LEASE.run(fault + " " + promise, Tlc.only(world, promise), MINUTES);

        assertThat(run.refuted()).as(run::tail).isEqualTo(promise);
    }

    /** The clocks of the nodes differ by more than the tolerance; a purge relies on twice the difference, and a tick. */
    @ParameterizedTest(name = "{0}, {1}: {2}")
    @FullRun
    @CsvSource({
        "Tolerance = 1, Tolerance = 0, OneHolder",
        "Tolerance = 1, Tolerance = 0, HolderKnowsFirst",
        "Skew = 1,      Skew = 2,      OneHolder",
        "Skew = 1,      Skew = 2,      HolderKnowsFirst",
        "Retention = 3, Retention = 1, FencesGrow",
    })
    void clocks_that_differ_by_more_than_is_tolerated_break(String line, String by, String promise) throws Exception {
        String world = Tlc.replace(Tlc.config("skew"), "    " + line, "    " + by);
        Tlc.Run run = LEASE.run("skew " + by + " " + promise, Tlc.only(world, promise), MINUTES);

        assertThat(run.refuted()).as(run::tail).isEqualTo(promise);
    }

    @FullTest
    void a_clock_that_is_set_back_by_the_retention_repeats_fences() throws Exception {
        String world = Tlc.replace(Tlc.config("clock"), "Retention = 3", "Retention = 1");
        Tlc.Run run = LEASE.run("clock set back", Tlc.only(world, "FencesGrow"), MINUTES);

        assertThat(run.refuted()).as(run::tail).isEqualTo("FencesGrow");
    }

    @Test
    @EnabledIfSystemProperty(named = "dibs.model.large", matches = "true")
    void promises_hold_for_three_sessions() throws Exception {
        Tlc.Run run = LEASE.run("large", Tlc.config("large"), Duration.ofHours(2));

        assertThat(run.holds()).as(run::tail).isTrue();
    }

    /** The floor is just below the counted number. */
    @FullTest
    void shared_promises_hold_and_every_step_is_taken() throws Exception {
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
        "an expired gate is open, GuardedWriterIsAlone",
        "an expired reader is gone, GuardedReaderMeetsNoWriter",
        "sweep under guard,     GuardedReaderMeetsNoWriter",
        "release under guard,   GuardedWriterIsAlone",
        "free under guard,      GuardedWriterIsAlone",
    })
    void no_shared_rule_can_be_left_out(String weakness, String promise) throws Exception {
        String world = Tlc.replace(Tlc.config("shared"), "    Weak = {}", "    Weak = {\"" + weakness + "\"}");
        Tlc.Run run = SHARED.run(weakness, Tlc.only(world, promise), MINUTES);

        assertThat(run.refuted()).as(run::tail).isEqualTo(promise);
    }
}
