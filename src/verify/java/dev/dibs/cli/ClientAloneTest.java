package dev.dibs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The clients without a database. Their clocks never go back, and count the time that a machine sleeps: the programs in src/verify/clients
 * set the clocks. A text that cannot be a token is unknown, as in Java.
 */
@Tag("process")
@Timeout(60)
class ClientAloneTest {

    @Test
    void clockOfNodeNeverGoesBack() throws Exception {
        assertNoFault("node", "clock.mjs", Path.of("clients/node/dibs.mjs"));
    }

    @Test
    void clockOfPythonNeverGoesBack() throws Exception {
        assertNoFault("python3", "clock.py", Path.of("clients/python"));
    }

    @Test
    void clockOfTheShellNeverGoesBack() throws Exception {
        assertNoFault("bash", "clock.sh", Path.of("clients/shell/dibs.sh"));
    }

    @Test
    void nodeAnswersUnknownForATextThatIsNoToken() throws Exception {
        assertNoFault("node", "strangers.mjs", Path.of("clients/node/dibs.mjs"));
    }

    @Test
    void pythonAnswersUnknownForATextThatIsNoToken() throws Exception {
        assertNoFault("python3", "strangers.py", Path.of("clients/python"));
    }

    private static void assertNoFault(String program, String script, Path client) throws Exception {
        Process process = start(
                program,
                Path.of("src/verify/clients", script).toString(),
                client.toAbsolutePath().toString());
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor()).as(output).isZero();
        assertThat(output.lines()).isNotEmpty().allMatch(line -> line.startsWith("ok: "), output);
    }

    private static Process start(String... command) {
        try {
            return new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            return Assumptions.abort("there is no " + command[0]);
        }
    }
}
