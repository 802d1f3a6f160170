package dev.dibs.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.examples.Around;
import dev.dibs.pages.JavaBlocks;
import dev.dibs.pages.Page;
import dev.dibs.pages.Page.Block;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The first pages of the Javadoc show code that compiles. */
@Tag("unit")
class JavadocTest {

    private static final Path CORE = Path.of("src", "core", "java");

    @Test
    void moduleAndEntryPointShowTheFirstBlockOfTheReadme() {
        String first = Page.of("README.md").blocks("java").get(0).code();
        assertThat(Stream.of("module-info.java", "dev/dibs/Dibs.java").map(CORE::resolve))
                .allSatisfy(file -> assertThat(Page.ofJavadoc(file).blocks("java"))
                        .extracting(Block::code)
                        .contains(first));
    }

    /** The tests of the adapters compile theirs, by PackageExamples. */
    @Test
    void thePageOfEachExportedPackageHasAnExample() {
        assertThat(packagePages())
                .hasSizeGreaterThan(10)
                .allSatisfy(file -> assertThat(Page.of(file).text()).contains("<pre>"));
    }

    @Test
    void theirExamplesCompile(@TempDir Path classes) {
        List<Block> blocks = packagePages().stream()
                .filter(file -> !file.startsWith(Sources.ADAPTERS))
                .flatMap(file -> Page.ofJavadoc(file).blocks("java").stream())
                .toList();
        assertThat(blocks).hasSizeGreaterThan(5);
        assertThat(new JavaBlocks(classes, Around.class, PagesTest.PACKAGES).refused(blocks))
                .isEmpty();
    }

    private static List<Path> packagePages() {
        return Sources.main("package-info.java").stream()
                .filter(file -> List.of(HouseRulesTest.EXPORTED)
                        .contains(HouseRulesTest.packageOf(file).toString().replace('/', '.')))
                .toList();
    }
}
