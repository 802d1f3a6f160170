package dev.dibs.cli;

import dev.dibs.LockInfo;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Takes a lock from its holder. */
@Command(
        name = "break",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        description = {
            "Takes a lock from its holder by force, and says who had it.",
            "",
            "The holder learns of it at its next renewal, a third of its lease later at most, and goes on working until then.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:the lock is broken", "1:nobody had it", "2:a mistake, or the database can not be asked"})
final class BreakCommand extends DatabaseVerb {

    @Parameters(paramLabel = "NAME", description = "Name of the lock.")
    private String name;

    @Override
    int run(Session session) {
        Optional<LockInfo> before = session.dibs().breakLock(Arguments.readable("name", name));
        out().println(clean(before.map(this::broken).orElse("nobody has '" + name + "'")));
        return before.isPresent() ? ExitCode.OK : ExitCode.NO;
    }

    private String broken(LockInfo lock) {
        return "broken: '" + name + "' was held by " + Holding.since(lock);
    }
}
