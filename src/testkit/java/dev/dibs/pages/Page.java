package dev.dibs.pages;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A page in Markdown. */
public record Page(Path file, String text) {

    private static final Pattern BLOCK = Pattern.compile("^```(\\w*)\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);

    /** A block of code between fences; its line is that of the first fence. */
    public record Block(Page page, int line, String language, String code) {

        @Override
        public String toString() {
            return page.file + ":" + line;
        }
    }

    /** A page by its path from the project's root. */
    public static Page of(String first, String... more) {
        return of(Path.of(first, more));
    }

    public static Page of(Path file) {
        try {
            return new Page(file, Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The comments of a source of Java, whose examples are blocks of Java. */
    public static Page ofJavadoc(Path source) {
        String text = of(source)
                .text
                .lines()
                .map(line -> line.strip().replaceFirst("^\\* ?", ""))
                .map(line -> line.replace("<pre>{@code", "```java").replace("}</pre>", "```") + "\n")
                .collect(Collectors.joining());
        return new Page(source, text);
    }

    /** All blocks, in order. */
    public List<Block> blocks() {
        return BLOCK.matcher(text).results().map(this::block).toList();
    }

    /** The blocks of one language; that of output is "text". */
    public List<Block> blocks(String language) {
        return blocks().stream()
                .filter(block -> block.language.equals(language))
                .toList();
    }

    private Block block(MatchResult found) {
        int line = 1 + (int) text.substring(0, found.start()).lines().count();
        return new Block(this, line, found.group(1), found.group(2));
    }
}
