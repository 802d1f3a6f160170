package dev.dibs.site;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The order of the site's pages: the shelves of docs/index.md, each with its pages as they are linked there; then the project's own. */
final class SiteNavigation {

    private static final Path INDEX = Path.of("docs", "index.md");
    private static final Pattern SHELF_OR_LINK =
            Pattern.compile("(?m)^## (.+)$|\\[([^\\]]+)\\]\\(([^)#\\s]+\\.md)[^)]*\\)");

    /** For each shelf the title and the file of each page, as lines of YAML. */
    private final Map<String, Set<String>> shelves = new LinkedHashMap<>();

    private final Set<Path> pages = new LinkedHashSet<>();

    SiteNavigation(Path root) throws IOException {
        Path folder = INDEX.getParent();
        String text = MarkdownText.lines(Files.readString(root.resolve(INDEX))).stream()
                .filter(line -> !line.isCode())
                .map(MarkdownText.Line::text)
                .collect(Collectors.joining("\n"));
        Set<String> shelf = Set.of();
        for (Matcher found = SHELF_OR_LINK.matcher(text); found.find(); ) {
            if (found.group(1) != null) {
                shelf = shelves.computeIfAbsent(found.group(1), title -> new LinkedHashSet<>());
            } else if (!shelves.isEmpty()) {
                Path page = folder.resolve(found.group(3)).normalize();
                if (page.startsWith(folder) && pages.add(page)) {
                    shelf.add(entry(MarkdownText.plain(found.group(2)).replaceAll("\\s+", " "), page));
                }
            }
        }
    }

    /** The pages in the shelves. */
    Set<Path> pages() {
        return pages;
    }

    /** The part of the generator's settings. */
    String yaml() {
        String lines = shelves.entrySet().stream()
                .map(shelf -> "  - " + MarkdownText.quoted(shelf.getKey()) + ":\n"
                        + shelf.getValue().stream().map(page -> "    " + page).collect(Collectors.joining()))
                .collect(Collectors.joining());
        return "nav:\n" + entry("Overview", Path.of("README.md")) + entry("All pages", INDEX) + lines + """
                  - "Project":
                      - "Statements": statements/index.md
                      - "Javadoc": api/index.md
                      - "Changes": CHANGELOG.md
                      - "Contributing": CONTRIBUTING.md
                      - "Licenses": licenses.md
                """;
    }

    private static String entry(String title, Path page) {
        return "  - "
                + MarkdownText.quoted(title.substring(0, 1).toUpperCase(Locale.ROOT) + title.substring(1))
                + ": " + page + "\n";
    }
}
