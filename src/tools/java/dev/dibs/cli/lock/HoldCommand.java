package dev.dibs.cli.lock;

import dev.dibs.DibsBuilder;
import dev.dibs.Lease;
import dev.dibs.NotAcquiredException;
import dev.dibs.cli.database.DatabaseVerb;
import dev.dibs.cli.database.Session;
import dev.dibs.cli.process.LeaseOptions;
import dev.dibs.cli.process.SignalRelay;
import dev.dibs.cli.verb.Arguments;
import dev.dibs.cli.verb.ExitCode;
import dev.dibs.cli.verb.UsageError;
import dev.dibs.cli.verb.Version;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Takes a lock for the rest of a script. This process ends at once: a shell waits for its output, and for its end. So it starts another
 * one of the same verb, the keeper, which a variable names.
 */
@Command(
        name = "hold",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        customSynopsis = "dibs hold NAME [OPTIONS]",
        description = {
            "Takes a lock for the rest of a script: until 'dibs release', or until the shell ends, however it ends.",
            "",
            "  eval \"$(dibs hold nightly-report)\" || exit",
            "",
            "Prints shell code that sets DIBS_HOLD, DIBS_NAME and DIBS_FENCE. A process in the background renews the lock. If"
                    + " the lease is lost, the shell and its descendants get TERM and, after the grace, KILL. 'dibs check' says"
                    + " whether the lock is still held.",
            ""
        },
        exitCodeListHeading = "%nExit codes, of the eval too:%n",
        exitCodeList = {
            "0:the script holds the lock",
            "2:a mistake, or the database cannot be asked",
            "75:not acquired: another process has the lock"
        })
public final class HoldCommand extends DatabaseVerb {

    /** The folder of the keeper that this process is to be. */
    private static final String KEEPER = "DIBS_KEEPER";

    @Parameters(paramLabel = "NAME", description = "Its name: 1 to 200 characters.")
    private String name;

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
        if (root().environment().containsKey(KEEPER)) {
            return super.call();
        }
        ScriptLockFolder folder = ScriptLockFolder.create();
        String fence = startKeeper(folder);
        if (fence == null) {
            folder.delete();
            return exitCode;
        }
        out().println(folder.shellCode(name, fence));
        return ExitCode.OK;
    }

    /** The keeper's exit code, if it has not acquired the lock. */
    private int exitCode;

    /** Returns the fence, or null if the keeper has ended. */
    private @Nullable String startKeeper(ScriptLockFolder folder) {
        List<String> words = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                root().program().getName()));
        words.addAll(spec().root().commandLine().getParseResult().originalArgs());
        ProcessBuilder builder = new ProcessBuilder(words)
                .redirectInput(Redirect.from(new File("/dev/null")))
                .redirectError(Redirect.INHERIT);
        builder.environment().put(KEEPER, folder.path().toString());
        try {
            Process keeper = builder.start();
            try (BufferedReader answer = keeper.inputReader(StandardCharsets.UTF_8)) {
                String fence = answer.readLine();
                if (fence == null) {
                    exitCode = keeper.waitFor();
                }
                return fence;
            }
        } catch (IOException e) {
            throw new UsageError("the process that keeps the lock cannot be started: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UsageError("interrupted");
        }
    }

    @Override
    protected void configure(DibsBuilder builder) {
        hold.configure(builder);
    }

    /** In the keeper. */
    @Override
    protected int run(Session session) {
        ScriptLockFolder folder =
                new ScriptLockFolder(Path.of(root().environment().get(KEEPER)));
        SignalRelay signals = SignalRelay.install();
        SignalRelay.ignore("INT", "HUP");
        ScriptLockKeeper keeper = new ScriptLockKeeper(folder, hold.grace(), signals, this::warn);
        try (Lease lease = session.ask(
                () -> session.dibs().lock(name).leaseLength(hold.lease()).acquire(wait))) {
            keeper.acquired();
            folder.keep();
            out().println(lease.fencingToken());
            return out().checkError() ? ExitCode.DEFECT : keeper.keep(lease);
        } catch (NotAcquiredException e) {
            return signals.received().orElseGet(() -> notAcquired(e));
        } finally {
            keeper.close();
            folder.delete();
        }
    }

    private int notAcquired(NotAcquiredException e) {
        warn(HolderText.notAcquired(name, e.holder()));
        return ExitCode.NOT_ACQUIRED;
    }

    /**
     * Prints what the shell is to evaluate if there is no lock. Without it, a failure would look like a success.
     *
     * @param arguments those of a command line that has failed
     */
    public static void fail(int exitCode, Map<String, String> environment, PrintWriter out, String... arguments) {
        if (arguments.length > 0 && arguments[0].equals("hold") && !environment.containsKey(KEEPER)) {
            out.println("(exit " + exitCode + ")");
        }
    }
}
