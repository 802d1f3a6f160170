package dev.dibs.cli.lock;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.cli.verb.Version;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs a command with a permit of a semaphore. */
@Command(
        name = "semaphore",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        customSynopsis = "dibs semaphore NAME --permits N [OPTIONS] -- CMD [ARGS...]",
        description = {
            "Runs a command with one of the permits of a semaphore, so that at most so many run at a time, and returns the"
                    + " command's exit code.",
            "",
            "As 'dibs lock', and the command finds its slot, from 0 to one below the number of permits, in DIBS_SLOT.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "2:a mistake, or the database cannot be asked; the command did not run",
            "75:not acquired: all permits are held; the command did not run",
            "76:the lease was lost; the command was ended",
            "126:the command cannot be run",
            "127:there is no such command",
            "128+n:ended by signal n, as in a shell",
            "other:the command's own"
        })
public final class SemaphoreCommand extends UnderLeaseVerb {

    @Option(names = "--permits", paramLabel = "N", required = true, description = "How many may run at a time.")
    private int permits;

    @Override
    Lease acquire(Dibs dibs, String name, Duration lease, Duration wait) {
        return dibs.semaphore(name, permits).leaseLength(lease).acquire(wait);
    }
}
