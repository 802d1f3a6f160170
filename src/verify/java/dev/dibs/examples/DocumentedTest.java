package dev.dibs.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The pages show the tested classes, from their comment on. */
@Tag("unit")
class DocumentedTest {

    private static final Path HERE = Path.of("src", "verify", "java", "dev", "dibs", "examples");
    private static final Path BOOKSHOP = Path.of("examples", "bookshop", "src", "main", "java", "bookshop");
    private static final Pattern BLOCK = Pattern.compile("```java\n(/\\*\\*.*?)```", Pattern.DOTALL);
    private static final Pattern NAME = Pattern.compile("\n(?:public )?final class (\\w+)");

    @Test
    void tokensShowMethodsOfTheBookshop() throws IOException {
        String source = Files.readString(BOOKSHOP.resolve("ResetServlet.java")).replaceAll("(?m)^ {4}", "");
        String page = Files.readString(Path.of("docs", "reference", "tokens.md"));
        List<String> blocks = Pattern.compile("```java\n((?:/\\*\\*|private ).*?)```", Pattern.DOTALL)
                .matcher(page)
                .results()
                .map(block -> block.group(1))
                .toList();
        assertThat(blocks).hasSize(2).allSatisfy(block -> assertThat(source).contains(block));
    }

    @Test
    void onceShowsATestedClass() throws IOException {
        assertThat(shownBy("once.md", BOOKSHOP)).containsExactly("BestSellers");
    }

    @Test
    void locksShowTestedMethods() throws IOException {
        String source = Files.readString(HERE.resolve("Numbering.java")).replaceAll("(?m)^ {4}", "");
        assertThat(BLOCK.matcher(Files.readString(Path.of("docs", "reference", "locks.md")))
                        .results())
                .hasSize(1)
                .allSatisfy(block -> assertThat(source).contains(block.group(1)));
    }

    /** Each method of its last part; the class is around them. The parts before are tested with Spring Boot. */
    @Test
    void springShowsTestedMethods() throws IOException {
        String source = Files.readString(HERE.resolve("Pushing.java"));
        Matcher block = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("docs", "reference", "spring.md"))
                        .split("\n## By hand\n", 2)[1]);
        int shown = 0;
        for (; block.find(); shown++) {
            assertThat(source).contains(block.group(1).indent(4));
        }
        assertThat(shown).isEqualTo(4);
    }

    /** The names of the classes in a page, each of which must be equal to its source. */
    private static List<String> shownBy(String page, Path sources) throws IOException {
        List<String> shown = new ArrayList<>();
        Matcher block = BLOCK.matcher(Files.readString(Path.of("docs", "reference", page)));
        while (block.find()) {
            Matcher name = NAME.matcher(block.group(1));
            assertThat(name.find()).as(block.group(1)).isTrue();
            shown.add(name.group(1));
            String source = Files.readString(sources.resolve(name.group(1) + ".java"));
            assertThat(block.group(1)).isEqualTo(source.substring(source.indexOf("/**")));
        }
        return shown;
    }
}
