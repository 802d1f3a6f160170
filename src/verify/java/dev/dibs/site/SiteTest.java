package dev.dibs.site;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.database.FullRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The site is complete, and needs nothing from outside. */
@FullRun
@Tag("flow")
class SiteTest {

    /** What a browser loads by itself. */
    private static final String LOADED =
            "script[src], img[src], iframe[src], source[src], video[src], audio[src], link[href]";

    private static final Pattern OUTSIDE = Pattern.compile("(https?:)?//.*");
    private static final Pattern LOADED_BY_STYLE = Pattern.compile("(@import|url\\()\\s*[\"']?(https?:)?//");

    private static final Path DOCS = Path.of("docs");

    private static Path site;
    private static Map<Path, Document> pages;

    @BeforeAll
    static void build() throws Exception {
        site = BuiltSite.folder();
        pages = new TreeMap<>();
        for (Path page : files(site, ".html")) {
            pages.put(site.relativize(page), Jsoup.parse(page));
        }
    }

    private static List<Path> files(Path folder, String suffix) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(suffix))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void noPageLoadsAnythingFromOutside() throws IOException {
        List<String> found = new ArrayList<>();
        pages.forEach((page, document) -> document.select(LOADED).stream()
                .map(element -> element.attr(element.hasAttr("href") ? "href" : "src"))
                .filter(link -> OUTSIDE.matcher(link).matches())
                .forEach(link -> found.add(page + ": " + link)));
        for (String kind : List.of(".css", ".svg")) {
            for (Path file : files(site, kind)) {
                if (LOADED_BY_STYLE.matcher(Files.readString(file)).find()) {
                    found.add(site.relativize(file).toString());
                }
            }
        }
        assertThat(found).isEmpty();
    }

    @Test
    void everyPageOfTheDocsIsInTheSearchIndex() throws IOException {
        String index = Files.readString(site.resolve("search/search_index.json"));
        List<Path> docs = files(DOCS, ".md");
        assertThat(docs).hasSizeGreaterThan(30);
        docs.forEach(page -> assertThat(index).contains('"' + page.toString().replace(".md", ".html") + '"'));
    }

    @Test
    void statementsAndJavadocAreInTheSite() {
        assertThat(pages)
                .containsKeys(
                        Path.of("statements/postgresql.html"),
                        Path.of("statements/galera.html"),
                        Path.of("api/dibs/dev.dibs/dev/dibs/Dibs.html"),
                        Path.of("api/dibs-web/index.html"));
        assertThat(pages.get(Path.of("statements/postgresql.html")).getElementById("acquire_lock"))
                .isNotNull();
    }
}
