package dev.dibs.cli.run;

import dev.dibs.cli.database.Session;
import dev.dibs.cli.verb.ExitCode;
import dev.dibs.cli.verb.Version;
import dev.dibs.runs.Run;
import dev.dibs.runs.RunStatus;
import dev.dibs.runs.RunWorkerInfo;
import dev.dibs.text.RunNumbers;
import picocli.CommandLine.Command;

/** Redrives dead rows. */
@Command(
        name = "retry",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        description = {
            "Lets the dead letters be tried again, from the first attempt on.",
            "",
            "A worker does so within seconds; a new worker, at once.",
            ""
        })
final class RunRetryCommand extends RunVerb {

    @Override
    protected int run(Session session, Run run) {
        RunStatus status = status(session, run);
        long rows = session.ask(run::retryDead);
        boolean alive = status.workers().stream().anyMatch(RunWorkerInfo::alive);
        say("'" + run.name() + "': "
                + (rows == 0
                        ? "no row is dead"
                        : RunNumbers.rows(rows) + " will be tried again"
                                + (alive ? "" : ", by the next worker that starts; none is alive")));
        return ExitCode.OK;
    }
}
