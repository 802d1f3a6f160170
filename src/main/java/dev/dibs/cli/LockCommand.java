package dev.dibs.cli;

import dev.dibs.DibsBuilder;
import dev.dibs.Lease;
import dev.dibs.LockInfo;
import dev.dibs.NamedLock;
import dev.dibs.NotAcquiredException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

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
            "The lock is renewed as long as the command runs and released when it ends. The command has our standard input and"
                    + " output, and finds in its environment DIBS_NAME, the lock's name, and DIBS_FENCE, a number that grows"
                    + " with every holder. Signals are passed on to it.",
            "",
            "If the lease is lost (the database was away for longer than the lease, or somebody broke the lock) the command"
                    + " and its descendants get TERM and, after the grace, KILL.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "2:a mistake, or the database can not be asked; the command did not run",
            "75:not acquired: somebody else has the lock; the command did not run",
            "76:the lease was lost; the command was ended",
            "126:the command can not be run",
            "127:there is no such command",
            "128+n:ended by signal n, as in a shell",
            "other:the command's own"
        })
final class LockCommand extends DatabaseVerb {

    @Parameters(index = "0", paramLabel = "NAME", description = "Name of the lock: 1 to 200 characters.")
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
                    "How long others must wait if we vanish, as in 500ms, 30s, 10m, 1h. Default: ${DEFAULT-VALUE}")
    private Duration lease;

    @Option(
            names = "--wait",
            paramLabel = "DURATION",
            defaultValue = "0",
            description = "How long to wait for the lock. Default: not at all")
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
            description = "What others see as the lock's holder. Default: host and process")
    private @Nullable String holder;

    @Override
    public Integer call() {
        Arguments.readable("name", name);
        requireCommand();
        return super.call();
    }

    @Override
    void configure(DibsBuilder builder) {
        if (holder != null) {
            builder.holder(Arguments.readable("holder", holder));
        }
    }

    private void requireCommand() {
        List<String> words = spec().commandLine().getParseResult().originalArgs();
        int dashes = words.indexOf("--");
        List<String> after = dashes < 0 ? List.of() : words.subList(dashes + 1, words.size());
        if (after.isEmpty() || after.get(0).isEmpty()) {
            throw mistake(
                    "there is nothing to run; put the command after two dashes, as in: dibs lock NAME -- CMD ARGS");
        }
        if (!after.equals(command)) {
            throw mistake("between the name and the two dashes there are only options");
        }
        after.forEach(word -> Arguments.readable("word", word));
    }

    private ParameterException mistake(String message) {
        return new ParameterException(spec().commandLine(), message);
    }

    @Override
    int run(Session session) {
        NamedLock lock = session.dibs().lock(name).leaseFor(lease);
        SignalRelay signals = SignalRelay.install();
        try (Lease acquired = session.ask(() -> lock.acquire(wait))) {
            return signals.received()
                    .orElseGet(() -> new HeldCommand(acquired, grace, signals, this::warn).run(command));
        } catch (NotAcquiredException e) {
            return signals.received().orElseGet(() -> notAcquired(e.holder()));
        }
    }

    private int notAcquired(Optional<LockInfo> by) {
        warn("not acquired: '" + name + "' is "
                + by.map(lock -> "held by " + Holding.of(lock)).orElse("changing hands, or locked by a transaction"));
        return ExitCode.NOT_ACQUIRED;
    }
}
