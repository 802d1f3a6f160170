package dev.dibs.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.pages.Page;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Each link of a page leads to a file that exists, and to a heading that is there. The map names the folders that there are. */
@Tag("unit")
class LinksTest {
    private static final Pattern CODE = Pattern.compile("^```.*?^```$", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern LINK = Pattern.compile("\\]\\((?!https?:|mailto:)([^)#\\s]*)(?:#([^)\\s]*))?\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} (.*)$");
    private static final Path ENGINE = Path.of("src/core/java/dev/dibs/internal");

    /** The first cell of a row. */
    private static final Pattern FOLDER = Pattern.compile("(?m)^\\| `([^`]+)` \\|");

    @Test
    void eachLinkLeadsSomewhere() {
        List<String> found = new ArrayList<>();
        int anchors = 0;
        for (Path file : pages()) {
            for (MatchResult link : LINK.matcher(prose(file)).results().toList()) {
                Path target = link.group(1).isEmpty() ? file : file.resolveSibling(link.group(1));
                if (!Files.exists(target)) {
                    found.add(file + ": " + link.group(1));
                } else if (link.group(2) != null) {
                    anchors++;
                    if (!anchors(prose(target)).contains(link.group(2))) {
                        found.add(file + ": " + target.normalize() + " has no heading #" + link.group(2));
                    }
                }
            }
        }
        assertThat(anchors).isGreaterThan(20);
        assertThat(found).isEmpty();
    }

    @Test
    void aHeadingIsNamedAsTheSiteNamesIt() {
        assertThat(anchors("# `dibs once`\n## Woken instead of asking: PostgreSQL\n## Twice\n## Twice\n"))
                .containsExactlyInAnyOrder("dibs-once", "woken-instead-of-asking-postgresql", "twice", "twice-1");
    }

    /** Those of the site alone name what its build makes; that build is strict, and fails at a link to nothing. */
    private static List<Path> pages() {
        return Sources.all(".md").stream()
                .filter(page -> !page.startsWith(Path.of("src", "site")))
                .toList();
    }

    private static String prose(Path file) {
        return CODE.matcher(Page.of(file).text()).replaceAll("");
    }

    /** As GitHub makes them from headings. */
    private static Set<String> anchors(String prose) {
        Set<String> anchors = new HashSet<>();
        Map<String, Integer> seen = new HashMap<>();
        for (MatchResult heading : HEADING.matcher(prose).results().toList()) {
            String text = heading.group(1).replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1");
            String anchor = text.strip()
                    .toLowerCase(Locale.ROOT)
                    .replaceAll("[^\\w\\- ]", "")
                    .replace(' ', '-');
            int before = seen.merge(anchor, 1, Integer::sum) - 1;
            anchors.add(before == 0 ? anchor : anchor + "-" + before);
        }
        return anchors;
    }

    @Test
    void eachPackageOfTheEngineIsOnTheMap() throws IOException {
        Set<String> packages = Sources.files(ENGINE, ".java").stream()
                .map(file -> ENGINE.relativize(file.getParent()).toString())
                .filter(folder -> !folder.isEmpty())
                .collect(Collectors.toCollection(TreeSet::new));
        String engine = page().split("## Everything else", -1)[0];
        assertThat(folders(engine)).hasSizeGreaterThan(10).contains(ENGINE.toString());
        assertThat(folders(engine).stream().filter(folder -> !folder.startsWith("src")))
                .containsExactlyInAnyOrderElementsOf(packages);
    }

    @Test
    void eachFolderOfTheMapExists() throws IOException {
        String rest = page().split("## Everything else", -1)[1];
        assertThat(folders(rest)).hasSizeGreaterThan(30).allMatch(folder -> Files.isDirectory(Path.of(folder)));
    }

    private static String page() throws IOException {
        return Files.readString(Path.of("docs", "lab", "map.md"));
    }

    private static Set<String> folders(String text) {
        return FOLDER.matcher(text).results().map(found -> found.group(1)).collect(Collectors.toSet());
    }
}
