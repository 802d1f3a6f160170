package dev.dibs.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code dibs-bom} manages what is published, and nothing else. */
@Tag("unit")
class BomTest {

    private static final Path BOM = Path.of("src", "bom", "pom.xml");
    private static final Pattern DEPENDENCY = Pattern.compile(
            "<dependency>\\s*<groupId>([^<]+)</groupId>\\s*<artifactId>([^<]+)</artifactId>\\s*<version>([^<]+)</version>");

    @Test
    void listsThePublishedModules() throws Exception {
        assertThat(DEPENDENCY.matcher(Files.readString(BOM)).results().map(found -> found.group(2)))
                .as("add the module to the dependencies in " + BOM)
                .hasSameElementsAs(
                        Module.published().stream().map(Module::artifact).toList());
    }

    @Test
    void bringsNoVersionOfAnotherProject() throws Exception {
        String bom = Files.readString(BOM);
        assertThat(DEPENDENCY.matcher(bom).results())
                .hasSameSizeAs(
                        Pattern.compile("<dependency>").matcher(bom).results().toArray())
                .allMatch(found ->
                        found.group(1).equals("dev.dibs") && found.group(3).equals("${project.version}"));
        assertThat(bom).as("it would bring what the parent manages").doesNotContain("<parent>");
    }
}
