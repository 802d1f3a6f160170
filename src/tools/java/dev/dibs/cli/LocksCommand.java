package dev.dibs.cli;

import dev.dibs.Admin;
import dev.dibs.LeaseInfo;
import dev.dibs.text.LocksJson;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists the holders. */
@Command(
        name = "locks",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        description = {
            "Lists the holders by name: of locks, of permits of semaphores, and of both sides of read-write locks.",
            "",
            "Times are UTC, by the database's clock. UNTIL is when the lease ends unless its holder renews it.",
            ""
        })
final class LocksCommand extends DatabaseVerb {

    @Option(
            names = "--json",
            description = "Print an array of objects with name, kind, holder, fence, since and until.")
    private boolean json;

    @Option(
            names = "--all",
            description =
                    "Show the locks of Dibs' own maintenance, too. Such a lock expires; its process may have ended long before.")
    private boolean all;

    @Override
    int run(Session session) {
        Admin admin = session.dibs().admin();
        List<LeaseInfo> holders = session.ask(all ? admin::allLeases : admin::leases);
        out().println(json ? LocksJson.of(holders) : LocksTable.of(holders));
        return ExitCode.OK;
    }
}
