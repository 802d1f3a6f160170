package dev.dibs.cli.run;

import dev.dibs.cli.database.Session;
import dev.dibs.cli.verb.ExitCode;
import dev.dibs.cli.verb.Version;
import dev.dibs.runs.Run;
import picocli.CommandLine.Command;

/** Deletes a run. */
@Command(
        name = "reset",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        description = {
            "Deletes a run: its counts, settings, workers and errors.",
            "",
            "No worker of it may be alive: stop it first. At its next start, its dead letters are tried again, from the first attempt on."
                    + " Your table is not changed: if rows are to be done again, open them yourself.",
            ""
        })
final class RunResetCommand extends RunVerb {

    @Override
    protected int run(Session session, Run run) {
        boolean unused = session.ask(() -> {
            run.reset();
            return true;
        });
        say("'" + run.name() + "' is forgotten: the next worker starts from zero");
        return ExitCode.OK;
    }
}
