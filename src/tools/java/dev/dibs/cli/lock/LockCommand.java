package dev.dibs.cli.lock;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.NamedLock;
import dev.dibs.cli.verb.Version;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs a command while holding a lock. */
@Command(
        name = "lock",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        customSynopsis = "dibs lock NAME [OPTIONS] -- CMD [ARGS...]",
        description = {
            "Runs a command while holding a lock, and returns the command's exit code.",
            "",
            "The lock is renewed as long as the command runs and released when it ends. The command inherits standard input and"
                    + " output, and finds in its environment DIBS_NAME, the lock's name, and DIBS_FENCE, a number that grows"
                    + " with every holder. Signals are passed on to it.",
            "",
            "If the lease is lost (the database was away for longer than the lease, or somebody broke the lock) the command"
                    + " and its descendants get TERM and, after the grace, KILL.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "2:a mistake, or the database cannot be asked; the command did not run",
            "75:not acquired: another process has the lock; the command did not run",
            "76:the lease was lost; the command was ended",
            "126:the command cannot be run",
            "127:there is no such command",
            "128+n:ended by signal n, as in a shell",
            "other:the command's own"
        })
public final class LockCommand extends UnderLeaseVerb {

    @Option(
            names = "--hold-at-least",
            paramLabel = "DURATION",
            defaultValue = "0",
            description = "How long the lock stays busy at least, even if the command ends before. Default: not at all")
    private Duration hold;

    @Option(
            names = "--fair",
            description = "First come, first served, over all processes. All users of the name must give this option")
    private boolean isFair;

    @Override
    Lease acquire(Dibs dibs, String name, Duration lease, Duration wait) {
        NamedLock lock = dibs.lock(name).leaseLength(lease).holdAtLeast(hold);
        return (isFair ? lock.fair() : lock).acquire(wait);
    }
}
