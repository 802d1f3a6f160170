package dev.dibs.cli;

import dev.dibs.internal.sql.errors.Secrets;
import java.io.InputStream;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

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
        },
        subcommands = {
            LockCommand.class,
            ReadCommand.class,
            WriteCommand.class,
            SemaphoreCommand.class,
            LocksCommand.class,
            BreakCommand.class,
            OnceCommand.class,
            RunCommand.class,
            TokenCommand.class,
            ConsoleCommand.class,
            InitCommand.class,
            SchemaCommand.class,
            StatementsCommand.class,
            ConformanceCommand.class,
            DoctorCommand.class,
            DemoCommand.class
        })
final class DibsCommand implements Runnable {

    private final Map<String, String> environment;
    private final InputStream input;
    private final Secrets secrets = new Secrets();

    @Spec
    private CommandSpec spec;

    DibsCommand(Map<String, String> environment, InputStream input) {
        this.environment = environment;
        this.input = input;
        secrets.learn(environment.get(ConnectionOptions.URL), environment.get(ConnectionOptions.PASSWORD));
    }

    Map<String, String> environment() {
        return environment;
    }

    /** The standard input. */
    InputStream input() {
        return input;
    }

    /** The passwords that must not be printed. */
    Secrets secrets() {
        return secrets;
    }

    @Override
    public void run() {
        throw new UsageError(
                "which command? One of " + String.join(", ", spec.subcommands().keySet()) + " (see dibs --help)");
    }
}
