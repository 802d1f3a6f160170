package dev.dibs.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.text.Html;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Foreign texts are shown and have no effect. Which errors count as equal. */
@Tag("unit")
class FormatTest {
    private static final Path CONSOLE = Path.of("src", "web", "resources", "dev", "dibs", "console");

    @Test
    void aMessageIsOnOneLine() {
        assertThat(Format.message("ERROR: no\r\n  Where: here\n\nthere\u202e\n"))
                .isEqualTo("ERROR: no Where: here there\\u202e");
    }

    @Test
    void invisibleCharactersAreWrittenAsCodes() {
        assertThat(Format.text("a\u0000b\nc\u202ed\u200be\u2028f\ufeff"))
                .isEqualTo("a\\u0000b\\u000ac\\u202ed\\u200be\\u2028f\\ufeff");
        assertThat(Format.text("ü 日本 $1 \\")).isEqualTo("ü 日本 $1 \\");
        assertThat(Format.lines("a\r\n\tb\u202e")).isEqualTo("a\n\tb\\u202e");
    }

    @Test
    void markupIsText() {
        assertThat(Html.escape("<a href='x' b=\"y\">&`</a>"))
                .isEqualTo("&lt;a href=&#39;x&#39; b=&quot;y&quot;&gt;&amp;&#96;&lt;/a&gt;");
    }

    @Test
    void passwordsAreNotShown() {
        assertThat(Format.masked("jdbc:x://u:secret99@h?password=hunter22 failed"))
                .doesNotContain("secret99", "hunter22")
                .contains("failed");
    }

    /** In a template, values are escaped, stand in quotes if they are attributes, and are never script or style. */
    @Test
    void noTemplateLetsMarkupThrough() throws IOException {
        List<Path> templates;
        try (Stream<Path> files = Files.list(CONSOLE)) {
            templates =
                    files.filter(file -> file.toString().endsWith(".mustache")).toList();
        }
        assertThat(templates).hasSizeGreaterThan(8);
        for (Path template : templates) {
            String text = Files.readString(template);
            assertThat(text)
                    .as(template.toString())
                    .doesNotContain("{{{", "{{&", "<style", " style=", "javascript:")
                    .doesNotContainPattern("\\son[a-z]+=")
                    .doesNotContainPattern("\\s[a-z-]+=\\{\\{")
                    .doesNotContainPattern("<script(?! src=\"\\{\\{frame.script}}\" defer></script>)");
        }
    }

    /** The renderer that a template's class brings escapes nothing. */
    @Test
    void everyTemplateIsRenderedWithTheEscaper() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("src", "web", "java", "dev", "dibs", "console"))) {
            for (Path file : files.toList()) {
                String text = Files.readString(file);
                assertThat(text)
                        .as(file.toString())
                        .doesNotContain("Renderer.of(")
                        .doesNotContainPattern("new \\w+Renderer");
                for (String line :
                        text.lines().filter(one -> one.contains("Renderer.")).toList()) {
                    assertThat(line).containsPattern("Renderer\\.render\\(\\w+, out, Html::text, Html::escape\\)");
                }
            }
        }
    }

    @Test
    void numbersIdentifiersAndTheKeyOfTheRowDoNotDistinguishErrors() {
        assertThat(ErrorGroup.shape("connect to 10.1.7.5:9000 timed out after 3001 ms", "7"))
                .isEqualTo(ErrorGroup.shape("connect to 10.1.7.21:9000 timed out after 3000 ms", "8"))
                .isEqualTo("connect to #.#.#.#:# timed out after # ms");
        assertThat(ErrorGroup.shape("no user 6f1e3a52-8d0c-4b7e-9a51-0c2d3e4f5a6b", "x"))
                .isEqualTo(ErrorGroup.shape("no user AF1e3a52-8d0c-4b7e-9a51-0c2d3e4f5a6c", "y"))
                .isEqualTo("no user #");
        assertThat(ErrorGroup.shape("customer berlin/4 has no address", "berlin/4"))
                .isEqualTo(ErrorGroup.shape("customer rome/17 has no address", "rome/17"))
                .isEqualTo("customer # has no address");
    }

    /** A key that is a letter must not remove that letter from every word. */
    @Test
    void onlyWholeWordsAreKeys() {
        assertThat(ErrorGroup.shape("a bad failure at a", "a")).isEqualTo("# bad failure at #");
        assertThat(ErrorGroup.shape("it is broken", "")).isEqualTo("it is broken");
        assertThat(ErrorGroup.shape("costs $1 \\ (x", "$1")).isEqualTo("costs # \\ (x");
    }

    @Test
    void differentWordsAreDifferentErrors() {
        List<ErrorGroup<String>> groups = ErrorGroup.of(
                List.of("no route to 1", "broken", "no route to 2", "no route to 3"),
                text -> ErrorGroup.shape(text, ""));
        assertThat(groups).extracting(ErrorGroup::first).containsExactly("no route to 1", "broken");
        assertThat(groups.get(0).all()).containsExactly("no route to 1", "no route to 2", "no route to 3");
        assertThat(groups).extracting(ErrorGroup::id).doesNotHaveDuplicates();
    }
}
