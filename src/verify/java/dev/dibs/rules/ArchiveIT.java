package dev.dibs.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The archive of the command, unpacked, and its launcher. */
@Tag("process")
@Timeout(600)
class ArchiveIT {

    private static final Duration PATIENCE = Duration.ofMinutes(3);

    @TempDir
    private Path folder;

    private Path dibs;
    private Path cache;

    @BeforeEach
    void unpack() throws Exception {
        String archive = Path.of("target", "dibs.tar.gz").toAbsolutePath().toString();
        assertThat(new ProcessBuilder("tar", "-xzf", archive, "-C", folder.toString())
                        .inheritIO()
                        .start()
                        .waitFor())
                .isZero();
        dibs = folder.resolve("dibs/bin/dibs");
        cache = folder.resolve("cache");
    }

    /** A launcher may still write its archive, into the folder that is to be deleted. */
    @AfterEach
    void awaitLaunchers() {
        await().atMost(PATIENCE).until(() -> Files.notExists(cache.resolve("making")));
    }

    private Process start(Map<String, String> environment, String... arguments) throws IOException {
        List<String> words = new ArrayList<>(List.of(dibs.toString()));
        words.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(words).redirectErrorStream(true);
        builder.environment()
                .putAll(Map.of(
                        "DIBS_CACHE",
                        cache.toString(),
                        "HOME",
                        folder.toString(),
                        "JAVA_HOME",
                        System.getProperty("java.home")));
        builder.environment().keySet().removeAll(List.of("DIBS_URL", "DIBS_USER", "DIBS_PASSWORD"));
        builder.environment().putAll(environment);
        return builder.start();
    }

    private static String output(Process process) throws IOException, InterruptedException {
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        return said;
    }

    private void awaitCache() {
        await().atMost(PATIENCE)
                .until(() ->
                        Files.exists(cache.resolve("classes.jsa.key")) && Files.notExists(cache.resolve("making")));
    }

    @Test
    void theArchiveHasLauncherJarCompletionsAndPages() {
        for (String file : List.of(
                "bin/dibs",
                "lib/dibs-cli.jar",
                "LICENSE",
                "share/man/man1/dibs-lock.1",
                "share/bash-completion/completions/dibs",
                "share/zsh/site-functions/_dibs",
                "share/fish/vendor_completions.d/dibs.fish")) {
            assertThat(folder.resolve("dibs").resolve(file)).isNotEmptyFile();
        }
        assertThat(dibs).isExecutable();
    }

    @Test
    void theFirstCallsMakeAnArchiveOfClassesAndLaterOnesUseIt() throws Exception {
        List<Process> first = List.of(start(Map.of(), "--version"), start(Map.of(), "--version"));
        for (Process process : first) {
            assertThat(output(process)).startsWith("dibs ").hasLineCount(1);
        }
        awaitCache();
        Process later = start(Map.of("JAVA_TOOL_OPTIONS", "-Xlog:class+load"), "lock", "x", "--", "sh", "-c", "exit 7");
        assertThat(output(later)).contains("dev.dibs.cli.lock.LockCommand source: shared objects file (top)");
        assertThat(later.exitValue()).isEqualTo(7);
    }

    @Test
    void anotherJarGetsAnotherArchive() throws Exception {
        output(start(Map.of(), "--version"));
        awaitCache();
        String key = Files.readString(cache.resolve("classes.jsa.key"));
        Files.setLastModifiedTime(folder.resolve("dibs/lib/dibs-cli.jar"), FileTime.fromMillis(1_000_000_000_000L));
        assertThat(output(start(Map.of(), "--version"))).startsWith("dibs ").hasLineCount(1);
        // The key is absent for a moment before it is replaced.
        await().atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> !Files.readString(cache.resolve("classes.jsa.key")).equals(key));
    }

    @Test
    void aBrokenArchiveOrNoFolderDoesNoHarm() throws Exception {
        output(start(Map.of(), "--version"));
        awaitCache();
        Path classes = cache.resolve("classes.jsa");
        Files.delete(classes);
        Files.writeString(classes, "no archive");
        assertThat(output(start(Map.of(), "--version"))).startsWith("dibs ").hasLineCount(1);
        assertThat(output(start(Map.of("DIBS_CACHE", "/proc/none"), "--version")))
                .startsWith("dibs ")
                .hasLineCount(1);
        assertThat(output(start(Map.of("DIBS_CACHE", "off"), "--version")))
                .startsWith("dibs ")
                .hasLineCount(1);
    }

    @Test
    void aLinkAndASignalReachTheCommand() throws Exception {
        Path link = Files.createSymbolicLink(folder.resolve("link"), dibs);
        assertThat(output(new ProcessBuilder(link.toString(), "--version").start()))
                .startsWith("dibs ");
        Process holder = start(
                Map.of(), "lock", "x", "--", "sh", "-c", "trap 'exit 9' TERM; echo held; while :; do sleep 0.1; done");
        assertThat(holder.inputReader().readLine()).isEqualTo("held");
        holder.destroy();
        assertThat(holder.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(holder.exitValue()).isEqualTo(9);
    }
}
