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

    /** On the console of this JVM it is silent from the first command on. Who listens to it listens to this logger. */
    private static final Logger LIBRARY = Logger.getLogger("dev.dibs");

    static {
        LIBRARY.setUseParentHandlers(false);
    }

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
        int exitCode = Main.commandLine(environment, in, arguments)
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
        return new Outcome(exitCode, out.toString(), err.toString());
    }
}
