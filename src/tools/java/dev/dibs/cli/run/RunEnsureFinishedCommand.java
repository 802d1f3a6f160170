package dev.dibs.cli.run;

import dev.dibs.cli.database.Session;
import dev.dibs.cli.verb.ExitCode;
import dev.dibs.cli.verb.UsageError;
import dev.dibs.cli.verb.Version;
import dev.dibs.runs.Run;
import dev.dibs.runs.RunStatus;
import dev.dibs.text.RunNumbers;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Stops a deployment until a run has finished. */
@Command(
        name = "ensure-finished",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        description = {
            "Succeeds only if no row of a table is left, and no row is dead: the gate for a deployment.",
            "",
            "It looks at the table, so it also finds new rows that no worker has processed yet. A run over ranges does not mark"
                    + " its rows: use RunBuilder.ensureFinished() in a program.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:the run is finished",
            "1:it is not",
            "2:a mistake, it was never started, or the database cannot be asked"
        })
final class RunEnsureFinishedCommand extends RunVerb {

    @Option(names = "--table", required = true, paramLabel = "TABLE", description = "The table of the run.")
    private String table = "";

    @Option(
            names = "--where",
            paramLabel = "CONDITION",
            defaultValue = "1 = 1",
            description =
                    "Which of its rows are to be processed, in SQL, as in the programs. Default: all, as for rows that are deleted when"
                            + " they are done")
    private String where = "";

    @Override
    protected int run(Session session, Run run) {
        RunStatus status = status(session, run);
        if (!session.ask(() -> run.isFinished(table, where))) {
            throw new UsageError(ExitCode.NO, "'" + run.name() + "' is not finished: " + RunNumbers.line(status));
        }
        say("'" + run.name() + "' is finished: " + RunNumbers.done(status));
        return ExitCode.OK;
    }
}
