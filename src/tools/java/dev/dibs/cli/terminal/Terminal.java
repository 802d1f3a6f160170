package dev.dibs.cli.terminal;

import java.io.Console;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The terminal from which dibs may have been started. */
public final class Terminal {

    /** Two of the fields after the process's name: the process group, and the group that gets the terminal's Ctrl-C. */
    private static final int GROUP = 2;

    private static final int FOREGROUND = 5;

    private Terminal() {}

    /** The terminal, if both input and output are one. Later JVMs have a console even without a terminal. */
    @SuppressWarnings("SystemConsoleNull")
    public static Optional<Console> console() {
        Console console = System.console();
        return console != null && isTerminal(console) ? Optional.of(console) : Optional.empty();
    }

    private static boolean isTerminal(Console console) {
        try {
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (ReflectiveOperationException e) {
            return true;
        }
    }

    /** Whether Ctrl-C reaches all processes that we have started, without our help. */
    public static boolean interruptsAll() {
        try {
            String stat = Files.readString(Path.of("/proc/self/stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            return fields[GROUP].equals(fields[FOREGROUND]);
        } catch (IOException e) {
            return console().isPresent();
        }
    }
}
