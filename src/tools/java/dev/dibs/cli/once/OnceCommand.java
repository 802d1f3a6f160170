package dev.dibs.cli.once;

import dev.dibs.DibsBuilder;
import dev.dibs.Lease;
import dev.dibs.LeaseLostException;
import dev.dibs.NotAcquiredException;
import dev.dibs.cli.database.DatabaseVerb;
import dev.dibs.cli.database.Session;
import dev.dibs.cli.process.CommandToRun;
import dev.dibs.cli.process.LeaseOptions;
import dev.dibs.cli.process.SignalRelay;
import dev.dibs.cli.terminal.LineLength;
import dev.dibs.cli.verb.Arguments;
import dev.dibs.cli.verb.ExitCode;
import dev.dibs.cli.verb.Version;
import dev.dibs.once.Once;
import dev.dibs.once.OnceBuilder;
import dev.dibs.once.OnceInfo;
import dev.dibs.once.OnceOutcome;
import dev.dibs.text.Masked;
import dev.dibs.text.OncesJson;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** Runs a command unless it was run in this period already. */
@Command(
        name = "once",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        customSynopsis = {
            "dibs once NAME --every DURATION [OPTIONS] -- CMD [ARGS...]",
            "dibs once NAME --daily|--monthly DAY [--at HH:MM] [--zone ZONE] [OPTIONS] -- CMD [ARGS...]",
            "dibs once NAME --cron TEXT [--zone ZONE] [OPTIONS] -- CMD [ARGS...]",
            "dibs once NAME --forget",
            "dibs once --list [--full] [--json]"
        },
        description = {
            "Runs a command unless it was run in this period already, and returns the command's exit code.",
            "",
            "The period begins when the command ends with exit code 0. With another one it has failed, and the first caller"
                    + " after a pause tries again: 10 seconds, doubled with each failure in a row up to an hour, and never"
                    + " longer than the period. Until then others get exit code 78. While it runs, it holds a lease, as under"
                    + " dibs lock.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done, now or before in this period; with --forget: it is due again",
            "1:with --forget: there was nothing to forget",
            "2:a mistake, or the database cannot be asked",
            "75:another process is running it",
            "76:the lease was lost; the command was ended",
            "78:it failed a short time ago and is not tried again yet; the command did not run",
            "126, 127, 128+n, other:as dibs lock"
        })
public final class OnceCommand extends DatabaseVerb {

    @Parameters(index = "0", arity = "0..1", paramLabel = "NAME", description = "Its name: 1 to 200 characters.")
    private @Nullable String name;

    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = "CMD ARGS",
            hideParamSyntax = true,
            description = "The command, after two dashes.")
    private @Nullable List<String> command;

    @Mixin
    private final PeriodOptions period = new PeriodOptions();

    @Option(
            names = "--wait",
            paramLabel = "DURATION",
            defaultValue = "0",
            description = "How long to wait until it is done, here or elsewhere, if another process is running it or"
                    + " it failed a short time ago. Default: not at all")
    private Duration wait;

    @Mixin
    private final LeaseOptions hold = new LeaseOptions();

    @Option(names = "--forget", description = "Forget the last success and failure: it is due for the next caller.")
    private boolean forget;

    @Option(names = "--list", description = "Show the last success and failure of each name.")
    private boolean list;

    @Mixin
    private final LineLength length = new LineLength();

    @Option(names = "--json", description = "With --list: print an array of objects.")
    private boolean json;

    @Override
    public Integer call() {
        if (list || (forget && name != null && command == null)) {
            return super.call();
        }
        if (name == null || !period.given()) {
            throw new ParameterException(
                    spec().commandLine(),
                    "name, period and command are needed: dibs once NAME --every 24h -- CMD ARGS");
        }
        Arguments.readable("name", name);
        command = CommandToRun.after(spec(), command);
        return super.call();
    }

    @Override
    protected void configure(DibsBuilder builder) {
        hold.configure(builder);
    }

    @Override
    protected int run(Session session) {
        if (list || name == null) {
            return show(session);
        }
        return forget ? forget(session, name) : runOnce(session, name);
    }

    private int show(Session session) {
        List<OnceInfo> onces = Masked.onces(session.ask(session.dibs().admin()::onces), this::mask);
        out().println(json ? OncesJson.of(onces) : length.of(OncesText.table(onces)));
        return ExitCode.OK;
    }

    private int forget(Session session, String what) {
        boolean forgotten = session.ask(session.dibs().once(Arguments.readable("name", what))::forget);
        warn(
                forgotten
                        ? "'" + what + "' is due for the next caller"
                        : "nothing to forget: '" + what + "' was never done, or is being done now");
        return forgotten ? ExitCode.OK : ExitCode.NO;
    }

    private int runOnce(Session session, String what) {
        SignalRelay signals = SignalRelay.install();
        int[] ended = {ExitCode.OK};
        OnceBuilder builder = session.dibs().once(what).leaseLength(hold.lease());
        Once once = period.of(builder);
        try {
            OnceOutcome outcome = once.tryRun(wait, acquired -> ended[0] = runUnder(acquired, signals));
            return outcome == OnceOutcome.RAN ? ended[0] : notRun(once, outcome);
        } catch (NotAcquiredException e) {
            return signals.received().orElse(ExitCode.NOT_ACQUIRED);
        } catch (CommandFailed e) {
            return e.exitCode();
        } catch (LeaseLostException e) {
            warn(e.getMessage());
            return ExitCode.LEASE_LOST;
        }
    }

    private int runUnder(Lease acquired, SignalRelay signals) throws CommandFailed {
        int signal = signals.received().orElse(ExitCode.OK);
        if (signal != ExitCode.OK) {
            // Nothing was tried, so nothing has failed.
            acquired.close();
            return signal;
        }
        int exitCode = hold.run(command, acquired, signals, this::warn);
        if (exitCode != ExitCode.OK) {
            throw new CommandFailed(exitCode);
        }
        return exitCode;
    }

    private int notRun(Once once, OnceOutcome outcome) {
        return switch (outcome) {
            case NOT_DUE -> {
                warn("'" + name + "' is not due");
                yield ExitCode.OK;
            }
            case FAILED -> {
                warn("failed: '" + name + "' is not done"
                        + once.info().map(OnceCommand::failure).orElse(""));
                yield ExitCode.FAILED_LATELY;
            }
            default -> {
                warn("busy: another process is running '" + name + "'");
                yield ExitCode.NOT_ACQUIRED;
            }
        };
    }

    private static String failure(OnceInfo info) {
        return "; it failed" + info.lastFailure().map(at -> " at " + at).orElse("") + " (" + info.error() + ")"
                + info.retryAt()
                        .map(at -> " and is tried again from " + at + " on")
                        .orElse("");
    }
}
