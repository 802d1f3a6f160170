package dev.dibs.cli.process;

import dev.dibs.DibsException;
import dev.dibs.Lease;
import dev.dibs.LeaseLostException;
import dev.dibs.Permit;
import dev.dibs.cli.verb.ExitCode;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A command that runs while a lease is held. */
final class CommandUnderLease {

    private final Lease lease;
    private final Duration grace;
    private final SignalRelay signals;
    private final Consumer<String> warn;

    /**
     * Starts nothing yet.
     *
     * @param grace the time between TERM and KILL if the lease is lost
     * @param warn prints warnings
     */
    CommandUnderLease(Lease lease, Duration grace, SignalRelay signals, Consumer<String> warn) {
        this.lease = lease;
        this.grace = grace;
        this.signals = signals;
        this.warn = warn;
    }

    /** Runs the command to its end and returns its exit code, or that of a lost lease. */
    int run(List<String> words) {
        Process process = start(words);
        try {
            signals.to(process);
            CompletableFuture<LeaseLostException> lost = new CompletableFuture<>();
            lease.onLost(lost::complete);
            CompletableFuture.anyOf(process.onExit(), lost).join();
            String loss = whyLost(lost);
            if (loss == null) {
                return process.exitValue();
            }
            warn.accept(loss + (process.isAlive() ? "; ending the command" : "; the command had just ended"));
            return ExitCode.LEASE_LOST;
        } finally {
            new ProcessTree(process.toHandle()).end(grace);
        }
    }

    private Process start(List<String> words) {
        ProcessBuilder builder = new ProcessBuilder(words).inheritIO();
        builder.environment().put("DIBS_NAME", lease.name());
        builder.environment().put("DIBS_SLOT", lease instanceof Permit permit ? Integer.toString(permit.slot()) : "0");
        builder.environment().put("DIBS_FENCE", Long.toString(lease.fencingToken()));
        try {
            return builder.start();
        } catch (IOException e) {
            throw Executable.whyNot(words.get(0), e);
        }
    }

    /** A lease whose state cannot be read counts as lost. */
    private @Nullable String whyLost(CompletableFuture<LeaseLostException> lost) {
        if (lost.isDone()) {
            return lost.join().getMessage();
        }
        try {
            lease.check();
            return null;
        } catch (DibsException e) {
            return e.getMessage();
        }
    }
}
