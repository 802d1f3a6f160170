package dev.dibs.cli;

import dev.dibs.runs.Run;
import picocli.CommandLine.Command;

/** Forgets a run. */
@Command(
        name = "reset",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        description = {
            "Forgets how far a run is: its numbers, settings, workers and errors.",
            "",
            "No worker of it may be alive: stop it first. Rows that it has given up are tried again, from the first attempt on, when it is"
                    + " started next. Your table is not changed: open the rows that are to be done again yourself.",
            ""
        })
final class RunResetCommand extends RunVerb {

    @Override
    int run(Session session, Run run) {
        boolean unused = session.ask(() -> {
            run.reset();
            return true;
        });
        say("'" + run.name() + "' is forgotten: the next worker that starts begins anew");
        return ExitCode.OK;
    }
}
