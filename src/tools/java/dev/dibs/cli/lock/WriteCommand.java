package dev.dibs.cli.lock;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.cli.verb.Version;
import java.time.Duration;
import picocli.CommandLine.Command;

/** Runs a command as the only writer of a read-write lock. */
@Command(
        name = "write",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        customSynopsis = "dibs write NAME [OPTIONS] -- CMD [ARGS...]",
        description = {
            "Runs a command as the only writer of a read-write lock, and returns the command's exit code.",
            "",
            "With --wait it waits for the readers to leave, and keeps later ones out; without it readers do not notice. Otherwise as 'dibs lock'.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "2:a mistake, or the database cannot be asked; the command did not run",
            "75:not acquired: there is a reader or a writer; the command did not run",
            "76:the lease was lost; the command was ended",
            "126:the command cannot be run",
            "127:there is no such command",
            "128+n:ended by signal n, as in a shell",
            "other:the command's own"
        })
public final class WriteCommand extends UnderLeaseVerb {

    @Override
    Lease acquire(Dibs dibs, String name, Duration lease, Duration wait) {
        return dibs.readWriteLock(name).write().leaseLength(lease).acquire(wait);
    }
}
