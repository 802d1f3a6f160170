package dev.dibs.site;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Copies the project's pages for the site's generator: those of docs/, and everything that a copied page links to. A source file becomes
 * a page that shows it; a folder becomes a page that lists its files. So each link of the project leads somewhere in the site, too.
 */
final class SitePages {

    private static final Pattern LINK = Pattern.compile("(?<=\\]\\()([^)#\\s]+)(?=[)#])");
    private static final Pattern OUTSIDE = Pattern.compile("[a-z]+:.*");
    private static final Set<String> PICTURES = Set.of("svg", "png");
    /** They are alone on their shelf: a list of its pages would have one line. */
    private static final Set<Path> ALONE = Set.of(Path.of("README.md"), Path.of("docs", "index.md"));
    /** What the generator's highlighter calls the languages; the others have their ending as a name. */
    private static final Map<String, String> LANGUAGES = Map.of(
            "py", "python",
            "mjs", "javascript",
            "sh", "bash",
            "yml", "yaml",
            "tla", "text",
            "cfg", "text",
            "LICENSE", "text");

    private final Path root;
    private final Path target;
    private final Set<Path> seen = new HashSet<>();
    private final Deque<Path> open = new ArrayDeque<>();

    private SitePages(Path root, Path target) {
        this.root = root;
        this.target = target;
    }

    /** Copies README.md, the license, all pages of docs/, and what they link to. */
    static void collect(Path root, Path target) throws IOException {
        SitePages pages = new SitePages(root, target);
        pages.want(Path.of("README.md"));
        pages.want(Path.of("LICENSE"));
        for (Path page : list(root.resolve("docs"))) {
            if (page.toString().endsWith(".md")) {
                pages.want(root.relativize(page));
            }
        }
        while (!pages.open.isEmpty()) {
            pages.place(pages.open.poll());
        }
    }

    /** The files below a folder, sorted. */
    private static List<Path> list(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).sorted().toList();
        }
    }

    private void want(Path file) {
        if (seen.add(file)) {
            open.add(file);
        }
    }

    private void place(Path file) throws IOException {
        Path source = root.resolve(file);
        if (Files.isDirectory(source)) {
            write(file, "The files of the project in " + file, listing(file));
        } else if (file.toString().endsWith(".md")) {
            String text = Files.readString(source);
            write(file, MarkdownText.firstParagraph(text), text);
        } else if (PICTURES.contains(ending(file))) {
            copy(source, target.resolve(file));
        } else {
            write(
                    file,
                    "The file " + file + " of the project",
                    "# " + file + "\n\n" + fenced(Files.readString(source), ending(file)));
        }
    }

    private String listing(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(root.resolve(folder))) {
            return "# " + folder + "\n\n"
                    + files.map(file -> file.getFileName().toString())
                            .filter(name -> !name.startsWith(".") && !name.equals("target"))
                            .sorted()
                            .map(name -> "- [" + name + "](" + name + ")\n")
                            .collect(Collectors.joining());
        }
    }

    private void write(Path file, String description, String text) throws IOException {
        Path page = target.resolve(pageOf(file));
        Files.createDirectories(page.getParent());
        Files.writeString(page, head(file, text, description) + withLinks(file, text));
    }

    private static String head(Path file, String text, String description) {
        return MarkdownText.head(
                MarkdownText.title(text), description, ALONE.contains(file) ? "hide:\n  - navigation\n" : "");
    }

    private String withLinks(Path file, String text) throws IOException {
        Path folder = Files.isDirectory(root.resolve(file)) ? file : parent(file);
        StringBuilder out = new StringBuilder();
        for (MarkdownText.Line line : MarkdownText.lines(text)) {
            out.append(
                            line.isCode()
                                    ? line.text()
                                    : LINK.matcher(line.text()).replaceAll(link -> {
                                        String to = link.group(1);
                                        return Matcher.quoteReplacement(
                                                OUTSIDE.matcher(to).matches() ? to : link(file, folder, to));
                                    }))
                    .append('\n');
        }
        return out.toString();
    }

    private String link(Path file, Path folder, String to) {
        Path linked = folder.resolve(to).normalize();
        Path readme = linked.resolve("README.md");
        Path wanted = Files.exists(root.resolve(readme)) ? readme : linked;
        if (!Files.exists(root.resolve(wanted))) {
            throw new IllegalArgumentException(file + " has a link to " + to + ", which does not exist");
        }
        want(wanted);
        return parent(pageOf(file)).relativize(pageOf(wanted)).toString();
    }

    /** Where it is in the site's pages. */
    private Path pageOf(Path file) {
        if (Files.isDirectory(root.resolve(file))) {
            return file.resolve("index.md");
        }
        return file.toString().endsWith(".md") || PICTURES.contains(ending(file)) ? file : Path.of(file + ".md");
    }

    private static Path parent(Path file) {
        Path parent = file.getParent();
        return parent == null ? Path.of("") : parent;
    }

    private static String ending(Path file) {
        String name = file.getFileName().toString();
        return name.substring(name.lastIndexOf('.') + 1);
    }

    /** A block of code. */
    static String fenced(String code, String ending) {
        return "````" + LANGUAGES.getOrDefault(ending, ending) + "\n" + code.stripTrailing() + "\n````\n";
    }

    /** Copies a file, or a folder with all that is in it. */
    static void copy(Path from, Path to) throws IOException {
        for (Path file : Files.isDirectory(from) ? list(from) : List.of(from)) {
            Path copy = to.resolve(from.relativize(file).toString());
            Files.createDirectories(copy.getParent());
            Files.copy(file, copy);
        }
    }
}
