package dev.dibs.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.examples.Around;
import dev.dibs.pages.JavaBlocks;
import dev.dibs.pages.Page;
import dev.dibs.pages.Page.Block;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Java in all pages, and on the first pages of the Javadoc, compiles as a reader would paste it. */
@Tag("unit")
class PagesTest {
    private static final Path EXAMPLES = Path.of("examples");

    /** What an editor imports by itself. */
    static final List<String> PACKAGES =
            List.of(("java.io java.sql java.time java.util java.util.concurrent javax.sql org.sqlite"
                            + " jakarta.servlet jakarta.servlet.annotation jakarta.servlet.http bookshop dev.dibs"
                            + " dev.dibs.claims dev.dibs.console dev.dibs.once dev.dibs.runs dev.dibs.servlet"
                            + " dev.dibs.tokens")
                    .split(" ", -1));

    private static final Path CORE = Path.of("src", "core", "java");

    @TempDir
    private Path classes;

    @Test
    void eachBlockOfJavaCompiles() throws IOException {
        List<String> others = new ArrayList<>();
        for (Path test : Sources.otherTests()) {
            others.add(Files.readString(test));
        }
        String examples = indented(Sources.files(EXAMPLES, ".java"));
        List<Block> blocks = Sources.all(".md").stream()
                .filter(page -> others.stream().noneMatch(test -> test.contains("\"" + page.getFileName() + "\"")))
                .flatMap(page -> Page.of(page).blocks("java").stream())
                .filter(block -> !examples.contains(block.code()))
                .toList();
        assertThat(blocks).hasSizeGreaterThan(30);
        assertThat(refused(blocks)).isEmpty();
    }

    /** Otherwise the other test would accept everything. */
    @Test
    void aCallThatDoesNotExistIsRefused() {
        Block block = new Block(Page.of("README.md"), 1, "java", "dibs.lock(\"import\").tryRun(() -> print());\n");
        assertThat(refused(List.of(block))).singleElement().asString().startsWith("README.md:1: ");
    }

    private List<String> refused(List<Block> blocks) {
        return new JavaBlocks(classes, Around.class, PACKAGES).refused(blocks);
    }

    /** So that a user can read them; the lab does not count, nor do the bars of tables. */
    @Test
    void userPagesHaveAtMost27800Words() {
        long words = DocumentedNamesTest.userPages()
                .map(page -> Pattern.compile("\\s+")
                        .splitAsStream(Page.of(page).text())
                        .filter(word -> word.codePoints().anyMatch(Character::isLetterOrDigit))
                        .count())
                .reduce(0L, Long::sum);
        assertThat(words).isBetween(10_000L, 27_800L);
    }

    /** The sources of the examples, which are compiled with the tests: as they are, and members without their indentation. */
    private static String indented(List<Path> files) throws IOException {
        StringBuilder all = new StringBuilder();
        for (Path file : files) {
            String source = Files.readString(file);
            all.append(source).append(source.replaceAll("(?m)^ {4}", ""));
        }
        return all.toString();
    }

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
