package dev.dibs.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.dibs.demo.FileSearch.Found;
import dev.dibs.demo.FileSearch.Item;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("unit")
class SampleTest {
    private static final Duration TEN_SECONDS = Duration.ofSeconds(10);

    @TempDir
    Path repository;

    private static List<Item> items(int count, long bytes) {
        return IntStream.range(0, count)
                .mapToObj(i -> new Item("a/" + i + ".jar", bytes))
                .toList();
    }

    private Settings settings(Path files) {
        return new Settings(
                "", "", "", repository, Optional.ofNullable(files), TEN_SECONDS, Duration.ofSeconds(3), false);
    }

    private Sample of(List<Item> items) {
        return Sample.of(repository, "jars", new Found(items, true), settings(null), new Random(1));
    }

    private void fill(int jars) {
        for (int i = 0; i < jars; i++) {
            Jars.write(repository.resolve("a/" + i), "x.jar", new byte[i]);
            Jars.write(repository.resolve("a/" + i), "x.pom", new byte[i]);
        }
    }

    @Test
    void findsTheJars() throws IOException {
        fill(2);
        Found found = FileSearch.find(repository, FileSearch::isJar, TEN_SECONDS);

        assertThat(found.complete()).isTrue();
        assertThat(found.files()).containsExactlyInAnyOrder(new Item("a/0/x.jar", 0), new Item("a/1/x.jar", 1));
    }

    @Test
    void samplesWithinItsTime() throws IOException {
        fill(2);
        assertThat(FileSearch.find(repository, FileSearch::isJar, Duration.ZERO))
                .isEqualTo(new Found(List.of(), false));
    }

    @Test
    void aSmallRepositoryIsTakenWhole() throws IOException {
        fill(Sample.FEWEST);
        Sample sample = Sample.choose(settings(null), new Random(1));

        assertThat(sample.root()).isEqualTo(repository);
        assertThat(sample.files()).hasSize(Sample.FEWEST).doesNotHaveDuplicates();
        assertThat(sample.describe()).startsWith("all 12 jars");
        assertThat(sample.note()).isEmpty();
    }

    @Test
    void withoutOneTheFilesOfTheJdkAreTakenAndItIsSaid() throws IOException {
        fill(Sample.FEWEST - 1);
        Sample sample = Sample.choose(settings(null), new Random(1));

        assertThat(sample.root()).isEqualTo(Path.of(System.getProperty("java.home")));
        assertThat(sample.isEnough()).isTrue();
        assertThat(sample.note()).contains("There is no Maven repository", repository.toString(), "JDK");
    }

    @Test
    void aDirectoryThatIsNamedIsTakenWithAllItsFiles() throws IOException {
        fill(10);
        Sample sample = Sample.choose(settings(repository.resolve("a")), new Random(1));
        assertThat(sample.describe()).startsWith("all 20 files");

        Path missing = repository.resolve("missing");
        assertThatThrownBy(() -> Sample.choose(settings(missing), new Random(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("There is no directory " + missing);
    }

    @Test
    void aLargeOneIsSampledAndItIsSaid() {
        Sample sample = of(items(5_000, 1_000));

        assertThat(sample.files()).hasSize(600).doesNotHaveDuplicates();
        assertThat(sample.describe()).startsWith("a random sample of 600 of 5000 jars");
    }

    @Test
    void noMoreIsTakenThanCanBeReadInTheTime() {
        assertThat(of(items(100, 50_000_000)).files()).hasSize(30);
    }

    @Test
    void aGiantIsLeftOut() {
        assertThat(of(List.of(new Item("giant.jar", 3_000_000_000L), new Item("b.jar", 1)))
                        .files())
                .extracting(Item::path)
                .containsExactly("b.jar");
    }
}
