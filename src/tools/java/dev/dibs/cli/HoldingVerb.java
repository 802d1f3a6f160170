package dev.dibs.cli;

import dev.dibs.Dibs;
import dev.dibs.DibsBuilder;
import dev.dibs.Lease;
import dev.dibs.LeaseInfo;
import dev.dibs.NotAcquiredException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs a command while holding something. */
abstract class HoldingVerb extends DatabaseVerb {

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
            names = "--lease",
            paramLabel = "DURATION",
            defaultValue = "30s",
            description =
                    "How long others must wait if dibs vanishes, as in 500ms, 30s, 10m, 1h. Default: ${DEFAULT-VALUE}")
    private Duration lease;

    @Option(
            names = "--wait",
            paramLabel = "DURATION",
            defaultValue = "0",
            description = "How long to wait for it. Default: not at all")
    private Duration wait;

    @Option(
            names = "--grace",
            paramLabel = "DURATION",
            defaultValue = "5s",
            description = "Time between TERM and KILL when the lease is lost. Default: ${DEFAULT-VALUE}")
    private Duration grace;

    @Option(
            names = "--holder",
            paramLabel = "LABEL",
            description = "The holder that others see. Default: host and process")
    private @Nullable String holder;

    @Option(
            names = "--clock-tolerance",
            paramLabel = "DURATION",
            defaultValue = "0",
            description = "By how much the clocks of the database's nodes may differ. Default: not at all")
    private Duration tolerance;

    @Override
    public Integer call() {
        Arguments.readable("name", name);
        command = WordsToRun.after(spec(), command);
        return super.call();
    }

    @Override
    void configure(DibsBuilder builder) {
        builder.clockTolerance(tolerance);
        if (holder != null) {
            builder.holder(Arguments.readable("holder", holder));
        }
    }

    @Override
    final int run(Session session) {
        SignalRelay signals = SignalRelay.install();
        try (Lease acquired = session.ask(() -> acquire(session.dibs(), name, lease, wait))) {
            return signals.received()
                    .orElseGet(() -> new HeldCommand(acquired, grace, signals, this::warn).run(command));
        } catch (NotAcquiredException e) {
            return signals.received().orElseGet(() -> notAcquired(e.holder()));
        }
    }

    /** Acquires the lease to be held. */
    abstract Lease acquire(Dibs dibs, String name, Duration lease, Duration wait);

    private int notAcquired(Optional<LeaseInfo> by) {
        warn("not acquired: '" + name + "' is "
                + by.map(lock -> "held by " + Holding.of(lock))
                        .orElse("changing hands, held back, or locked by a transaction"));
        return ExitCode.NOT_ACQUIRED;
    }
}
