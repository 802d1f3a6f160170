package dev.dibs.cli.run;

import dev.dibs.cli.verb.Version;
import dev.dibs.runs.Run;
import picocli.CommandLine.Command;

/** Lets all workers of a run work again. */
@Command(
        name = "resume",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        description = {
            "Lets all workers of a run work again.",
            "",
            "After a stop, workers that have ended must be started again. Failures up to now no longer count for the limits.",
            ""
        })
final class RunResumeCommand extends RunSwitchVerb {

    @Override
    String change(Run run, String why) {
        run.resume(why);
        return "'" + run.name() + "' is running again";
    }
}
