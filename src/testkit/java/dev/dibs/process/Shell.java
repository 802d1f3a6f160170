package dev.dibs.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Runs a command to its end. */
public final class Shell {
    private Shell() {}

    /** A command's output, both streams together; an exit code other than zero is an error that shows it. */
    public static String run(List<String> command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int exit = exitCode(process);
        if (exit != 0) {
            throw new IOException(String.join(" ", command) + " ended with " + exit + ": " + said);
        }
        return said;
    }

    /** Sends a signal such as STOP, CONT, QUIT or KILL. */
    public static void signal(String signal, long pid) throws IOException {
        run(List.of("kill", "-" + signal, Long.toString(pid)));
    }

    /** Some servers require an explicit option for that. */
    public static boolean asRoot() {
        return "root".equals(System.getProperty("user.name"));
    }

    private static int exitCode(Process process) throws IOException {
        try {
            return process.waitFor();
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }
}
