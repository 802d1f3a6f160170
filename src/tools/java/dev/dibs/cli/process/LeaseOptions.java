package dev.dibs.cli.process;

import dev.dibs.DibsBuilder;
import dev.dibs.Lease;
import dev.dibs.cli.verb.Arguments;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How a lease is held while a command runs. */
public final class LeaseOptions {

    @Option(
            names = "--lease",
            paramLabel = "DURATION",
            defaultValue = "30s",
            description =
                    "How long the lock stays held after a crash, as in 500ms, 30s, 10m, 1h. Default: ${DEFAULT-VALUE}")
    private Duration lease;

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

    public Duration lease() {
        return lease;
    }

    public Duration grace() {
        return grace;
    }

    public void configure(DibsBuilder builder) {
        builder.clockTolerance(tolerance);
        if (holder != null) {
            builder.holder(Arguments.readable("holder", holder));
        }
    }

    /** Runs the command to its end and returns its exit code, or that of a lost lease. */
    public int run(List<String> command, Lease held, SignalRelay signals, Consumer<String> warn) {
        return new CommandUnderLease(held, grace, signals, warn).run(command);
    }
}
