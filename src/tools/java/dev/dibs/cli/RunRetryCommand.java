package dev.dibs.cli;

import dev.dibs.runs.Run;
import dev.dibs.runs.RunStatus;
import dev.dibs.runs.RunWorkerInfo;
import dev.dibs.text.RunNumbers;
import picocli.CommandLine.Command;

/** Has dead rows tried again. */
@Command(
        name = "retry",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        description = {
            "Has the rows that were given up tried again, from the first attempt on.",
            "",
            "A worker that is alive sees to it within seconds; one that starts, at once.",
            ""
        })
final class RunRetryCommand extends RunVerb {

    @Override
    int run(Session session, Run run) {
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
