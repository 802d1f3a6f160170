package dev.dibs.cli.run;

import dev.dibs.cli.database.DatabaseVerb;
import dev.dibs.cli.database.Session;
import dev.dibs.cli.verb.ExitCode;
import dev.dibs.cli.verb.Version;
import dev.dibs.runs.RunStatus;
import dev.dibs.text.Masked;
import dev.dibs.text.RunJson;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Shows all runs. */
@Command(
        name = "list",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        description = {
            "Shows all runs, sorted by name.",
            "",
            "A run is running, paused or stopped; finished if nothing is left; ended if nothing is left but rows that are dead.",
            ""
        })
final class RunListCommand extends DatabaseVerb {

    @Option(names = "--json", description = "Print an array of objects, as status has them.")
    private boolean json;

    @Override
    protected int run(Session session) {
        List<RunStatus> runs = Masked.runs(session.ask(session.dibs().admin()::runs), this::mask);
        out().println(json ? RunJson.runs(runs) : RunText.list(runs));
        return ExitCode.OK;
    }
}
