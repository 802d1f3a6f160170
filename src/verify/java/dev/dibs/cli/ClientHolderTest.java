package dev.dibs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** By default each client shows itself as Java does: the host's name, a colon and the number of the process. */
@Tag("process")
@Timeout(60)
class ClientHolderTest {

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
    void theShellShowsHostAndProcess() throws Exception {
        assertShowsHostAndProcess(
                "bash",
                "-c",
                ". \"$1\"; _dibs_check_text() { [ $1 != holder ] || { printf %s \"$2\"; exit; }; }; _dibs_lock x -- true",
                "bash",
                Path.of("clients/shell/dibs.sh").toAbsolutePath().toString());
    }

    private static void assertShowsHostAndProcess(String... command) throws Exception {
        Process process;
        try {
            process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
        } catch (IOException e) {
            Assumptions.abort("there is no " + command[0]);
            return;
        }
        String holder = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
        assertThat(holder).matches("[^:/]+:" + process.pid());
    }
}
