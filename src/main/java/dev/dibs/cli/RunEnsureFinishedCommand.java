package dev.dibs.cli;

import dev.dibs.rows.Run;
import dev.dibs.rows.RunStatus;
import dev.dibs.text.RunNumbers;
import picocli.CommandLine.Command;

/** The gate for a deployment. */
@Command(
        name = "ensure-finished",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        description = {"Succeeds only if nothing of a run is left, and no row is dead: the gate for a deployment.", ""},
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:the run is finished",
            "1:it is not",
            "2:a mistake, nobody has started it, or the database can not be asked"
        })
final class RunEnsureFinishedCommand extends RunVerb {

    @Override
    int run(Session session, Run run) {
        RunStatus status = status(session, run);
        if (!status.isFinished()) {
            throw new Mistake(ExitCode.NO, "'" + run.name() + "' is not finished: " + RunNumbers.line(status));
        }
        say("'" + run.name() + "' is finished: " + RunNumbers.done(status));
        return ExitCode.OK;
    }
}
