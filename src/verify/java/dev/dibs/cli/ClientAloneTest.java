package dev.dibs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The clients without a database. Their clocks never go back, and count the time that a machine sleeps: the programs in src/verify/clients
 * set the clocks. A text that cannot be a token is unknown, as in Java. By default each client shows itself as Java does: the host's name, a
 * colon and the number of the process.
 */
@Tag("process")
@Timeout(60)
class ClientAloneTest {

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource({
        "node, clock.mjs, clients/node/dibs.mjs",
        "python3, clock.py, clients/python",
        "bash, clock.sh, clients/shell/dibs.sh",
        "node, strangers.mjs, clients/node/dibs.mjs",
        "python3, strangers.py, clients/python",
        "php, clock.php, clients/php",
        "php, strangers.php, clients/php"
    })
    void clockNeverGoesBackAndATextThatIsNoTokenIsUnknown(String program, String script, Path client) throws Exception {
        Process process = start(
                program,
                Path.of("src/verify/clients", script).toString(),
                client.toAbsolutePath().toString());
        String output = output(process);

        assertThat(process.waitFor()).as(output).isZero();
        assertThat(output.lines()).isNotEmpty().allMatch(line -> line.startsWith("ok: "), output);
    }

    @Test
    void pythonShowsHostAndProcess() throws Exception {
        assertShowsHostAndProcess(
                "python3",
                "-c",
                "import sys; sys.path.insert(0, sys.argv[1]); import dibs; dibs._Connections = lambda connect: None; "
                        + "print(dibs.Dibs(None)._holder)",
                Path.of("clients/python").toAbsolutePath().toString());
    }

    @Test
    void nodeShowsHostAndProcess() throws Exception {
        assertShowsHostAndProcess(
                "node",
                "--input-type=module",
                "-e",
                "import { Dibs } from '" + Path.of("clients/node/dibs.mjs").toUri() + "'\n"
                        + "console.log(new Dibs(() => {}).holder)");
    }

    @Test
    void phpShowsHostAndProcess() throws Exception {
        assertShowsHostAndProcess(
                "php",
                "-r",
                "require $argv[1]; $dibs = new Dibs\\Dibs(fn () => exit(1));"
                        + " echo (new ReflectionProperty($dibs, 'holder'))->getValue($dibs);",
                Path.of("clients/php/Dibs.php").toAbsolutePath().toString());
    }

    @Test
    void theShellShowsHostAndProcess() throws Exception {
        assertShowsHostAndProcess(
                "bash",
                "-c",
                ". \"$1\"; _dibs_check_text() { [ $1 != holder ] || { printf %s \"$2\"; exit; }; }; _dibs_lock x -- true",
                "bash",
                Path.of("clients/shell/dibs.sh").toAbsolutePath().toString());
    }

    private static void assertShowsHostAndProcess(String... command) throws Exception {
        Process process = start(command);
        assertThat(output(process).trim()).matches("[^:/]+:" + process.pid());
    }

    private static Process start(String... command) {
        try {
            ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
            // Other tests read all files of the clients meanwhile.
            builder.environment().put("PYTHONDONTWRITEBYTECODE", "1");
            return builder.start();
        } catch (IOException e) {
            return Assumptions.abort("there is no " + command[0]);
        }
    }

    private static String output(Process process) throws IOException {
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
}
