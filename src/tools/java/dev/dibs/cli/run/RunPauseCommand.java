package dev.dibs.cli.run;

import dev.dibs.cli.verb.Version;
import dev.dibs.runs.Run;
import picocli.CommandLine.Command;

/** Pauses all workers of a run, from their next batch on. */
@Command(
        name = "pause",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        description = {"Pauses all workers of a run, from their next batch on.", ""})
final class RunPauseCommand extends RunSwitchVerb {

    @Override
    String change(Run run, String why) {
        run.pause(why);
        return "'" + run.name() + "' is paused: its workers wait, from their next batch on";
    }
}
