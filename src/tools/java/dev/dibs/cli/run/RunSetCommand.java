package dev.dibs.cli.run;

import dev.dibs.claims.RowClaims;
import dev.dibs.cli.database.Session;
import dev.dibs.cli.verb.ExitCode;
import dev.dibs.cli.verb.UsageError;
import dev.dibs.cli.verb.Version;
import dev.dibs.internal.values.RunLimits;
import dev.dibs.runs.Run;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Changes the settings of a run. */
@Command(
        name = "set",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        description = {
            "Changes the settings of a run, for every worker's next batch.",
            "",
            "The values in a program count only for the very first start of the run.",
            ""
        })
final class RunSetCommand extends RunVerb {

    @Option(
            names = "--batch",
            paramLabel = "N",
            description = "How many rows a worker claims at once, from 1 to 10,000.")
    private @Nullable Integer batch;

    @Option(
            names = "--rate",
            paramLabel = "R",
            description = "How many rows a second all workers may process together; 0 for no limit.")
    private @Nullable Double rate;

    @Option(
            names = "--max-failures",
            paramLabel = "N",
            description = "At how many failed attempts the run stops; 0 for no limit.")
    private @Nullable Long maxFailures;

    @Option(
            names = "--max-failure-percent",
            paramLabel = "P",
            description = "At how many failed attempts in a hundred it stops; 0 for no limit.")
    private @Nullable Integer maxFailurePercent;

    @Override
    protected int run(Session session, Run run) {
        if (batch == null && rate == null && maxFailures == null && maxFailurePercent == null) {
            throw new UsageError("name a setting: one of --batch, --rate, --max-failures, --max-failure-percent");
        }
        // All of them before the first is written.
        check(batch, value -> RunLimits.checkBatch(value, RowClaims.LARGEST_CLAIM));
        check(rate, RunLimits::checkRate);
        check(maxFailures, value -> RunLimits.checkNotNegative("maxFailures", value));
        check(maxFailurePercent, RunLimits::checkPercent);
        set(session, "batch", batch, run::setBatch);
        set(session, "rate", rate, run::setRate);
        set(session, "max-failures", maxFailures, run::setMaxFailures);
        set(session, "max-failure-percent", maxFailurePercent, run::setMaxFailurePercent);
        return ExitCode.OK;
    }

    private static <V> void check(@Nullable V value, Consumer<V> limits) {
        if (value != null) {
            limits.accept(value);
        }
    }

    private <V> void set(Session session, String what, @Nullable V value, Consumer<V> setting) {
        if (value != null) {
            say(session.ask(() -> {
                setting.accept(value);
                return what + " is now " + value;
            }));
        }
    }
}
