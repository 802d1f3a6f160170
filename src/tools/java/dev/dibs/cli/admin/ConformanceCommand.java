package dev.dibs.cli.admin;

import dev.dibs.Capability;
import dev.dibs.DatabaseFailureException;
import dev.dibs.DibsException;
import dev.dibs.cli.database.DatabaseVerb;
import dev.dibs.cli.database.Session;
import dev.dibs.cli.database.Target;
import dev.dibs.cli.process.CommandToRun;
import dev.dibs.cli.verb.ExitCode;
import dev.dibs.cli.verb.UsageError;
import dev.dibs.cli.verb.Version;
import dev.dibs.conformance.Conformance;
import dev.dibs.conformance.EngineCheck;
import dev.dibs.internal.sql.errors.Secrets;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Tests a client in another language, or an engine that is new to Dibs. */
@Command(
        name = "conformance",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        customSynopsis = {"dibs conformance [OPTIONS] -- CMD ARGS", "dibs conformance --only engine [OPTIONS]"},
        descriptionHeading = "%n",
        description = {
            "Tests whether a client in another language keeps the protocol. CMD starts the client, which reads requests from its"
                    + " standard input and writes answers to its standard output, one JSON object a line. Clients are killed,"
                    + " stopped and resumed, and their connections are cut. Use a database of its own: tables are created there.",
            "",
            "The requests and answers are described in docs/lab/conformance.md.",
            "",
            "--only engine tests an engine that is new to Dibs, and needs no client: 8 connections race for rows of a scratch"
                    + " table. --dialect FOLDER takes an engine for which Dibs has no dialect.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:the client, or the engine, keeps all rules that it offers",
            "1:it breaks one, or the machine is too busy to tell",
            "2:a mistake on the command line"
        })
public final class ConformanceCommand extends DatabaseVerb {

    private static final int HIGHEST_LEVEL = 7;

    @Parameters(paramLabel = "CMD", arity = "0..*", description = "Starts a client.")
    private @Nullable List<String> parsed;

    @Option(
            names = "--only",
            split = ",",
            paramLabel = "CHECK",
            description = "Only these checks, by name, as the command prints them.")
    private final List<String> only = new ArrayList<>();

    @Option(
            names = "--level",
            defaultValue = "7",
            paramLabel = "N",
            description =
                    "Only the checks up to this level of docs/lab/protocol.md, from 1 to ${DEFAULT-VALUE}. Default: ${DEFAULT-VALUE}")
    private int level;

    @Override
    public Integer call() {
        if (!engineAlone()) {
            CommandToRun.after(spec(), parsed);
        }
        if (level < 1 || level > HIGHEST_LEVEL) {
            throw new UsageError("--level " + level + " is out of bounds: 1 to " + HIGHEST_LEVEL);
        }
        only.stream()
                .filter(name ->
                        !name.equals(EngineCheck.NAME) && !Conformance.names().contains(name))
                .findFirst()
                .ifPresent(name -> {
                    throw new UsageError("there is no check '" + name + "'; there are "
                            + String.join(", ", Conformance.names()) + ", " + EngineCheck.NAME);
                });
        return super.call();
    }

    private boolean engineAlone() {
        return only.equals(List.of(EngineCheck.NAME));
    }

    @Override
    protected int connections() {
        return super.connections() + EngineCheck.CONNECTIONS;
    }

    @Override
    protected int run(Session session) {
        Target target = target();
        try {
            // It comes first: an engine that nobody has tried has no port in Address, and no statements for our tables.
            boolean passed =
                    !only.contains(EngineCheck.NAME) || EngineCheck.passes(session.dataSource(), tablePrefix(), out());
            if (!passed || engineAlone()) {
                return passed ? ExitCode.OK : ExitCode.NO;
            }
            Conformance conformance = new Conformance(
                    target.url(),
                    target.user(),
                    target.password(),
                    session.dataSource(),
                    session.dibs(),
                    tablePrefix());
            session.dibs().admin().createSchema(Capability.LOCKS, Capability.TOKENS);
            return conformance.run(CommandToRun.after(spec(), parsed), level, only, out()) ? ExitCode.OK : ExitCode.NO;
        } catch (IllegalArgumentException e) {
            throw new UsageError(String.valueOf(e.getMessage()));
        } catch (SQLException e) {
            throw new DatabaseFailureException(
                    "the table in which clients count could not be used: " + Secrets.masked(e), e);
        } catch (IOException e) {
            throw new UsageError("the client could not be started: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DibsException("interrupted", e);
        }
    }
}
