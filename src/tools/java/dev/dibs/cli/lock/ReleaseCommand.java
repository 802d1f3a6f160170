package dev.dibs.cli.lock;

import dev.dibs.cli.verb.ExitCode;
import dev.dibs.cli.verb.Invocation;
import dev.dibs.cli.verb.UsageError;
import dev.dibs.cli.verb.Version;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Releases the lock that a script holds. */
@Command(
        name = "release",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        description = {"Releases the lock that this script holds by 'dibs hold'.", ""},
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:released; it was held until now",
            "2:this script holds no lock",
            "76:it was not held any more: it was lost, its keeper had ended, or it was released before"
        })
public final class ReleaseCommand implements Callable<Integer> {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final long PAUSE_NANOS = Duration.ofMillis(20).toNanos();

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        ScriptLockFolder folder = ScriptLockFolder.of(((Invocation) spec.root().userObject()).environment());
        Optional<ProcessHandle> keeper = folder.keeper();
        String lost = folder.lost();
        if (keeper.isEmpty() || lost != null) {
            folder.delete();
            spec.commandLine()
                    .getErr()
                    .println("dibs: the lock was not held any more: "
                            + (lost == null ? "its keeper has ended, or it was released before" : lost));
            return ExitCode.LEASE_LOST;
        }
        keeper.get().destroy();
        long start = System.nanoTime();
        while (folder.exists()) {
            if (System.nanoTime() - start > PATIENCE.toNanos()) {
                throw new UsageError(
                        "the process " + keeper.get().pid() + ", which keeps the lock, has not ended within "
                                + PATIENCE.toSeconds() + " s; the lock ends with its lease");
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        return ExitCode.OK;
    }
}
