package dev.dibs.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Poms, pages, examples and clients name the same version of Dibs. {@code mvn verify -Dtest=VersionTest -Ddibs.version=0.2.0-SNAPSHOT} writes
 * another one into all of them; the files for Flyway and Liquibase follow by {@code MigrationFilesTest}.
 */
@Tag("unit")
class VersionTest {

    private static final Pattern IN_POM = Pattern.compile("<groupId>dev\\.dibs(?:\\.examples)?</groupId>\\s*"
            + "<artifactId>[^<]+</artifactId>\\s*<version>([^<$]+)</version>|<dibs\\.version>([^<]+)<");

    /** Where a version stands, by the end of the file's name. */
    private static final Map<String, Pattern> PLACES = Map.of(
            "pom.xml", IN_POM,
            ".md",
                    Pattern.compile(
                            IN_POM
                                    + "|dibs(?:-[a-z]+)*-([0-9][0-9.]*(?:-SNAPSHOT)?)(?:-javax)?\\.jar|@dibs/[a-z]+-([0-9.]+)\\.tgz"),
            "pyproject.toml", Pattern.compile("(?m)^version = \"([^\"]+)\""),
            "package.json", Pattern.compile("(?m)^  \"version\": \"([^\"]+)\""));

    @Test
    void everyFileNamesTheVersionOfThePom() throws IOException {
        String version = System.getProperty("dibs.version", Module.version());
        List<String> wrong = new ArrayList<>();
        for (Path file : files()) {
            String expected = inFormOf(file, version);
            if (System.getProperty("dibs.version") != null) {
                Files.writeString(
                        file,
                        place(file)
                                .matcher(Files.readString(file))
                                .replaceAll(found ->
                                        Matcher.quoteReplacement(found.group().replace(versionIn(found), expected))));
            }
            place(file)
                    .matcher(Files.readString(file))
                    .results()
                    .map(VersionTest::versionIn)
                    .filter(found -> !found.equals(expected))
                    .forEach(found -> wrong.add(file + ": " + found));
        }
        assertThat(wrong).as("not " + version).isEmpty();
    }

    @Test
    void theChangesNameTheVersion() throws IOException {
        String version = Module.version();
        String heading = version.endsWith("-SNAPSHOT") ? "## [Unreleased]" : "## [" + version + "]";
        assertThat(Files.readAllLines(Path.of("CHANGELOG.md")).stream()
                        .filter(line -> line.startsWith("## "))
                        .findFirst())
                .hasValueSatisfying(first -> assertThat(first).startsWith(heading));
    }

    /** That of the place which was found. */
    private static String versionIn(MatchResult found) {
        return IntStream.rangeClosed(1, found.groupCount())
                .mapToObj(found::group)
                .filter(Objects::nonNull)
                .findFirst()
                .orElseThrow();
    }

    /** Python has a form of its own for a version that is not released. */
    private static String inFormOf(Path file, String version) {
        return file.endsWith("pyproject.toml") ? version.replace("-SNAPSHOT", ".dev0") : version;
    }

    private static Pattern place(Path file) {
        return PLACES.entrySet().stream()
                .filter(place -> file.toString().endsWith(place.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElseThrow();
    }

    private static List<Path> files() throws IOException {
        List<Path> found = new ArrayList<>();
        for (String top : List.of("pom.xml", "README.md", "CONTRIBUTING.md", "src", "docs", "examples", "clients")) {
            try (Stream<Path> files = Files.walk(Path.of(top))) {
                files.filter(file -> PLACES.keySet().stream().anyMatch(file.toString()::endsWith))
                        .filter(file -> !file.toString().matches(".*/(target|node_modules)/.*"))
                        .forEach(found::add);
            }
        }
        assertThat(found).hasSizeGreaterThan(Module.all().size());
        return found;
    }
}
