package dev.dibs.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The verbs for one-time tokens; it does nothing itself. */
@Command(
        name = "token",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        synopsisSubcommandLabel = "COMMAND",
        sortOptions = false,
        descriptionHeading = "%n",
        description = {
            "Issues and uses one-time tokens: secrets that expire and that exactly one caller can use.",
            "",
            "The database has digests only. All users of this machine that can list processes see a token on the"
                    + " command line: give - in its place, and the token by the standard input.",
            ""
        },
        subcommands = {
            TokenIssueCommand.class,
            TokenPeekCommand.class,
            TokenConsumeCommand.class,
            TokenRevokeCommand.class,
            TokenPurgeCommand.class,
            TokenStatsCommand.class
        })
final class TokenCommand implements Runnable {

    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new UsageError(
                "which command? One of " + String.join(", ", spec.subcommands().keySet()) + " (see dibs token --help)");
    }
}
