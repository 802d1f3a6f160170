package dev.dibs.cli.run;

import dev.dibs.cli.verb.VerbGroup;
import dev.dibs.cli.verb.Version;
import java.util.List;
import picocli.CommandLine.Command;

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
        })
public final class RunCommand extends VerbGroup {

    private static final List<String> VERBS = List.of(
            "list", "status", "pause", "resume", "stop", "set", "errors", "dead", "retry", "reset", "ensure-finished");

    @Override
    protected List<String> verbs() {
        return VERBS;
    }

    @Override
    protected Object verb(String name) {
        return switch (name) {
            case "list" -> new RunListCommand();
            case "status" -> new RunStatusCommand();
            case "pause" -> new RunPauseCommand();
            case "resume" -> new RunResumeCommand();
            case "stop" -> new RunStopCommand();
            case "set" -> new RunSetCommand();
            case "errors" -> new RunErrorsCommand();
            case "dead" -> new RunDeadCommand();
            case "retry" -> new RunRetryCommand();
            case "reset" -> new RunResetCommand();
            case "ensure-finished" -> new RunEnsureFinishedCommand();
            default -> throw new IllegalArgumentException(name);
        };
    }

    @Override
    public void run() {
        throw whichVerb("dibs run");
    }
}
