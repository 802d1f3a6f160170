package dev.dibs.cli;

import dev.dibs.cli.admin.ConformanceCommand;
import dev.dibs.cli.admin.ConsoleCommand;
import dev.dibs.cli.admin.DemoCommand;
import dev.dibs.cli.admin.DoctorCommand;
import dev.dibs.cli.admin.InitCommand;
import dev.dibs.cli.admin.SchemaCommand;
import dev.dibs.cli.admin.StatementsCommand;
import dev.dibs.cli.database.ConnectionOptions;
import dev.dibs.cli.lock.BreakCommand;
import dev.dibs.cli.lock.CheckCommand;
import dev.dibs.cli.lock.HoldCommand;
import dev.dibs.cli.lock.LockCommand;
import dev.dibs.cli.lock.LocksCommand;
import dev.dibs.cli.lock.ReadCommand;
import dev.dibs.cli.lock.ReleaseCommand;
import dev.dibs.cli.lock.SemaphoreCommand;
import dev.dibs.cli.lock.WriteCommand;
import dev.dibs.cli.once.OnceCommand;
import dev.dibs.cli.run.RunCommand;
import dev.dibs.cli.token.TokenCommand;
import dev.dibs.cli.verb.Invocation;
import dev.dibs.cli.verb.VerbGroup;
import dev.dibs.cli.verb.Version;
import dev.dibs.text.KnownSecrets;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/** The command itself, which has only verbs. */
@Command(
        name = "dibs",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        synopsisSubcommandLabel = "COMMAND",
        sortOptions = false,
        descriptionHeading = "%n",
        description = {
            "Lets processes take turns through a database that they share: run a command under a lock, list holders,"
                    + " watch and steer runs, issue and use one-time tokens.",
            ""
        },
        footer = {
            "",
            "Which database: --url, --user and --password, or the variables DIBS_URL, DIBS_USER and DIBS_PASSWORD. Without"
                    + " any of them a database in ~/.dibs is used, which the processes of one user on one machine share."
                    + " A driver that is not packed: --driver or DIBS_DRIVER.",
            "",
            "  dibs lock nightly-report -- ./report.sh --all",
            "  dibs lock nightly-report --wait 10m --lease 1m -- ./report.sh",
            "  dibs locks",
            "  dibs once best-sellers --every 24h -- ./rebuild.sh",
            "  dibs run status nightly-images --watch",
            "  dibs console"
        })
final class DibsCommand extends VerbGroup implements Invocation {

    private static final List<String> VERBS = List.of(
            "lock",
            "read",
            "write",
            "semaphore",
            "hold",
            "release",
            "check",
            "locks",
            "break",
            "once",
            "run",
            "token",
            "console",
            "init",
            "schema",
            "statements",
            "conformance",
            "doctor",
            "demo",
            "completion",
            "help");

    private final Map<String, String> environment;
    private final InputStream input;
    private final KnownSecrets secrets = new KnownSecrets();

    DibsCommand(Map<String, String> environment, InputStream input) {
        this.environment = environment;
        this.input = input;
        secrets.learn(environment.get(ConnectionOptions.URL), environment.get(ConnectionOptions.PASSWORD));
    }

    @Override
    public Map<String, String> environment() {
        return environment;
    }

    @Override
    public InputStream input() {
        return input;
    }

    @Override
    public KnownSecrets secrets() {
        return secrets;
    }

    @Override
    public Class<?> program() {
        return Main.class;
    }

    @Override
    protected List<String> verbs() {
        return VERBS;
    }

    @Override
    protected Object verb(String name) {
        return switch (name) {
            case "lock" -> new LockCommand();
            case "read" -> new ReadCommand();
            case "write" -> new WriteCommand();
            case "semaphore" -> new SemaphoreCommand();
            case "hold" -> new HoldCommand();
            case "release" -> new ReleaseCommand();
            case "check" -> new CheckCommand();
            case "locks" -> new LocksCommand();
            case "break" -> new BreakCommand();
            case "once" -> new OnceCommand();
            case "run" -> new RunCommand();
            case "token" -> new TokenCommand();
            case "console" -> new ConsoleCommand();
            case "init" -> new InitCommand();
            case "schema" -> new SchemaCommand();
            case "statements" -> new StatementsCommand();
            case "conformance" -> new ConformanceCommand();
            case "doctor" -> new DoctorCommand();
            case "demo" -> new DemoCommand();
            case "completion" -> new CompletionCommand();
            case "help" -> new HelpCommand();
            default -> throw new IllegalArgumentException(name);
        };
    }

    @Override
    public void run() {
        throw whichVerb("dibs");
    }
}
