package dev.dibs.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.database.FullTest;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("flow")
@Timeout(300)
class DemoTest {
    private static final Terminal PLAIN = new Terminal(false, 80);
    private static final Terminal LIVE = new Terminal(true, 60);

    @TempDir
    Path repository;

    private final ByteArrayOutputStream said = new ByteArrayOutputStream();

    private int run(String url, Terminal terminal) {
        return run(url, terminal, Optional.empty());
    }

    private int run(String url, Terminal terminal, Optional<Path> files) {
        Settings settings =
                new Settings(url, "", "", repository, files, Duration.ofSeconds(8), Duration.ofSeconds(2), false);
        return Demo.run(settings, new PrintStream(said, true, StandardCharsets.UTF_8), terminal);
    }

    private String output() {
        return said.toString(StandardCharsets.UTF_8);
    }

    private void fill(int jars) {
        for (int i = 0; i < jars; i++) {
            byte[] jar = Jars.jar("One.class", "content " + i, "Two.class", "more");
            Path written = Jars.write(repository.resolve("org/example/part" + i + "/1.0"), "part" + i + ".jar", jar);
            Jars.writeSidecar(written, Jars.sha1(jar));
        }
    }

    @FullTest
    @Tag("slow")
    void everyRowIsDoneOnceDespiteKillsAndPauses() {
        fill(60);
        Path bad = repository.resolve("org/example/bad/2.0");
        Jars.write(bad, "bad.jar", Jars.replaced(Jars.jar("A.class", "right"), "right", "wrong"));

        int exit = run("", LIVE);

        assertThat(output())
                .contains("A run over all 61 jars")
                .containsPattern("kill -9 \\d+: worker \\d is dead, with \\w+\\.jar in hand")
                .containsPattern("worker \\d has done \\w+\\.jar, \\S+ s after the kill")
                .containsPattern("all had stood still for ([2-9]|\\d{2,})\\.\\d s")
                .containsPattern(
                        "kill -STOP \\d+: worker \\d stands still, with \\S+ in hand and the lock of the report")
                .containsPattern("The late result of worker \\d was rolled back")
                .containsPattern("The late report of worker \\d was refused")
                .contains("60 done, each exactly once; 2 dead; 0 lost")
                .contains("60 compared with the .sha1")
                .contains("broken-on-purpose.jar", "the CRC of its entry broken.txt")
                .contains("org/example/bad/2.0/bad.jar", "given up after 3 attempts", "the CRC of its entry A.class")
                .containsPattern("struck workers +2")
                // On a busy machine, further leases of the report may pass.
                .containsPattern("refused reports +[1-9]")
                .contains("incomplete, 60 of 62 rows", "2 dead")
                .contains("Every promise was kept")
                .doesNotContain("BROKEN", "ended by itself");
        assertThat(exit).isZero();
        assertThat(ProcessHandle.current()
                        .children()
                        .map(child -> child.info().commandLine().orElse("")))
                .noneMatch(command -> command.contains(Worker.class.getName()));
    }

    @Test
    void aHandfulOfFilesIsTooFew() {
        fill(3);
        assertThat(run("", PLAIN, Optional.of(repository))).isEqualTo(2);
        assertThat(output()).contains("has 6 of the 12 files that the demo needs");
    }

    @Test
    void aDatabaseThatIsNotThereIsSaidSo() {
        fill(12);
        assertThat(run("jdbc:nobody://u:secret@nowhere", PLAIN)).isEqualTo(2);
        assertThat(output().lines().toList()).hasSize(1).first().asString().startsWith("The demo could not run: ");
        assertThat(output()).doesNotContain("secret");
    }

    @FullTest
    void workersThatCanNotConnectAreABrokenPromise() {
        fill(12);
        // A database in the memory of this process: the workers each have an empty one of their own.
        assertThat(run("jdbc:h2:mem:alone;DB_CLOSE_DELAY=-1", PLAIN))
                .as(this::output)
                .isEqualTo(1);
        assertThat(output()).contains("ended by itself", "BROKEN PROMISE: never done: ");
    }

    @Test
    void messagesAreToldFromOtherLines() {
        assertThat(Message.parse(2, Message.line(Message.Word.REPORTING, 1, 2)))
                .contains(new Message(2, Message.Word.REPORTING, List.of(1L, 2L)));
        assertThat(Message.parse(2, "WARNING: something")).isEmpty();
    }
}
