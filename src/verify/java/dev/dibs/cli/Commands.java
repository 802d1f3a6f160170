package dev.dibs.cli;

import dev.dibs.database.TestDatabase;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;

/** Runs the command on a database of the tests. */
public final class Commands {

    private Commands() {}

    /** Its exit code and its output, errors included. */
    public static String run(TestDatabase database, String... arguments) {
        return run(
                Map.of("DIBS_URL", database.url(), "DIBS_USER", database.user(), "DIBS_PASSWORD", database.password()),
                arguments);
    }

    /** The output of a command that needs no database. */
    public static String print(String... arguments) {
        String said = run(Map.of(), arguments);
        if (!said.startsWith("0: ")) {
            throw new IllegalStateException(said);
        }
        return said.substring(3);
    }

    private static String run(Map<String, String> environment, String... arguments) {
        StringWriter said = new StringWriter();
        PrintWriter out = new PrintWriter(said);
        int exitCode = Main.commandLine(environment, InputStream.nullInputStream(), arguments)
                .setOut(out)
                .setErr(out)
                .execute(arguments);
        return exitCode + ": " + said;
    }
}
