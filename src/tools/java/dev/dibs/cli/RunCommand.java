package dev.dibs.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The verbs for runs; it does nothing itself. */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        synopsisSubcommandLabel = "COMMAND",
        sortOptions = false,
        descriptionHeading = "%n",
        description = {
            "Watches and steers runs: named jobs over the rows of a table, whose workers are in your programs.",
            "",
            "A change takes effect at every worker's next batch.",
            ""
        },
        subcommands = {
            RunListCommand.class,
            RunStatusCommand.class,
            RunPauseCommand.class,
            RunResumeCommand.class,
            RunStopCommand.class,
            RunSetCommand.class,
            RunErrorsCommand.class,
            RunDeadCommand.class,
            RunRetryCommand.class,
            RunResetCommand.class,
            RunEnsureFinishedCommand.class
        })
final class RunCommand implements Runnable {

    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new UsageError(
                "which command? One of " + String.join(", ", spec.subcommands().keySet()) + " (see dibs run --help)");
    }
}
