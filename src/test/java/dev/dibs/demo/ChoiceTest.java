package dev.dibs.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.demo.Artifacts.Directory;
import dev.dibs.demo.Artifacts.Found;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChoiceTest {
    private static final Duration TEN_SECONDS = Duration.ofSeconds(10);

    @TempDir
    Path repository;

    private static List<Directory> directories(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> new Directory("a/b/" + i, 1, 1_000))
                .toList();
    }

    private static Choice choose(List<Directory> directories) {
        return Choice.of(new Found(directories, true), TEN_SECONDS, new Random(1));
    }

    @Test
    void findsTheDirectoriesThatHaveJars() throws IOException {
        Jars.write(repository.resolve("a/b/1.0"), "b-1.0.jar", new byte[10]);
        Jars.write(repository.resolve("a/b/1.0"), "b-1.0-sources.jar", new byte[5]);
        Jars.write(repository.resolve("a/b/1.0"), "b-1.0.pom", new byte[3]);
        Jars.write(repository.resolve("a/parent/1.0"), "parent-1.0.pom", new byte[3]);
        Jars.write(repository.resolve("c"), "c.jar", new byte[1]);

        Found found = Artifacts.find(repository, TEN_SECONDS);

        assertThat(found.complete()).isTrue();
        assertThat(found.directories())
                .containsExactlyInAnyOrder(new Directory("a/b/1.0", 2, 15), new Directory("c", 1, 1));
    }

    @Test
    void findsWhatItCanInTheTime() throws IOException {
        Jars.write(repository.resolve("a"), "a.jar", new byte[1]);

        assertThat(Artifacts.find(repository, Duration.ZERO)).isEqualTo(new Found(List.of(), false));
    }

    @Test
    void aSmallRepositoryIsTakenWhole() {
        List<Directory> all = directories(20);

        Choice choice = choose(all);

        assertThat(choice.directories())
                .containsExactlyInAnyOrderElementsOf(all)
                .isNotEqualTo(all);
        assertThat(choice.describe()).startsWith("All 20 directories");
    }

    @Test
    void aLargeOneIsSampledAndItIsSaid() {
        Choice choice = choose(directories(5_000));

        assertThat(choice.directories()).hasSize(1_000).doesNotHaveDuplicates();
        assertThat(choice.describe()).startsWith("A random sample of 1000 of 5000 directories");
    }

    @Test
    void aGiantIsLeftOut() {
        List<Directory> all = List.of(new Directory("giant", 1, 3_000_000_000L), new Directory("b", 1, 1));

        assertThat(choose(all).directories()).extracting(Directory::path).containsExactly("b");
        assertThat(choose(all).isEnough()).isFalse();
    }

    @Test
    void theyAreHandedOutEvenly() {
        Pace pace = new Pace(1_000, 500, 10);

        assertThat(pace.releasedAt(900)).isZero();
        assertThat(pace.releasedAt(1_000)).isZero();
        assertThat(pace.releasedAt(1_250)).isEqualTo(5);
        assertThat(pace.releasedAt(1_500)).isEqualTo(10);
        assertThat(pace.releasedAt(9_000)).isEqualTo(10);
    }
}
