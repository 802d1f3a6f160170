package dev.dibs.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jsoup.Jsoup;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The pages in docs/ are ready for the site. */
@Tag("unit")
class ShelvesTest {

    private static final Path DOCS = Path.of("docs");
    private static final Pattern LIST_IN_LIST = Pattern.compile(" {1,3}[-*] .*");

    private static List<Path> files(String suffix) throws IOException {
        try (Stream<Path> files = Files.walk(DOCS)) {
            return files.filter(file -> file.toString().endsWith(suffix))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void everyPageIsOnAShelf() throws IOException {
        Set<Path> shelves = new SiteNavigation(Path.of("")).pages();
        assertThat(shelves).hasSizeGreaterThan(40);
        assertThat(files(".md").stream().filter(page -> !page.endsWith("index.md") && !shelves.contains(page)))
                .as("pages that docs/index.md does not link to")
                .isEmpty();
    }

    /** The site's generator wants four blanks; GitHub takes two to five. */
    @Test
    void listsWithinListsAreIndentedByFour() throws IOException {
        List<String> found = new ArrayList<>();
        for (Path page : files(".md")) {
            MarkdownText.lines(Files.readString(page)).stream()
                    .filter(line ->
                            !line.isCode() && LIST_IN_LIST.matcher(line.text()).matches())
                    .forEach(line -> found.add(page + ": " + line.text()));
        }
        assertThat(found).isEmpty();
    }

    /** An image cannot share the style of another one. */
    @Test
    void diagramsHaveOneStyle() throws IOException {
        List<Path> diagrams = files(".svg").stream()
                .filter(file -> file.startsWith(DOCS.resolve("diagrams")))
                .toList();
        assertThat(diagrams).hasSizeGreaterThan(3);
        assertThat(diagrams.stream().map(ShelvesTest::style).distinct()).hasSize(1);
    }

    private static String style(Path diagram) {
        try {
            return Jsoup.parse(diagram).select("style").html();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
