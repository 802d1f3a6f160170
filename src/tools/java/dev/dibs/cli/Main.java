package dev.dibs.cli;

import dev.dibs.cli.database.EmbeddedDatabase;
import dev.dibs.cli.lock.HoldCommand;
import dev.dibs.cli.process.SignalRelay;
import dev.dibs.cli.verb.ExitCode;
import dev.dibs.cli.verb.VerbGroup;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.logging.LogManager;
import picocli.CommandLine;

/** Starts the {@code dibs} command. */
public final class Main {

    private Main() {}

    /** Runs the command and ends the JVM with its exit code. */
    public static void main(String[] arguments) {
        SignalRelay.endInOrder();
        // Everything that matters is printed; drivers and pool would repeat it, less clearly.
        LogManager.getLogManager().reset();
        EmbeddedDatabase.configure();
        CommandLine commandLine = commandLine(System.getenv(), System.in, arguments)
                .setOut(utf8(FileDescriptor.out))
                .setErr(utf8(FileDescriptor.err));
        int exitCode = commandLine.execute(arguments);
        if (exitCode != ExitCode.OK) {
            HoldCommand.fail(exitCode, System.getenv(), commandLine.getOut(), arguments);
        }
        System.exit(exitCode);
    }

    /** The command for these arguments, with the given variables as its environment. */
    static CommandLine commandLine(Map<String, String> environment, InputStream input, String... arguments) {
        DibsCommand command = new DibsCommand(environment, input);
        ErrorReport errors = new ErrorReport(command.secrets());
        return VerbGroup.build(command, List.of(arguments))
                .registerConverter(Duration.class, new DurationConverter())
                .setDefaultValueProvider(new VariableDefaults(environment))
                .setExpandAtFiles(false)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler(errors)
                .setExecutionExceptionHandler(errors);
    }

    /** The model of all verbs. */
    static CommandLine allVerbs() {
        return commandLine(Map.of(), InputStream.nullInputStream());
    }

    /** Names are any Unicode, whatever the locale. */
    private static PrintWriter utf8(FileDescriptor file) {
        return new PrintWriter(new OutputStreamWriter(new FileOutputStream(file), StandardCharsets.UTF_8), true);
    }
}
