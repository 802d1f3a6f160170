package dev.dibs.cli.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the JVM does not say about other processes. */
public final class Processes {

    private Processes() {}

    /** A process has ended even if its parent has not asked for its exit code. */
    public static boolean hasEnded(ProcessHandle process) {
        if (!process.isAlive()) {
            return true;
        }
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2) == 'Z';
        } catch (IOException e) {
            // A system without /proc, or it has ended just now, which the next look shows.
            return false;
        }
    }
}
