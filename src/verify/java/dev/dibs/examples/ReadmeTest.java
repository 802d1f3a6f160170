package dev.dibs.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.pages.Page;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A newcomer finds what is needed before the first heading. PagesTest compiles the code. */
@Tag("unit")
class ReadmeTest {

    private static final Page README = Page.of(Path.of("README.md"));

    @Test
    void theFirstBlockCreatesTheOnlyTableThatItNeeds() {
        assertThat(README.blocks("java").get(0).code())
                .startsWith("import dev.dibs.*;")
                .contains(".createSchema(Capability.LOCKS)");
    }

    @Test
    void theDependencyIsThatOfThisVersion() {
        String beginning = README.text().substring(0, README.text().indexOf("\n## "));
        assertThat(beginning).contains("<artifactId>dibs</artifactId>", version());
    }

    @Test
    void itHasAtMost140LinesAnd1000Words() {
        assertThat(README.text().lines()).hasSizeLessThanOrEqualTo(140);
        assertThat(README.text().split("\\s+")).hasSizeLessThanOrEqualTo(1000);
    }

    private static String version() {
        String pom = Page.of(Path.of("pom.xml")).text();
        int start = pom.indexOf("<version>");
        return pom.substring(start, pom.indexOf("</version>", start));
    }
}
