package dev.dibs.site;

import static dev.dibs.site.SitePages.fenced;

import dev.dibs.cli.Commands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The pages that are not in the repository: the statements of each database, and the Javadoc of each module. */
final class GeneratedPages {

    /** A statement, in the output of the command. */
    private static final Pattern STATEMENT = Pattern.compile("(?ms)^-- name: (\\w+)\\n(.*?)(?=^-- name: |\\z)");

    /** What the doclet made, in a module's folder. */
    private static final Path JAVADOC = Path.of("target", "reports", "apidocs");

    private GeneratedPages() {}

    /** A page for each dialect, and one that lists them. */
    static void statements(Path root, Path target) throws IOException {
        StringBuilder index = new StringBuilder("""
                # Statements

                These are the statements as Dibs sends them, with all fragments expanded: a page for each database. The command
                [`dibs statements`](../docs/reference/command.md#dibs-statements) prints the same, also as JSON. It prints those for
                your own tables of claims, too. [The protocol](../docs/lab/protocol.md) explains them.

                """);
        for (String dialect : dialects(root)) {
            String title = "Statements: " + dialect;
            Matcher statement = STATEMENT.matcher(Commands.print("statements", dialect, "--tables"));
            StringBuilder page = new StringBuilder(
                            MarkdownText.head(title, "The statements that Dibs sends to " + dialect))
                    .append("# ")
                    .append(title)
                    .append("\n\n");
            while (statement.find()) {
                page.append("## ")
                        .append(statement.group(1))
                        .append("\n\n")
                        .append(fenced(statement.group(2), "sql"))
                        .append('\n');
            }
            write(target.resolve("statements/" + dialect + ".md"), page);
            index.append("- [").append(dialect).append("](").append(dialect).append(".md)\n");
        }
        write(
                target.resolve("statements/index.md"),
                MarkdownText.head("Statements", "The statements that Dibs sends, for each database") + index);
    }

    private static List<String> dialects(Path root) throws IOException {
        try (Stream<Path> folders = Files.list(root.resolve("dialects"))) {
            return folders.filter(Files::isDirectory)
                    .map(folder -> folder.getFileName().toString())
                    .sorted()
                    .toList();
        }
    }

    /** The Javadoc of each module that has it, and a page that lists them. */
    static void javadoc(Path root, Path target) throws IOException {
        StringBuilder index = new StringBuilder("# Javadoc\n\n");
        for (Map.Entry<String, Path> module : modules(root).entrySet()) {
            SitePages.copy(module.getValue(), target.resolve("api/" + module.getKey()));
            index.append("- [")
                    .append(module.getKey())
                    .append("](")
                    .append(module.getKey())
                    .append("/index.html)\n");
        }
        write(
                target.resolve("api/index.md"),
                MarkdownText.head("Javadoc", "The Javadoc of each module of Dibs") + index);
    }

    /** The folder of the Javadoc by the name of the jar. */
    private static Map<String, Path> modules(Path root) throws IOException {
        Map<String, Path> modules = new TreeMap<>();
        try (Stream<Path> folders =
                Files.find(root.resolve("src"), 2, (path, is) -> Files.isDirectory(path.resolve(JAVADOC)))) {
            folders.forEach(folder -> {
                String name = folder.getFileName().toString();
                modules.put(name.equals("core") ? "dibs" : "dibs-" + name, folder.resolve(JAVADOC));
            });
        }
        return modules;
    }

    private static void write(Path page, CharSequence text) throws IOException {
        Files.createDirectories(page.getParent());
        Files.writeString(page, text);
    }
}
