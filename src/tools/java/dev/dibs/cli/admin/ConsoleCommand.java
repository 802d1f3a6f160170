package dev.dibs.cli.admin;

import dev.dibs.cli.database.DatabaseVerb;
import dev.dibs.cli.database.Session;
import dev.dibs.cli.verb.CurrentUser;
import dev.dibs.cli.verb.ExitCode;
import dev.dibs.cli.verb.UsageError;
import dev.dibs.cli.verb.Version;
import dev.dibs.server.ConsoleServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Serves the console on this machine. */
@Command(
        name = "console",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        descriptionHeading = "%n",
        description = {
            "Serves a console for the browser, at 127.0.0.1 alone, until Ctrl-C. It shows holders, work once a period, runs, tokens and"
                    + " health, and can change them.",
            "",
            "Prints a link that works once, within ten minutes. Enter prints another one.",
            ""
        })
public final class ConsoleCommand extends DatabaseVerb {

    private static final int LARGEST_PORT = 65_535;

    /** A strong reference: else the logger could be collected, and its handler lost. */
    private static final Logger LOG = Logger.getLogger("dev.dibs.console");

    @Option(names = "--port", paramLabel = "N", description = "Where it listens; 0 for any free port. Default: 8080.")
    private int port = 8080;

    @Option(names = "--read-only", description = "Show everything, change nothing.")
    private boolean readOnly;

    @Option(
            names = "--environment",
            paramLabel = "NAME",
            description = "A name of this database, such as production, in the head and the title of each page.")
    private String environment = "";

    /** Prints the button that was pressed, and the user. */
    private final class Pressed extends Handler {
        @Override
        public void publish(LogRecord pressed) {
            warn(pressed.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    @Override
    protected int run(Session session) {
        if (port < 0 || port > LARGEST_PORT) {
            throw new UsageError("--port " + port + ": a port is a number from 0 to " + LARGEST_PORT);
        }
        session.dibs().admin().checkSchema();
        Handler pressed = new Pressed();
        LOG.addHandler(pressed);
        try (ConsoleServer server = start(session)) {
            Thread atExit = new Thread(server::close, "dibs-console-end");
            Runtime.getRuntime().addShutdownHook(atExit);
            try {
                out().println("The console is at " + ConsoleServer.ADDRESS + ":" + server.port()
                        + " until Ctrl-C. Open this link, once, within " + ConsoleServer.LINK.toMinutes()
                        + " minutes; Enter prints another one.");
                serve(server);
            } finally {
                forget(atExit);
            }
        } finally {
            LOG.removeHandler(pressed);
        }
        return ExitCode.OK;
    }

    private static void forget(Thread atExit) {
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            // The JVM is shutting down, and has begun to run the hook.
        }
    }

    private ConsoleServer start(Session session) {
        try {
            return ConsoleServer.start(
                    session.dibs(), port, CurrentUser.here().orElse("somebody"), !readOnly, environment);
        } catch (IOException e) {
            throw new UsageError(e.getMessage() + ". With --port 0 a free port is taken");
        }
    }

    /** Runs until the process is ended or the thread is interrupted. */
    private void serve(ConsoleServer server) {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(root().input(), StandardCharsets.UTF_8))) {
            printLink(server);
            while (lines.readLine() != null) {
                printLink(server);
            }
            new CountDownLatch(1).await();
        } catch (IOException e) {
            throw new UsageError("the input cannot be read: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void printLink(ConsoleServer server) {
        out().println("  " + server.link());
    }
}
