package dev.dibs.cli.run;

import dev.dibs.cli.database.Session;
import dev.dibs.cli.terminal.LineLength;
import dev.dibs.cli.verb.ExitCode;
import dev.dibs.cli.verb.Version;
import dev.dibs.runs.DeadLetter;
import dev.dibs.runs.Run;
import dev.dibs.text.Masked;
import dev.dibs.text.RunJson;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Lists dead letters. */
@Command(
        name = "dead",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        description = {"Lists the dead letters, the oldest first.", ""})
final class RunDeadCommand extends RunVerb {

    @Mixin
    private final RunLimit list = new RunLimit();

    @Mixin
    private final LineLength length = new LineLength();

    @Override
    protected int run(Session session, Run run) {
        int limit = list.limit();
        List<DeadLetter> dead = Masked.dead(session.ask(() -> run.dead(limit)), this::mask);
        if (list.json()) {
            out().println(RunJson.dead(dead));
            return ExitCode.OK;
        }
        out().println(length.of(RunText.dead(dead)));
        long all = status(session, run).dead();
        if (all > dead.size()) {
            say("The oldest " + dead.size() + " of " + all + " are shown; for more: --limit, up to "
                    + Run.LONGEST_LIST);
        }
        return ExitCode.OK;
    }
}
