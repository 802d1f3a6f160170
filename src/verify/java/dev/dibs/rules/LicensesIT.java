package dev.dibs.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A jar contains the licenses of everything in it. */
@Tag("unit")
class LicensesIT {

    private static final Path COMMAND = Path.of("target", "dibs-cli.jar");
    private static final String BUNDLED = "META-INF/licenses/";
    private static final Pattern LIBRARY = Pattern.compile("(?s)<dependency>(?:(?!</dependency>).)*</dependency>");
    private static final Pattern NAME = Pattern.compile("<artifactId>([^<]+)</artifactId>");
    private static final Pattern FILE = Pattern.compile("`([\\w./-]+\\.txt)`");

    @Test
    void everyJarHasTheLicenseOfDibs() throws IOException {
        String license = Files.readString(Path.of("LICENSE"));
        List<Path> jars = new ArrayList<>(List.of(COMMAND));
        for (Path module : Sources.published()) {
            try (Stream<Path> files = Files.list(module.resolve("target"))) {
                files.filter(file -> file.getFileName().toString().matches("dibs-.*[0-9](-SNAPSHOT)?(-javax)?\\.jar"))
                        .forEach(jars::add);
            }
        }
        assertThat(jars).hasSizeGreaterThan(Sources.published().size());
        for (Path jar : jars) {
            assertThat(text(jar, "META-INF/LICENSE")).as(jar.toString()).isEqualTo(license);
        }
    }

    @Test
    void theCommandHasTheLicensesOfItsLibraries() throws IOException {
        String list = text(COMMAND, BUNDLED + "README.md");
        List<String> libraries = LIBRARY.matcher(Files.readString(Path.of("src", "tools", "pom.xml")))
                .results()
                .map(library -> library.group().replaceAll("(?s)<exclusions>.*</exclusions>", ""))
                .filter(library -> Stream.of("test", "provided", "import")
                        .noneMatch(scope -> library.contains("<scope>" + scope + "<")))
                .flatMap(library -> NAME.matcher(library).results())
                .map(name -> name.group(1))
                .filter(name -> !name.startsWith("dibs"))
                .toList();
        assertThat(libraries).contains("h2", "picocli");
        assertThat(list).contains(libraries);
        List<String> files = FILE.matcher(list)
                .results()
                .map(file -> file.group(1))
                .distinct()
                .toList();
        assertThat(files).hasSizeGreaterThan(5);
        for (String file : files) {
            assertThat(text(COMMAND, BUNDLED + file)).as(file).isNotBlank();
        }
    }

    private static String text(Path file, String entry) {
        try (JarFile jar = new JarFile(file.toFile())) {
            assertThat(jar.getEntry(entry)).as(entry + " in " + file).isNotNull();
            return new String(jar.getInputStream(jar.getEntry(entry)).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
