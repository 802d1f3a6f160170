package dev.dibs.cli;

import dev.dibs.LockInfo;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Shows who holds what. */
@Command(
        name = "locks",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        description = {
            "Shows who holds what, sorted by name.",
            "",
            "Times are UTC, by the database's clock. UNTIL is when a lock ends unless its holder renews it.",
            ""
        })
final class LocksCommand extends DatabaseVerb {

    @Option(names = "--json", description = "Print an array of objects with name, holder, fence, since and until.")
    private boolean json;

    @Override
    int run(Session session) {
        List<LockInfo> locks = session.ask(session.dibs()::locks);
        out().println(json ? LocksJson.of(locks) : LocksTable.of(locks));
        return ExitCode.OK;
    }
}
