package dev.dibs.cli.run;

import dev.dibs.cli.database.Session;
import dev.dibs.cli.terminal.Terminal;
import dev.dibs.cli.verb.ExitCode;
import dev.dibs.cli.verb.Version;
import dev.dibs.runs.Run;
import dev.dibs.runs.RunStatus;
import dev.dibs.text.JsonText;
import dev.dibs.text.RunJson;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Shows the progress of a run. */
@Command(
        name = "status",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        description = {
            "Shows the progress of a run, and its workers.",
            "",
            "Times are UTC, by the database's clock.",
            ""
        })
final class RunStatusCommand extends RunVerb {

    @Option(
            names = "--watch",
            description =
                    "Show it again and again, until the run has finished or is stopped. Without a terminal: a line a change.")
    private boolean watch;

    @Option(names = "--json", description = "Print an object; with --watch one a line.")
    private boolean json;

    @Override
    protected int run(Session session, Run run) {
        RunStatus status = status(session, run);
        if (watch) {
            new RunWatch(out(), json, Terminal.console().isPresent()).follow(() -> status(session, run));
        } else if (json) {
            out().println(JsonText.of(RunJson.status(status)));
        } else {
            print(RunText.status(status, Integer.MAX_VALUE));
        }
        return ExitCode.OK;
    }
}
