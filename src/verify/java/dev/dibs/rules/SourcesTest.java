package dev.dibs.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class SourcesTest {

    @Test
    void findsTheTextsOfASource() {
        assertThat(Sources.literalsOf("f(\"a\", \"b \\\" c\"); // \"d\"\n/* \"e\" */ char c = '\"'; g(\"f\")"))
                .containsExactly("a", "b \\\" c", "f");
        assertThat(Sources.literalsOf("x = \"\"\"\n  SELECT \"a\"\n  \"\"\"; y = \"b\""))
                .hasSize(2);
    }

    @Test
    void joinsConcatenatedTexts() {
        assertThat(Sources.literalsOf("\"SELECT \"\n   + \"a\"")).containsExactly("SELECT a");
        assertThat(Sources.literalsOf("\"a\" + b + \"c\"")).containsExactly("a", "c");
    }

    @Test
    void findsFilesOfTheProjectButNoBuiltOnes() {
        assertThat(Sources.all(".java"))
                .contains(Path.of("src", "verify", "java", "dev", "dibs", "rules", "SourcesTest.java"));
        assertThat(Sources.all(".sql"))
                .contains(Path.of("sql", "locks.sql"))
                .noneMatch(file -> file.startsWith("target"));
        assertThat(Sources.all("pom.xml"))
                .contains(
                        Path.of("pom.xml"),
                        Path.of("src", "core", "pom.xml"),
                        Path.of("examples", "bookshop", "pom.xml"));
        assertThat(Sources.all(".class")).as("what the examples are built to").isEmpty();
    }
}
