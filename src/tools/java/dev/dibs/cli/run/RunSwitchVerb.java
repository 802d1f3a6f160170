package dev.dibs.cli.run;

import dev.dibs.DibsBuilder;
import dev.dibs.cli.database.Session;
import dev.dibs.cli.verb.Arguments;
import dev.dibs.cli.verb.CurrentUser;
import dev.dibs.cli.verb.ExitCode;
import dev.dibs.runs.Run;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** A verb that pauses, resumes or stops the workers of a run. */
abstract class RunSwitchVerb extends RunVerb {

    @Option(
            names = "--reason",
            paramLabel = "TEXT",
            description = "The reason, for readers of the status. Up to 1,000 characters.")
    private String reason = "";

    @Option(
            names = "--by",
            paramLabel = "LABEL",
            description =
                    "Your label, for readers of the status. Default: your name on this machine, and the machine's")
    private @Nullable String by;

    /** Makes the change and returns the text to print. */
    abstract String change(Run run, String why);

    @Override
    protected final void configure(DibsBuilder builder) {
        if (by != null) {
            builder.holder(Arguments.readable("label", by));
        } else {
            CurrentUser.here().ifPresent(builder::holder);
        }
    }

    @Override
    protected final int run(Session session, Run run) {
        String why = Arguments.readable("reason", reason);
        say(session.ask(() -> change(run, why)));
        return ExitCode.OK;
    }
}
