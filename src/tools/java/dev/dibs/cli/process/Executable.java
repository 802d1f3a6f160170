package dev.dibs.cli.process;

import dev.dibs.cli.verb.ExitCode;
import dev.dibs.cli.verb.UsageError;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;

/** A command that could not be started. */
final class Executable {

    private static final Pattern SEPARATOR = Pattern.compile(Pattern.quote(File.pathSeparator));

    private Executable() {}

    /** Like a shell, distinguishes a missing command from one that cannot be run. */
    static UsageError whyNot(String command, IOException e) {
        return exists(command)
                ? new UsageError(ExitCode.NOT_EXECUTABLE, "'" + command + "' cannot be run: " + reason(e))
                : new UsageError(ExitCode.NOT_FOUND, "there is no command '" + command + "'");
    }

    private static boolean exists(String command) {
        try {
            return command.contains("/") ? Files.exists(Path.of(command)) : isOnPath(command);
        } catch (InvalidPathException e) {
            return false;
        }
    }

    private static boolean isOnPath(String command) {
        String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
        return Arrays.stream(SEPARATOR.split(path))
                .anyMatch(directory -> Files.isRegularFile(Path.of(directory, command)));
    }

    /** The JVM's message repeats the command; the system's own words come last. */
    private static String reason(IOException e) {
        String message = String.valueOf(e.getMessage());
        return message.substring(message.lastIndexOf(", ") + 1).strip();
    }
}
