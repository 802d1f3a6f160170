package dev.dibs.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The pages show tested methods, with their comments. */
@Tag("unit")
class DocumentedTest {

    private static final Path HERE = Path.of("src", "verify", "java", "dev", "dibs", "examples");
    private static final Pattern BLOCK = Pattern.compile("```java\n(/\\*\\*.*?)```", Pattern.DOTALL);

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
        assertThat(shown).isEqualTo(3);
    }
}
