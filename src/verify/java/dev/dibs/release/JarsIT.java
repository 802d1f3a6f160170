package dev.dibs.release;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The jars of a release: which there are, and that a second build makes the same ones. */
@Tag("unit")
class JarsIT {

    private static final Path COMMAND = Path.of("target", "dibs-cli.jar");

    /** What the published jars are built from. */
    private static final List<String> SOURCES = List.of("pom.xml", ".mvn", "LICENSE", "sql", "dialects", "src");

    @Test
    void everyPublishedModuleHasSourcesAndJavadoc() throws IOException {
        for (Module module : Module.published()) {
            assertThat(jars(Path.of(""), module))
                    .as(module.folder().toString())
                    .contains(named(module, ""), named(module, "-sources"), named(module, "-javadoc"));
        }
    }

    private static String named(Module module, String classifier) throws IOException {
        return module.artifact() + "-" + Module.version() + classifier + ".jar";
    }

    /**
     * Elsewhere, in another time zone and another language. Without Error Prone, which changes nothing, and without Javadoc, which takes as
     * long as all the rest.
     */
    @Test
    @Timeout(1200)
    void aSecondBuildMakesTheSameJars(@TempDir Path folder) throws Exception {
        boolean asked = System.getProperty("test") == null || System.getProperty("it.test") != null;
        Assumptions.assumeTrue(asked, "only some tests were asked for; -Dit.test=JarsIT asks for this one");
        for (String source : SOURCES) {
            copy(Path.of(source), folder.resolve(source));
        }
        build(folder);

        Map<String, Path> second = published(folder);
        Map<String, Path> first = published(Path.of(""));
        assertThat(second).containsOnlyKeys(first.keySet());
        for (String name : first.keySet()) {
            if (Files.mismatch(first.get(name), second.get(name)) >= 0) {
                Set<String> differing = new TreeSet<>(entries(first.get(name)));
                differing.removeAll(entries(second.get(name)));
                fail(name + " differs, in " + differing + "; perhaps mvn clean was needed before the first build");
            }
        }
    }

    private static void build(Path folder) throws IOException, InterruptedException {
        Path log = Path.of("target", "second-build.txt").toAbsolutePath();
        ProcessBuilder maven = new ProcessBuilder(
                        Path.of(System.getProperty("maven.home"), "bin", "mvn").toString(),
                        "-B",
                        "-o",
                        "-Pall",
                        "-Dmaven.test.skip=true",
                        "-Dmaven.javadoc.skip=true",
                        "-Dcompiler.plugin=-Xdiags:verbose",
                        "package")
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        maven.environment().putAll(Map.of("TZ", "Pacific/Auckland", "LC_ALL", "C"));
        assertThat(maven.start().waitFor()).as(log.toString()).isZero();
    }

    private static Map<String, Path> published(Path root) throws IOException {
        Map<String, Path> found = new TreeMap<>(Map.of(COMMAND.toString(), root.resolve(COMMAND)));
        for (Module module : Module.published()) {
            for (String name : jars(root, module)) {
                if (!name.endsWith("-javadoc.jar")) {
                    found.put(
                            name,
                            root.resolve(module.folder()).resolve("target").resolve(name));
                }
            }
        }
        return found;
    }

    private static List<String> jars(Path root, Module module) throws IOException {
        String begin = module.artifact() + "-" + Module.version();
        try (Stream<Path> files = Files.list(root.resolve(module.folder()).resolve("target"))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith(begin) && name.endsWith(".jar"))
                    .sorted()
                    .toList();
        }
    }

    /** What is in a jar, with the checksum and the time of each entry. */
    private static List<String> entries(Path file) {
        try (JarFile jar = new JarFile(file.toFile())) {
            return jar.stream()
                    .map(entry -> entry.getName() + " " + entry.getCrc() + " " + entry.getTime())
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Without what is built from them. */
    private static void copy(Path from, Path to) throws IOException {
        Files.walkFileTree(from, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) throws IOException {
                if (folder.endsWith("target")) {
                    return FileVisitResult.SKIP_SUBTREE;
                }
                Files.createDirectories(to.resolve(from.relativize(folder).toString()));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.copy(file, to.resolve(from.relativize(file).toString()));
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
