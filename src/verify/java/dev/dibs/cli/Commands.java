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
        Map<String, String> environment =
                Map.of("DIBS_URL", database.url(), "DIBS_USER", database.user(), "DIBS_PASSWORD", database.password());
        StringWriter said = new StringWriter();
        PrintWriter out = new PrintWriter(said);
        int exitCode = Main.commandLine(environment, InputStream.nullInputStream(), arguments)
                .setOut(out)
                .setErr(out)
                .execute(arguments);
        return exitCode + ": " + said;
    }
}
