package dev.dibs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Completions and manual pages, in real shells where they are. */
@Tag("process")
class CompletionTest {

    @TempDir
    private Path share;

    @BeforeEach
    void write() throws IOException {
        Extras.main(new String[] {share.toString()});
    }

    private String output(String program, String script) throws IOException, InterruptedException {
        Assumptions.assumeTrue(
                Arrays.stream(System.getenv("PATH").split(File.pathSeparator, -1))
                        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program))),
                "there is no " + program);
        Process process = new ProcessBuilder(program, "-c", script)
                .directory(share.toFile())
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said;
    }

    @Test
    void bashCompletesVerbs() throws Exception {
        assertThat(output(
                        "bash",
                        "source bash-completion/completions/dibs; COMP_WORDS=(dibs token i); COMP_CWORD=2; _complete_dibs;"
                                + " echo \"${COMPREPLY[@]}\""))
                .isEqualTo("issue\n");
    }

    @Test
    void zshLoadsTheSameScript() throws Exception {
        output("zsh", "autoload -U compinit; compinit -u -D; source zsh/site-functions/_dibs");
    }

    @Test
    void fishCompletesVerbsAndOptions() throws Exception {
        String complete = "source fish/vendor_completions.d/dibs.fish; complete -C ";
        assertThat(output("fish", complete + "'dibs lo'").lines().map(line -> line.split("\t", -1)[0]))
                .containsExactly("lock", "locks");
        assertThat(output("fish", complete + "'dibs run status --w'").lines())
                .singleElement()
                .asString()
                .startsWith("--watch\t");
    }

    @Test
    void theVerbPrintsThem() throws IOException {
        Cli cli = new Cli(Map.of());
        assertThat(cli.run("completion", "bash").out())
                .isEqualTo(Files.readString(share.resolve("bash-completion/completions/dibs")));
        assertThat(cli.run("completion", "fish").out()).contains("complete -c dibs -n ", "-a lock ");
        assertThat(cli.run("completion", "tcsh").exitCode()).isEqualTo(2);
    }

    @Test
    void eachVerbHasAPageThatManReads() throws Exception {
        List<Path> pages;
        try (Stream<Path> files = Files.list(share.resolve("man/man1"))) {
            pages = files.toList();
        }
        assertThat(pages)
                .hasSizeGreaterThan(35)
                .anyMatch(page -> page.endsWith("dibs.1"))
                .anyMatch(page -> page.endsWith("dibs-token-issue.1"));
        assertThat(Files.readString(share.resolve("man/man1/dibs-lock.1")))
                .contains("\\-\\-wait=DURATION", "128+n")
                .doesNotContain("${", "%n");
        assertThat(output(
                        "sh",
                        "command -v groff >/dev/null || exit 0; for page in man/man1/*; do"
                                + " groff -man -Tutf8 -ww -z \"$page\"; done"))
                .isEmpty();
    }
}
