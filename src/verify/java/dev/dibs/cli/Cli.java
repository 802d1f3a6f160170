package dev.dibs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.logging.Logger;

/** Runs the command in this JVM. */
record Cli(Map<String, String> environment) {

    /** Silent while the command runs, as in a process of its own. */
    private static final Logger LIBRARY = Logger.getLogger("dev.dibs");

    /** The result. */
    record Outcome(int exitCode, String out, String err) {}

    /** With variables that name a database. */
    static Cli on(String url, String user, String password) {
        Map<String, String> environment = new HashMap<>();
        environment.put("DIBS_URL", url);
        environment.put("DIBS_USER", user);
        environment.put("DIBS_PASSWORD", password);
        return new Cli(environment);
    }

    Outcome run(String... arguments) {
        return runWith("", arguments);
    }

    /** The output of a command that succeeds. */
    String ok(String... arguments) {
        Outcome outcome = run(arguments);
        assertThat(outcome.exitCode()).as(outcome.toString()).isZero();
        return outcome.out();
    }

    /** With something on the standard input. */
    Outcome runWith(String input, String... arguments) {
        InputStream in = new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8));
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        boolean logged = LIBRARY.getUseParentHandlers();
        LIBRARY.setUseParentHandlers(false);
        int exitCode = Main.commandLine(environment, in, arguments)
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
        LIBRARY.setUseParentHandlers(logged);
        return new Outcome(exitCode, out.toString(), err.toString());
    }
}
