package dev.dibs.cli.lock;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.cli.verb.Version;
import java.time.Duration;
import picocli.CommandLine.Command;

/** Runs a command as one of the readers of a read-write lock. */
@Command(
        name = "read",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        customSynopsis = "dibs read NAME [OPTIONS] -- CMD [ARGS...]",
        description = {
            "Runs a command as one of the readers of a read-write lock, and returns the command's exit code.",
            "",
            "Many may read at a time, on any number of machines, and none writes then. Otherwise as 'dibs lock'.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "2:a mistake, or the database cannot be asked; the command did not run",
            "75:not acquired: there is a writer, or a waiting writer; the command did not run",
            "76:the lease was lost; the command was ended",
            "126:the command cannot be run",
            "127:there is no such command",
            "128+n:ended by signal n, as in a shell",
            "other:the command's own"
        })
public final class ReadCommand extends UnderLeaseVerb {

    @Override
    Lease acquire(Dibs dibs, String name, Duration lease, Duration wait) {
        return dibs.readWriteLock(name).read().leaseLength(lease).acquire(wait);
    }
}
