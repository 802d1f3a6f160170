package dev.dibs.cli.run;

import dev.dibs.cli.verb.Version;
import dev.dibs.runs.Run;
import picocli.CommandLine.Command;

/** Ends all workers of a run, each after its current batch. */
@Command(
        name = "stop",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        description = {
            "Ends all workers of a run, each after its current batch.",
            "",
            "New workers end at once, until 'dibs run resume'.",
            ""
        })
final class RunStopCommand extends RunSwitchVerb {

    @Override
    String change(Run run, String why) {
        run.stop(why);
        return "'" + run.name() + "' is stopped: its workers end, each after the batch that it has in hand";
    }
}
