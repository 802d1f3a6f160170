package dev.dibs.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(100)
class DemoTest {
    private static final Terminal PLAIN = new Terminal(false, 80);
    private static final Terminal LIVE = new Terminal(true, 60);

    @TempDir
    Path repository;

    private final ByteArrayOutputStream said = new ByteArrayOutputStream();

    private int run(String url, Terminal terminal) {
        Settings settings =
                new Settings(url, "", "", repository, Duration.ofSeconds(7), Duration.ofMillis(1_500), false);
        return Demo.run(settings, new PrintStream(said, true, StandardCharsets.UTF_8), terminal);
    }

    private String output() {
        return said.toString(StandardCharsets.UTF_8);
    }

    private void fill(int directories) {
        for (int i = 0; i < directories; i++) {
            byte[] jar = Jars.jar("One.class", "content " + i, "Two.class", "more");
            Path written = Jars.write(repository.resolve("org/example/part" + i + "/1.0"), "part" + i + ".jar", jar);
            Jars.writeSidecar(written, Jars.sha1(jar));
        }
    }

    @Test
    void verifiesASmallRepositoryWhileWorkersAreStruck() {
        fill(20);
        Path bad = repository.resolve("org/example/bad/2.0");
        Jars.write(bad, "bad.jar", Jars.replaced(Jars.jar("A.class", "right"), "right", "wrong"));

        int exit = run("", LIVE);

        assertThat(output())
                .contains("All 21 directories with jars: 21 jars")
                .containsPattern("kill -9 \\d+: worker \\d is dead")
                .containsPattern("kill -STOP \\d+: worker \\d stands still")
                .containsPattern("The late write of worker \\d was refused")
                .contains("21, each committed exactly once")
                .contains("org/example/bad/2.0/bad.jar", "the CRC of its entry A.class")
                .containsPattern("takeovers +2")
                .containsPattern("refused writes +1")
                .contains("Every promise was kept")
                .doesNotContain("BROKEN", "ended by itself");
        assertThat(exit).isZero();
        assertThat(ProcessHandle.current()
                        .children()
                        .map(child -> child.info().commandLine().orElse("")))
                .noneMatch(command -> command.contains(Worker.class.getName()));
    }

    @Test
    void aHandfulOfJarsIsTooFew() {
        fill(3);
        assertThat(run("", PLAIN)).isEqualTo(2);
        assertThat(output()).contains("has jars in 3 directories; the demo needs 6");
    }

    @Test
    void aDatabaseThatIsNotThereIsSaidSo() {
        fill(6);
        assertThat(run("jdbc:nobody://nowhere", PLAIN)).isEqualTo(2);
        assertThat(output().lines().toList()).hasSize(1).first().asString().startsWith("The demo could not run: ");
    }

    @Test
    void workersThatCanNotConnectAreABrokenPromise() {
        fill(6);
        // A database in the memory of this process: the workers each have an empty one of their own.
        assertThat(run("jdbc:h2:mem:alone;DB_CLOSE_DELAY=-1", PLAIN)).isEqualTo(1);
        assertThat(output()).contains("ended by itself", "BROKEN PROMISE: never committed: ");
    }

    @Test
    void messagesAreToldFromOtherLines() {
        assertThat(Message.parse(2, Message.line(Message.Word.TOOK, 1, 2, 3, 4)))
                .contains(new Message(2, Message.Word.TOOK, List.of(1L, 2L, 3L, 4L)));
        assertThat(Message.parse(2, "WARNING: something")).isEmpty();
    }
}
