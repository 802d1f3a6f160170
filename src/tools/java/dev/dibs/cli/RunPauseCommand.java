package dev.dibs.cli;

import dev.dibs.runs.Run;
import picocli.CommandLine.Command;

/** Has all workers of a run wait, from their next batch on. */
@Command(
        name = "pause",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        description = {"Has all workers of a run wait, from their next batch on.", ""})
final class RunPauseCommand extends RunSwitchVerb {

    @Override
    String change(Run run, String why) {
        run.pause(why);
        return "'" + run.name() + "' is paused: its workers wait, from their next batch on";
    }
}
