package dev.dibs.rules;

import dev.dibs.pages.Page;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The files of this project, without what is built from them. */
final class Sources {

    /** A comment, a text block, a string or a character, whichever begins first. */
    private static final Pattern TOKEN = Pattern.compile(
            "//[^\n]*|/\\*.*?\\*/|\"\"\"(.*?)(?<!\\\\)\"\"\"|\"((?:\\\\.|[^\"\\\\\n])*)\"|'(?:\\\\.|[^'\\\\])*'",
            Pattern.DOTALL);

    /** Two literals that are one text. */
    private static final Pattern JOINED = Pattern.compile("\\s*\\+\\s*");

    static final Path ADAPTERS = Path.of("src", "adapters");

    private Sources() {}

    /** All files of the project with this ending. */
    static List<Path> all(String suffix) {
        try (Stream<Path> top = Files.list(Path.of(""))) {
            return top.filter(path -> !path.toString().startsWith(".") && !path.endsWith("target"))
                    .flatMap(path -> files(path, suffix).stream())
                    .filter(path -> !path.toString().contains("/target/"))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The source trees of tests. */
    static List<Path> testRoots() {
        return Stream.concat(
                        Stream.of("core/test", "web/test", "tools/test", "testkit/test", "verify/java", "lab/java")
                                .map(Path.of("src")::resolve),
                        adapters().stream()
                                .map(adapter -> adapter.resolve("test"))
                                .filter(Files::isDirectory))
                .toList();
    }

    /** The tests with libraries that are not on the class path of this one. */
    static List<Path> otherTests() {
        return Stream.concat(
                        adapters().stream().map(adapter -> adapter.resolve("test")),
                        Stream.of(Path.of("src", "lab", "java")))
                .filter(Files::isDirectory)
                .flatMap(folder -> files(folder, ".java").stream())
                .toList();
    }

    /** The sources of the published jars with this ending. */
    static List<Path> main(String suffix) {
        return published().stream()
                .flatMap(module -> files(module.resolve("java"), suffix).stream())
                .toList();
    }

    /** The modules whose jars are published. */
    static List<Path> published() {
        return Stream.concat(Stream.of("core", "web", "tools").map(Path.of("src")::resolve), adapters().stream())
                .toList();
    }

    /** The modules for frameworks. Their tests are not on the class path of this one. */
    static List<Path> adapters() {
        try (Stream<Path> modules = Files.list(ADAPTERS)) {
            return modules.filter(module -> Files.exists(module.resolve("pom.xml")))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The files below a folder with this ending. What Maven writes meanwhile is none of them. */
    static List<Path> files(Path folder, String suffix) {
        List<Path> found = new ArrayList<>();
        try {
            Files.walkFileTree(folder, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path inner, BasicFileAttributes attributes) {
                    return inner.endsWith("target") ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    if (attributes.isRegularFile() && file.toString().endsWith(suffix)) {
                        found.add(file);
                    }
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Collections.sort(found);
        return found;
    }

    static List<String> lines(Path file) {
        return Page.of(file).text().lines().toList();
    }

    /** The texts between quotes; texts that a plus sign joins are one text. */
    static List<String> literals(Path javaFile) {
        return literalsOf(Page.of(javaFile).text());
    }

    static List<String> literalsOf(String java) {
        List<String> literals = new ArrayList<>();
        Matcher token = TOKEN.matcher(java);
        int end = -1;
        while (token.find()) {
            String literal = token.group(1) != null ? token.group(1) : token.group(2);
            if (literal == null) {
                continue;
            }
            boolean joined = end >= 0
                    && JOINED.matcher(java.substring(end, token.start())).matches();
            if (joined) {
                literals.add(literals.remove(literals.size() - 1) + literal);
            } else {
                literals.add(literal);
            }
            end = token.end();
        }
        return literals;
    }
}
