package dev.dibs.cli;

import dev.dibs.rows.DeadRow;
import dev.dibs.rows.Run;
import dev.dibs.text.RunJson;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Lists rows that were given up. */
@Command(
        name = "dead",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        description = {"Lists the rows that were given up, the oldest first.", ""})
final class RunDeadCommand extends RunVerb {

    @Mixin
    private final RunLimit list = new RunLimit();

    @Override
    int run(Session session, Run run) {
        int limit = list.limit();
        List<DeadRow> dead = session.ask(() -> run.dead(limit));
        out().println(list.json() ? RunJson.dead(dead, this::mask) : RunText.dead(dead, this::mask));
        return ExitCode.OK;
    }
}
