package dev.dibs.cli.run;

import dev.dibs.cli.database.Session;
import dev.dibs.cli.terminal.LineLength;
import dev.dibs.cli.verb.ExitCode;
import dev.dibs.cli.verb.Version;
import dev.dibs.runs.Run;
import dev.dibs.runs.RunError;
import dev.dibs.text.Masked;
import dev.dibs.text.RunJson;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists failed attempts. */
@Command(
        name = "errors",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        description = {"Lists the latest attempts that failed, the latest first.", ""})
final class RunErrorsCommand extends RunVerb {

    @Mixin
    private final RunLimit list = new RunLimit();

    @Mixin
    private final LineLength length = new LineLength();

    @Option(names = "--stack", description = "With the first lines of each stack trace.")
    private boolean stack;

    @Override
    protected int run(Session session, Run run) {
        int limit = list.limit();
        List<RunError> errors = Masked.errors(session.ask(() -> run.errors(limit + 1)), this::mask);
        List<RunError> shown = errors.subList(0, Math.min(limit, errors.size()));
        if (list.json()) {
            out().println(RunJson.errors(shown, stack));
            return ExitCode.OK;
        }
        out().println(length.of(RunText.errors(shown, stack)));
        if (errors.size() > limit) {
            say("The latest " + limit + " are shown; for more: --limit, up to " + Run.LONGEST_LIST);
        }
        return ExitCode.OK;
    }
}
