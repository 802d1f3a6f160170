package dev.dibs.cli.lock;

import dev.dibs.Dibs;
import dev.dibs.DibsBuilder;
import dev.dibs.Lease;
import dev.dibs.LeaseInfo;
import dev.dibs.NotAcquiredException;
import dev.dibs.cli.database.DatabaseVerb;
import dev.dibs.cli.database.Session;
import dev.dibs.cli.process.CommandToRun;
import dev.dibs.cli.process.LeaseOptions;
import dev.dibs.cli.process.SignalRelay;
import dev.dibs.cli.verb.Arguments;
import dev.dibs.cli.verb.ExitCode;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs a command while holding something. */
abstract class UnderLeaseVerb extends DatabaseVerb {

    @Parameters(index = "0", paramLabel = "NAME", description = "Its name: 1 to 200 characters.")
    private String name;

    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = "CMD ARGS",
            hideParamSyntax = true,
            description = "The command, after two dashes.")
    private @Nullable List<String> command;

    @Option(
            names = "--wait",
            paramLabel = "DURATION",
            defaultValue = "0",
            description = "How long to wait for it. Default: not at all")
    private Duration wait;

    @Mixin
    private final LeaseOptions hold = new LeaseOptions();

    @Override
    public Integer call() {
        Arguments.readable("name", name);
        command = CommandToRun.after(spec(), command);
        return super.call();
    }

    @Override
    protected void configure(DibsBuilder builder) {
        hold.configure(builder);
    }

    @Override
    protected final int run(Session session) {
        SignalRelay signals = SignalRelay.install();
        try (Lease acquired = session.ask(() -> acquire(session.dibs(), name, hold.lease(), wait))) {
            return signals.received().orElseGet(() -> hold.run(command, acquired, signals, this::warn));
        } catch (NotAcquiredException e) {
            return signals.received().orElseGet(() -> notAcquired(e.holder()));
        }
    }

    /** Acquires the lease to be held. */
    abstract Lease acquire(Dibs dibs, String name, Duration lease, Duration wait);

    private int notAcquired(Optional<LeaseInfo> by) {
        warn(HolderText.notAcquired(name, by));
        return ExitCode.NOT_ACQUIRED;
    }
}
